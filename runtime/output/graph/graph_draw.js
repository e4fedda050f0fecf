/*
 * Everything on screen.  draw() makes the parts that depend on width and zoom, paint() those that
 * depend on the search.  Only visible frames become elements, so that a profile of any size opens
 * at once.
 *
 * A picture that is higher than the window shows its lower end first: the rows that fit, and a
 * button for those above.  The page is not scrolled instead: a browser without a window that takes
 * a screenshot of the page would give an empty image.
 *
 * A frame's name comes from the profiled program and is never trusted: names reach the page through
 * textContent and setAttribute only, never as markup or code.
 */
import { element, make, makeButton } from './graph_common.js';
import {
	alone, current, drawn, heading, layer, legend, moveTo, notes, place, ROW, rows, setDrawn,
	status, SVG, svg, tools,
} from './graph_elements.js';
import {
	data, describe, hits, isAncestor, label, matchedValue, problem, ratio, state, tree,
	visible, walkText,
} from './graph_model.js';
import { labelFor, share } from './graph_words.js';

const MORE = 30;         // pixels of the button's row
const LEGEND = 34;       // pixels of one line of legend
const ROWS_LEAST = 12;   // with fewer rows the picture is not cropped

const more = {};         // elements of the row
let cropped = true;      // until the user asks for more

export function keepWhole() {
	cropped = false;
}

/* Number of rows that fit into the window below `top`. */
function roomBelow(top) {
	return Math.floor((window.innerHeight - top - place.status - LEGEND) / ROW);
}

/* Leave out the rows that do not fit, unless the zoomed frame is, or could be, among them. */
function crop(outer) {
	const room = roomBelow(place.top + MORE);
	const whole = !alone || !cropped || data.inverted || place.levels <= roomBelow(place.top) ||
		room < ROWS_LEAST || tree.level[state.zoom] > room / 2;
	place.above = whole ? 0 : place.levels - room;
	more.holder.style.display = whole ? 'none' : '';
	if (whole)
		return;
	more.holder.setAttribute('y', place.top);
	more.holder.setAttribute('width', outer);
	more.button.textContent = '\u25b2 ' + place.above + (place.above === 1 ? ' more row' : ' more rows');
	place.top += MORE;
	place.levels = room;
}

export function makeMore(act) {
	const holder = element(SVG, 'foreignObject', { class: 'chrome', x: 0, height: MORE }, svg);
	const bar = make('div', { class: 'bar more' }, holder);
	Object.assign(more, { holder, button: makeButton(bar, '', 'Show the whole picture (scroll up)', act) });
}

const MARGIN = 10;
const NOTES = 3;         // maximum lines of notes
const EDGE = 8;          // from this width on frames have a dashed edge
const WIDE = 680;        // from this width on the tools are beside the title
const WIDER = 1300;      // below this width the words of a comparison take two lines
const TOOLS = 460;       // their width then
const MENU = 220;        // additional width if there are counters to choose from

function rowTop(level) {
	return place.top + (data.inverted ? level : place.levels - 1 - level) * ROW;
}

function box(left, width, level, classes, parent) {
	return element(SVG, 'rect', {
		x: left.toFixed(2), y: rowTop(level), width: (width > 2.5 ? width - 0.5 : width).toFixed(2),
		height: ROW - 1, class: classes,
	}, parent);
}

function colour(frame, width) {
	const step = ratio ? ratio.values[3 * frame + 2] : 0;
	if (ratio)
		return step >= 0 ? 'q' + step : width >= EDGE ? 'n0 edge' : 'n0';
	return data.diff ? tree.change[frame].colours : data.classes[tree.name[frame]];
}

function drawFrame(item) {
	const frame = item.frame;
	const group = element(SVG, 'g', {
		role: 'treeitem', tabindex: -1, 'aria-level': tree.level[frame] + 1,
		'aria-label': describe(frame), class: isAncestor(frame, state.zoom) ? 'faded' : '',
	});
	group.frame = frame;
	group.colour = colour(frame, item.width);
	group.hit = false;
	group.rect = box(item.left, item.width, tree.level[frame], group.colour, group);
	const text = labelFor(label(frame), Math.floor((item.width - 6) / place.cell));
	if (text)
		element(SVG, 'text', {
			x: (item.left + 3).toFixed(2), y: rowTop(tree.level[frame]) + 12.5,
		}, group).textContent = text;
	return group;
}

