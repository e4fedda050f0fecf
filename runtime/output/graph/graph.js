/*
 * The script inside a flame graph: state, URL, search, keyboard.
 *
 * The state (view, zoomed frame, search) is in the URL's fragment:
 * #c=VIEW&x=LEFT&y=LEVEL&s=PATTERN&i=1, where a view is a counter or a ratio by name. Only apply()
 * changes the state, and the screen is updated from it.  A graph inside a page does not use the
 * page's URL and keys.
 */
const svg = document.currentScript.closest('svg.flametrap');
const alone = svg === document.documentElement;
const counters = [JSON.parse(
	[...svg.querySelectorAll('.data')].map(piece => piece.textContent).join(''))].flat();
const views = viewsOf(counters);
const first = counters[0].byRatio ? counters.length : 0;
let data = counters[0];  // of the counter that is shown
let ratio = null;        // the ratio that colours the frames
let tree = treeOf(data);
const layer = svg.querySelector('.frames');
const legend = svg.querySelector('.legend');
const heading = svg.querySelector('.heading');
const notes = svg.querySelector('.notes');

let state = { view: first, zoom: 0, search: '', ignoreCase: false };
let hits = null;         // by name: whether it matches; null: no search
let problem = '';        // the error in the pattern
let drawn = new Map();   // frame -> its element
let rows = [];           // level -> frames drawn there, from the left
let current = 0;         // the frame that the keyboard has selected
const place = { top: 0, levels: 1, status: 26, cell: 6.65 };

function compile() {
	hits = null;
	problem = '';
	stopWalk();
	try {
		hits = find(state.search, state.ignoreCase);
	} catch (error) {
		problem = 'Not a regular expression: ' + error.message.replace(/^.*: /, '');
	}
}

/* Change the state: store it in the URL as a new step of history or in place of the last one
 * ('push', 'replace'), or leave the URL as it is (''). */
function apply(change, history) {
	const other = change.view !== undefined && change.view !== state.view;
	const searched = other || (change.search ?? state.search) !== state.search ||
		(change.ignoreCase ?? state.ignoreCase) !== state.ignoreCase;
	const redraw = other || (change.zoom !== undefined && change.zoom !== state.zoom);
	state = Object.assign({}, state, change);
	if (other)
		show(state.view);
	if (redraw)
		current = state.zoom;
	if (tools.input.value !== state.search)
		tools.input.value = state.search;
	if (searched)
		compile();
	if (history && alone)
		remember(history);
	if (state.search)
		uncrop();
	if (redraw)
		draw();
	else
		paint();
}

/* Set data, tree and ratio to those of a view; drawn frames are then numbers of another tree. */
function show(view) {
	data = counters[views[view].counter];
	ratio = views[view].ratio;
	tree = treeOf(data);
	drawn = new Map();
	rows = [];
	if (notes && data.notes !== undefined)
		notes.whole = data.notes + (ratio ? '; colour: ' + ratio.title : '');
	if (tools.view)
		tools.view.value = view;
}

/* Change to another view, at the same frame if the view has it. */
function choose(view) {
	const packed = counters[views[view].counter];
	const path = [];
	for (let frame = state.zoom; frame > 0; frame = tree.parent[frame])
		path.unshift(data.names[tree.name[frame]]);
	apply({ view, zoom: packed === data ? state.zoom : follow(path, packed) }, 'push');
}

