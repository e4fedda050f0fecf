/*
 * A flame graph on a canvas.  The root is above its callees.  One element, which follows the
 * keyboard, tells assistive technology about the current frame.  The page says what is drawn, in
 * which colours, what a frame's words are, and what a click does.
 */
import { make, makeButton } from '../../graph/graph_common.js';
import { labelFor, plain } from '../../graph/graph_words.js';
import { apply, profile, sum } from '../model/page_state.js';
import { classColour, makeChoice, makeEntry, MONO, pageColour, place, sized, tell } from './page_elements.js';

export const ROW = 18;          // pixels from one level to the next
export const BLACK = '#000';    // of labels on strong colours, whether the page is light or dark
export const flame = { items: [], runs: [], rows: [], at: null, cell: 6.65, top: null, picture: null };

/* The panel of the flame graph.  `choice` are the arguments of makeChoice(), for the buttons of the page.
 * Of a frame, describe() gives the words and click() does what a click on it does besides zooming.
 * onKey() is for the keys of this page alone, which `keys` names, and returns whether it is one of them. */
export function makeCanvas(body, choice, keys, { describe, click, onKey }) {
	const panel = make('section', { class: 'flame', 'aria-label': 'Flame graph' }, body);
	const bar = make('div', { class: 'bar' }, panel);
	Object.assign(flame, { panel, describe, click, onKey, choice: makeChoice(bar, ...choice) });
	flame.reset = makeButton(bar, 'Reset zoom', 'Show everything (Esc)', () => apply({ zoom: [] }, 'push'));
	flame.title = make('div', { class: 'focus' }, bar);
	flame.box = make('div', {
		class: 'frames', tabindex: '0', role: 'tree', 'aria-activedescendant': 'frame',
		'aria-label': 'Frames; arrow keys move, Enter zooms' + (keys ? ', ' + keys : ''),
	}, panel);
	flame.canvas = make('canvas', { 'aria-hidden': 'true' }, flame.box);
	flame.marker = make('div', { id: 'frame', role: 'treeitem', class: 'marker' }, flame.box);
	const context = flame.canvas.getContext('2d');
	context.font = '11px ' + MONO;
	flame.cell = context.measureText('m'.repeat(50)).width / 50 || 6.65;
	flame.legend = make('div', { class: 'legend', role: 'group', 'aria-label': 'Colours' }, panel);
	flame.canvas.addEventListener('click', event => clickItem(itemAt(...place(event, flame.canvas))));
	flame.canvas.addEventListener('pointermove', event => hoverFrame(...place(event, flame.canvas)));
	flame.canvas.addEventListener('pointerleave', () => tell(''));
	flame.box.addEventListener('keydown', onFlameKey);
	flame.box.addEventListener('focus', () => moveMarker(flame.at || flame.items[0], true));
	flame.box.addEventListener('blur', () => moveMarker(flame.at, false));
}

/* What the colours mean: a title, [class, text] of each, and more words; the texts may be empty. */
export function drawLegend(title, entries, more) {
	flame.legend.replaceChildren();
	if (title)
		make('span', {}, flame.legend, title);
	for (const [mark, text] of entries)
		makeEntry(flame.legend, 'entry', classColour(mark), text);
	if (more)
		make('span', {}, flame.legend, more);
}

function clickItem(item) {
	if (!item)
		return;
	flame.at = item;
	flame.click(item.frame);
}

export function canvasWidth() {
	return Math.max(flame.box.clientWidth, 120);
}

export function isFound(item) {
	return Boolean(sum.hits && sum.hits[item.frame.name]);
}

/* Draw the items and runs of a scene.  `colour` gives an item's colour, and that of its label if it is
 * another one than usual, `more` draws on it, and `chosen` says whether it has an outline. */