function drawNarrow(run) {
	const group = element(SVG, 'g', { 'aria-hidden': 'true' });
	group.narrow = run.frames;
	box(run.left, run.right - run.left, run.level, 'narrow', group);
	return group;
}

/* Everything whose size or position depends on the width or on the zoom. */
export function draw() {
	const outer = Math.max(svg.getBoundingClientRect().width, 120);
	const width = outer - 2 * MARGIN;
	const was = drawn.has(state.zoom) ? rowTop(tree.level[state.zoom]) : -1;
	const focused = layer.contains(document.activeElement);
	const seen = visible(state.zoom, MARGIN, width);

	place.width = width;
	place.status = outer < (data.diff ? WIDER : WIDE) ? 42 : 26;
	place.top = drawHead(outer);
	if (data.inverted)
		place.top = drawLegend(outer, place.top - 8);
	place.levels = levelsOf(seen, width);
	crop(outer);

	const content = document.createDocumentFragment();
	setDrawn(new Map(), []);
	for (const run of seen.runs.filter(one => one.level < place.levels))
		content.appendChild(drawNarrow(run));
	for (const item of seen.items.filter(one => one.level < place.levels)) {
		const group = drawFrame(item);
		drawn.set(item.frame, group);
		(rows[item.level] ||= []).push(item.frame);
		content.appendChild(group);
	}
	layer.replaceChildren(content);
	const bottom = place.top + place.levels * ROW;
	svg.setAttribute('height',
		(data.inverted ? bottom + 8 : drawLegend(outer, bottom)) + place.status);
	moveTo(drawn.has(current) ? current : state.zoom, focused);
	if (alone && was >= 0)
		window.scrollBy(0, rowTop(tree.level[state.zoom]) - was);
	paint();
	stick();
}

/* Number of levels to leave room for.  The outermost frame keeps its position when a zoom needs
 * fewer, unless the whole picture is higher than the window. */
function levelsOf(seen, width) {
	const count = picture =>
		picture.items.concat(picture.runs).reduce((most, item) => Math.max(most, item.level + 1), 1);
	const needed = count(seen);
	if (data.inverted || state.zoom === 0)
		return needed;
	const whole = count(visible(0, MARGIN, width));
	return Math.max(needed, Math.min(whole, alone ? roomBelow(place.top) : whole));
}

/* Draws title and tools; returns where the frames begin. */
function drawHead(outer) {
	const needed = TOOLS + (tools.view ? MENU : 0);
	const wide = outer >= WIDE + needed - TOOLS;
	const room = outer - 2 * MARGIN - (wide ? needed : 0);
	let bottom = 42;
	clip(heading, Math.max(room, 200));
	if (notes)
		bottom += 18 * wrap(notes, outer - 2 * MARGIN, NOTES);
	tools.width = wide ? needed : outer;
	tools.top = wide ? 8 : bottom - 4;
	tools.bar.classList.toggle('below', !wide);
	tools.title.textContent = wide ? heading.whole : '';
	return wide ? bottom : bottom + 30;
}

/* Breaks a text into lines, at most `most`.  Returns how many. */
function wrap(node, room, most) {
	node.whole ??= node.textContent;
	const words = node.whole.split(' ');
	let count = 0;
	node.replaceChildren();
	while (words.length && count < most) {
		const line = element(SVG, 'tspan', { x: MARGIN, dy: count ? 18 : 0 }, node);
		let taken = 1;
		line.textContent = words[0];
		while (taken < words.length && count + 1 < most) {
			line.textContent = words.slice(0, taken + 1).join(' ');
			if (line.getComputedTextLength() > room)
				break;
			taken++;
		}
		if (count + 1 === most)
			taken = words.length;
		line.textContent = words.splice(0, taken).join(' ');
		clip(line, room);
		line.textContent += words.length ? ' ' : '';
		count++;
	}
	return count;
}

function clip(node, room) {
	node.whole ??= node.textContent;
	node.textContent = node.whole;
	for (let keep = node.whole.length - 1; keep > 0 && node.getComputedTextLength() > room;)
		node.textContent = node.whole.slice(0, keep = Math.floor(keep * 0.95)) + '..';
}