function remember(how) {
	const parts = [];
	if (state.view !== first)
		parts.push('c=' + encodeURIComponent(views[state.view].label));
	if (state.zoom)
		parts.push('x=' + tree.left[state.zoom], 'y=' + tree.level[state.zoom]);
	if (state.search)
		parts.push('s=' + encodeURIComponent(state.search));
	if (state.ignoreCase)
		parts.push('i=1');
	const url = location.href.replace(/#.*$/s, '') + '#' + parts.join('&');
	try {
		window.history[how + 'State'](null, '', url);
	} catch (error) {
		location.replace(url); // the document may not change its history
	}
}

/* The state in the URL; a frame that does not exist means the whole picture. */
function recall() {
	const asked = {};
	for (const part of location.hash.slice(1).split('&')) {
		const at = part.indexOf('=');
		try {
			asked[part.slice(0, at)] = decodeURIComponent(part.slice(at + 1));
		} catch (error) {
			// a damaged link: ignore this part
		}
	}
	const found = views.findIndex(one => one.label === asked.c);
	const view = found < 0 ? first : found;
	const there = treeOf(counters[views[view].counter]);
	let zoom = 0;
	for (let i = 0; asked.y > 0 && zoom === 0 && i < there.count; i++)
		if (there.level[i] === Number(asked.y) && there.left[i] === Number(asked.x))
			zoom = i;
	return { view, zoom, search: asked.s || '', ignoreCase: asked.i === '1' };
}

/* Make a frame the target of the Tab key. */
function moveTo(frame, focus) {
	drawn.get(current)?.setAttribute('tabindex', -1);
	current = frame;
	const group = drawn.get(frame);
	group.setAttribute('tabindex', 0);
	if (focus)
		group.focus({ preventScroll: false });
}

function arrow(key) {
	const row = rows[tree.level[current]];
	const at = row.indexOf(current);
	const outwards = data.inverted ? 'ArrowUp' : 'ArrowDown';
	if (key === 'ArrowLeft')
		return row[at - 1];
	if (key === 'ArrowRight')
		return row[at + 1];
	if (key === outwards)
		return tree.parent[current] >= 0 ? tree.parent[current] : undefined;
	let widest;
	for (const frame of rows[tree.level[current] + 1] || [])
		if (tree.parent[frame] === current &&
		    (widest === undefined || tree.total[frame] > tree.total[widest]))
			widest = frame;
	return widest;
}

function onFrameKey(event) {
	if (event.ctrlKey || event.metaKey || event.altKey)
		return;
	if (event.key === 'Enter' && walking) {
		nextMatch(event.shiftKey ? -1 : 1);
	} else if (event.key === 'Enter' || event.key === ' ') {
		apply({ zoom: current }, 'push');
	} else if (event.key.startsWith('Arrow')) {
		walking = false;
		let frame = arrow(event.key);
		if (frame === undefined && uncrop())
			frame = arrow(event.key);
		if (frame !== undefined)
			moveTo(frame, true);
	} else {
		return;
	}
	event.preventDefault();
}

function toggleSearch() {
	if (state.search) {
		apply({ search: '' }, 'push');
	} else {
		tools.input.focus();
		tools.input.select();
	}
}

function onKey(event) {
	const control = event.ctrlKey || event.metaKey;
	const typing = event.target === tools.input;
	resting = true;
	if (!typing && (event.key === 'PageUp' || event.key === 'Home'))
		uncrop();
	if (event.target === tools.view && !control && event.key !== 'F3')
		return;
	if (event.key === 'F3' || (control && event.key === 'f'))
		toggleSearch();
	else if (control && event.key === 'i')
		apply({ ignoreCase: !state.ignoreCase }, 'push');
	else if (event.key === 'Escape' && (state.search || typing))
		leaveSearch();
	else if (event.key === 'Escape' && state.zoom)
		apply({ zoom: 0 }, 'push');
	else if (typing && event.key === 'Enter')
		overview();
	else if (!typing && !control && hits && (event.key === 'n' || event.key === 'N'))
		nextMatch(event.shiftKey ? -1 : 1);
	else
		return;
	event.preventDefault();
}

function leaveSearch() {
	apply({ search: '' }, 'push');
	tools.input.blur();
}

function frameOf(event) {
	const group = event.target.closest('g');
	return group && layer.contains(group) && group.frame !== undefined ? group.frame : null;
}

function button(text, title, bar) {
	const made = element(XHTML, 'button', { type: 'button', title }, bar);
	made.textContent = text;
	return made;
}

function makeMenu(bar) {
	const title = data.diff ? 'Widths' : 'Counter';
	const menu = element(XHTML, 'select', { 'aria-label': title, title }, bar);
	const ratios = views.length > counters.length ?
		element(XHTML, 'optgroup', { label: 'Coloured by a ratio' }, null) : null;
	views.forEach((one, i) => {
		const option = element(XHTML, 'option', { value: i }, one.ratio ? ratios : menu);
		option.textContent = one.label;
	});
	if (ratios)
		menu.appendChild(ratios);
	menu.addEventListener('change', () => choose(Number(menu.value)));
	return menu;
}

function makeTools() {
	const holder = element(SVG, 'foreignObject', { class: 'chrome tools-holder', height: 42 }, svg);
	const bar = element(XHTML, 'div', { class: 'bar tools' }, holder);
	const title = element(XHTML, 'div', { class: 'title', 'aria-hidden': 'true' }, bar);
	const view = views.length > 1 ? makeMenu(bar) : null;
	const reset = button('Reset zoom', 'Show everything (Esc)', bar);
	const input = element(XHTML, 'input', {
		type: 'text', placeholder: 'regular expression', spellcheck: 'false',
		title: 'Enter keeps the overview; Enter again, or N: the next match, widest first',
		'aria-label': 'Search frames by regular expression',
	}, bar);
	const fold = button('ic', 'Ignore case (Ctrl-I)', bar);
	const search = button('Search', 'Search (Ctrl-F); again: reset', bar);
	fold.setAttribute('aria-label', 'Ignore case');
	reset.addEventListener('click', () => apply({ zoom: 0 }, 'push'));
	search.addEventListener('click', toggleSearch);
	fold.addEventListener('click', () => apply({ ignoreCase: !state.ignoreCase }, 'push'));
	input.addEventListener('input', () =>
		apply({ search: input.value }, state.search ? 'replace' : 'push'));
	return { holder, bar, title, view, reset, input, fold, search, top: 8 };
}

function makeStatus() {
	const holder = element(SVG, 'foreignObject', {
		class: 'chrome', x: 0, width: '100%',
	}, svg);
	const bar = element(XHTML, 'div', { class: 'bar status' }, holder);
	const details = element(XHTML, 'div', { class: 'details' }, bar);
	const matched = element(XHTML, 'div', { class: 'matched', role: 'status' }, bar);
	return { holder, details, matched };
}

function onResize() {
	cancelAnimationFrame(onResize.pending);
	onResize.pending = requestAnimationFrame(draw);
}

const tools = makeTools();
const status = makeStatus();
const more = makeMore();
legend.setAttribute('role', 'group');
legend.setAttribute('aria-label', 'Colours');
svg.removeAttribute('viewBox');
svg.setAttribute('width', '100%');
layer.classList.add('live');
layer.setAttribute('role', 'tree');
layer.setAttribute('aria-label', 'Frames; arrow keys move, Enter or Space zooms, N goes to the next match');
place.cell = measureCell();
if (alone)
	state = recall();
show(state.view);
current = state.zoom;
tools.input.value = state.search;
compile();
cropped &&= state.search === '';
draw();
if (alone && !data.inverted && !place.above)
	window.scrollTo(0, Number(svg.getAttribute('height')));

layer.addEventListener('click', event => {
	walking = false;
	if (frameOf(event) !== null)
		apply({ zoom: frameOf(event) }, 'push');
});
layer.addEventListener('pointerover', event => {
	const group = event.target.closest('g');
	if (group && group !== layer && layer.contains(group))
		entitle(group);
	onPointer(event);
});
layer.addEventListener('pointermove', event => {
	if (resting)
		onPointer(event);
});
layer.addEventListener('pointerleave', onPointer);
layer.addEventListener('focusin', event => {
	if (frameOf(event) !== null) {
		moveTo(frameOf(event), false);
		tell(current);
	}
});
layer.addEventListener('keydown', onFrameKey);
(alone ? window : svg).addEventListener('keydown', onKey);
if (alone) {
	window.addEventListener('popstate', () => apply(recall(), ''));
	window.addEventListener('hashchange', () => apply(recall(), ''));
}
window.addEventListener('resize', onResize);
window.addEventListener('wheel', event => {
	resting = false;
	if (event.deltaY < 0)
		uncrop();
}, { passive: true });
window.addEventListener('beforeprint', () => {
	uncrop();
	// Paper is narrower or wider than the window: the picture is scaled to it unchanged.
	const { width, height } = svg.getBoundingClientRect();
	svg.setAttribute('viewBox', '0 0 ' + width + ' ' + height);
	svg.setAttribute('height', 'auto');
});
window.addEventListener('afterprint', () => {
	svg.removeAttribute('viewBox');
	draw();
});
window.addEventListener('scroll', stick, { passive: true });
