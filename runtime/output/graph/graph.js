/*
 * Starts the script inside a flame graph: makes its tools, and listens.  A graph inside a page does not
 * use the page's keys.
 */
import { element, make, makeButton } from './graph_common.js';
import {
	draw, entitle, keepWhole, makeMore, measureCell, stick, tell, uncrop,
} from './graph_draw.js';
import {
	alone, current, frameOf, layer, legend, moveTo, place, setCurrent, status, SVG, svg, tools,
} from './graph_elements.js';
import { onFrameKey, onKey, onPointer, rest, resting, toggleSearch } from './graph_keys.js';
import { apply, choose, counters, recall, show, views } from './graph_link.js';
import { compile, data, pauseWalk, setState, state, stopWalk } from './graph_model.js';

function makeMenu(bar) {
	const title = data.diff ? 'Widths' : 'Counter';
	const menu = make('select', { 'aria-label': title, title }, bar);
	const ratios = views.length > counters.length ? make('optgroup', { label: 'Coloured by a ratio' }, null) : null;
	views.forEach((one, i) => make('option', { value: i }, one.ratio ? ratios : menu, one.label));
	if (ratios)
		menu.appendChild(ratios);
	menu.addEventListener('change', () => choose(Number(menu.value)));
	return menu;
}

function makeTools() {
	const holder = element(SVG, 'foreignObject', { class: 'chrome tools-holder', height: 42 }, svg);
	const bar = make('div', { class: 'bar tools' }, holder);
	const title = make('div', { class: 'title', 'aria-hidden': 'true' }, bar);
	const view = views.length > 1 ? makeMenu(bar) : null;
	const reset = makeButton(bar, 'Reset zoom', 'Show everything (Esc)', () => apply({ zoom: 0 }, 'push'));
	const input = make('input', {
		type: 'text', placeholder: 'regular expression', spellcheck: 'false',
		title: 'Enter keeps the overview; Enter again, or N: the next match, widest first',
		'aria-label': 'Search frames by regular expression',
	}, bar);
	const fold = makeButton(bar, 'ic', 'Ignore case (Ctrl-I)', () => apply({ ignoreCase: !state.ignoreCase }, 'push'));
	const search = makeButton(bar, 'Search', 'Search (Ctrl-F); again: reset', toggleSearch);
	fold.setAttribute('aria-label', 'Ignore case');
	input.addEventListener('input', () =>
		apply({ search: input.value }, state.search ? 'replace' : 'push'));
	return { holder, bar, title, view, reset, input, fold, search, top: 8 };
}

function makeStatus() {
	const holder = element(SVG, 'foreignObject', { class: 'chrome', x: 0, width: '100%' }, svg);
	const bar = make('div', { class: 'bar status' }, holder);
	const details = make('div', { class: 'details' }, bar);
	return { holder, details, matched: make('div', { class: 'matched', role: 'status' }, bar) };
}

function onResize() {
	cancelAnimationFrame(onResize.pending);
	onResize.pending = requestAnimationFrame(draw);
}

Object.assign(tools, makeTools());
Object.assign(status, makeStatus());
makeMore(uncrop);
legend.setAttribute('role', 'group');
legend.setAttribute('aria-label', 'Colours');
svg.removeAttribute('viewBox');
svg.setAttribute('width', '100%');
layer.classList.add('live');
layer.setAttribute('role', 'tree');
layer.setAttribute('aria-label', 'Frames; arrow keys move, Enter or Space zooms, N goes to the next match');
place.cell = measureCell();
if (alone)
	setState(recall());
show(state.view);
setCurrent(state.zoom);
tools.input.value = state.search;
stopWalk();
compile();
if (state.search)
	keepWhole();
draw();
if (alone && !data.inverted && !place.above)
	window.scrollTo(0, Number(svg.getAttribute('height')));

layer.addEventListener('click', event => {
	pauseWalk();
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
	rest(false);
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