/* Draws the legend in as many lines as needed.  Returns where it ends. */
function drawLegend(outer, top) {
	const [title, ...entries] = (ratio || data).legend;
	let left = MARGIN;
	let row = 0;
	legend.replaceChildren();
	legend.setAttribute('transform', 'translate(0 ' + (top + 12) + ')');
	for (const [mark, text] of title ? [['', title], ...entries] : entries) {
		const words = element(SVG, 'text', {}, legend);
		const indent = mark ? 16 : 0;
		words.textContent = text;
		clip(words, outer - 2 * MARGIN - indent);
		const width = indent + words.getComputedTextLength();
		if (left > MARGIN && left + width > outer - MARGIN) {
			left = MARGIN;
			row++;
		}
		if (mark)
			element(SVG, 'rect', {
				class: mark, x: left, y: row * ROW, width: 11, height: 11, rx: 2,
			}, legend);
		words.setAttribute('x', left + indent);
		words.setAttribute('y', row * ROW + 9.5);
		left += width + 16;
	}
	return top + (entries.length ? 34 + row * ROW : 8);
}

/* Everything that depends on the search. */
export function paint() {
	for (const [frame, group] of drawn) {
		const hit = hits !== null && hits[tree.name[frame]] === 1;
		if (hit !== group.hit)
			group.classList.toggle('match', hit);
		if (hit !== group.hit)
			group.rect.setAttribute('class', hit ? 'found' : group.colour);
		group.hit = hit;
	}
	tools.reset.hidden = state.zoom === 0;
	tools.input.classList.toggle('bad', problem !== '');
	tools.input.setAttribute('aria-invalid', problem !== '');
	tools.fold.setAttribute('aria-pressed', state.ignoreCase);
	tools.search.textContent = state.search ? 'Reset search' : 'Search';
	status.matched.classList.toggle('problem', problem !== '');
	status.matched.textContent = problem || matchedText();
	tell(null);
}

function matchedText() {
	if (!hits)
		return '';
	const all = share(matchedValue(0), data.total);
	if (state.zoom === 0)
		return 'Matched: ' + all + walkText();
	return 'Matched: ' + share(matchedValue(state.zoom), tree.total[state.zoom]) + ' here, ' + all + ' of all' + walkText();
}

/* The browser's tooltip; made when the pointer comes, since most frames never need one. */
export function entitle(group) {
	if (group.querySelector('title'))
		return;
	const title = document.createElementNS(SVG, 'title');
	title.textContent = group.narrow === undefined ? describe(group.frame) :
		group.narrow + (group.narrow === 1 ? ' frame' : ' frames') + ' too narrow to draw';
	group.prepend(title);
}

/* Describes the frame at the pointer, otherwise the keyboard's frame, otherwise the zoomed one. */
export function tell(frame) {
	if (frame === null)
		frame = layer.contains(document.activeElement) ? current : state.zoom;
	status.details.textContent = describe(frame);
}

/* The bars stay in the window while the picture scrolls below them; then the title moves with the
 * upper one. */
export function stick() {
	const height = Number(svg.getAttribute('height'));
	const outer = svg.getBoundingClientRect().width;
	const top = alone ? window.scrollY : 0;
	const bottom = alone ? Math.min(height, top + window.innerHeight) : height;
	const stuck = top + 8 > tools.top;
	tools.bar.classList.toggle('stuck', stuck);
	tools.title.hidden = !stuck || !tools.title.textContent;
	tools.holder.setAttribute('width', stuck ? outer : tools.width);
	tools.holder.setAttribute('x', stuck ? 0 : outer - tools.width);
	tools.holder.setAttribute('y', stuck ? top : tools.top);
	status.holder.setAttribute('y', bottom - place.status);
	status.holder.setAttribute('height', place.status);
	status.details.style.setProperty('--lines', place.status > 26 ? 2 : 1);
}

/* In a fixed-width font one measurement gives the width of every name. */
export function measureCell() {
	const sample = element(SVG, 'text', {}, layer);
	sample.textContent = 'm'.repeat(50);
	const width = sample.getComputedTextLength() / 50;
	sample.remove();
	return width || 6.65;
}

/* Show the whole picture; the visible part keeps its position.  False if it was whole already. */
export function uncrop() {
	if (!place.above)
		return false;
	keepWhole();
	draw();
	return true;
}