export function paintScene(made, colour, more, chosen) {
	const context = sized(flame.canvas, canvasWidth(), made.rows * ROW + 1);
	Object.assign(flame, made, { byRow: [] });
	for (const run of flame.runs) {
		context.fillStyle = pageColour('narrow');
		context.fillRect(run.left, run.row * ROW, run.right - run.left, ROW - 1);
	}
	context.font = '11px ' + MONO;
	context.textBaseline = 'middle';
	for (const item of flame.items) {
		const width = item.width > 2.5 ? item.width - 0.5 : item.width;
		(flame.byRow[item.row] ||= []).push(item);
		context.globalAlpha = item.faded ? 0.5 : 1;
		const [fill, ink] = isFound(item) ? [pageColour('found'), BLACK] : colour(item);
		context.fillStyle = fill;
		context.fillRect(item.left, item.row * ROW, width, ROW - 1);
		more(context, item, width);
		context.globalAlpha = item.faded ? 0.8 : 1;
		if (chosen(item)) {
			context.strokeStyle = pageColour('chosen');
			context.lineWidth = 2;
			context.strokeRect(item.left + 1, item.row * ROW + 1, Math.max(width - 2, 1), ROW - 3);
		}
		drawLabel(context, item, ink ?? pageColour('ink'));
		context.globalAlpha = 1;
	}
	for (const row of flame.byRow)
		if (row)
			row.sort((a, b) => a.left - b.left);
}

function drawLabel(context, item, ink) {
	const text = labelFor(plain(profile.head.names[item.frame.name]), Math.floor((item.width - 6) / flame.cell));
	if (!text)
		return;
	context.fillStyle = ink;
	context.fillText(text, item.left + 3, item.row * ROW + ROW / 2);
}

/* After a scene was drawn: the marker stays at its frame, or goes to `otherwise`. */
export function keepMarker(otherwise) {
	const was = flame.at;
	flame.at = was && flame.items.find(item => item.frame === was.frame) ||
		flame.items.find(item => item.frame === otherwise) || null;
	moveMarker(flame.at, document.activeElement === flame.box);
}

export function itemAt(x, y) {
	const row = flame.byRow[Math.floor(y / ROW)] || [];
	let low = 0;
	let high = row.length;
	while (low < high) {
		const middle = (low + high) >> 1;
		if (row[middle].left + row[middle].width <= x)
			low = middle + 1;
		else
			high = middle;
	}
	return row[low] && row[low].left <= x ? row[low] : null;
}

function hoverFrame(x, y) {
	const item = itemAt(x, y);
	flame.canvas.style.cursor = item ? 'pointer' : '';
	tell(item ? flame.describe(item.frame) : '');
	flame.canvas.title = '';
}

/* The marker is where the keyboard is; `aloud`: say what is there. */
function moveMarker(item, aloud) {
	flame.marker.hidden = !item;
	if (!item)
		return;
	flame.at = item;
	Object.assign(flame.marker.style, {
		left: item.left + 'px', top: item.row * ROW + 'px',
		width: Math.max(item.width, 3) + 'px', height: ROW - 1 + 'px',
	});
	flame.marker.setAttribute('aria-label', flame.describe(item.frame));
	flame.marker.setAttribute('aria-level', item.row + 1);
	if (aloud)
		tell(flame.describe(item.frame));
}

/* The neighbour of the marked frame in a direction. */
function neighbour(key) {
	const { at, byRow } = flame;
	const row = byRow[at.row] || [];
	const i = row.indexOf(at);
	if (key === 'ArrowLeft')
		return row[i - 1];
	if (key === 'ArrowRight')
		return row[i + 1];
	const other = (byRow[at.row + (key === 'ArrowDown' ? 1 : -1)] || []).filter(item =>
		item.left < at.left + at.width - 0.01 && item.left + item.width > at.left + 0.01);
	return other.reduce((best, item) => !best || item.width > best.width ? item : best, undefined);
}

function onFlameKey(event) {
	if (event.ctrlKey || event.metaKey || event.altKey || !flame.at)
		return;
	if (event.key.startsWith('Arrow')) {
		const item = neighbour(event.key);
		if (item)
			moveMarker(item, true);
		flame.marker.scrollIntoView({ block: 'nearest' });
	} else if (event.key === 'Enter' || event.key === ' ') {
		clickItem(flame.at);
	} else if (!flame.onKey(event.key)) {
		return;
	}
	event.preventDefault();
	event.stopPropagation();
}
