/*
 * The state of the picture (view, zoomed frame, search) in the URL's fragment:
 * #c=VIEW&x=LEFT&y=LEVEL&s=PATTERN&i=1, where a view is a counter or a ratio by name.  Only apply()
 * changes the state, and the screen is updated from it.  A graph inside a page does not use the page's
 * URL.
 */
import { readLink, storeLink } from './graph_common.js';
import { draw, paint, uncrop } from './graph_draw.js';
import { alone, notes, setCurrent, setDrawn, svg, tools } from './graph_elements.js';
import {
	compile, data, follow, ratio, setState, showCounter, state, stopWalk, tree, treeOf,
	viewsOf,
} from './graph_model.js';

export const counters = [JSON.parse(
	[...svg.querySelectorAll('.data')].map(one => one.textContent).join(''))].flat();
export const views = viewsOf(counters);
const first = counters[0].byRatio ? counters.length : 0;

setState({ ...state, view: first });
showCounter(counters[0], null);

/* Change the state: store it in the URL as a new step of history or in place of the last one
 * ('push', 'replace'), or leave the URL as it is (''). */
export function apply(change, history) {
	const other = change.view !== undefined && change.view !== state.view;
	const searched = other || (change.search ?? state.search) !== state.search ||
		(change.ignoreCase ?? state.ignoreCase) !== state.ignoreCase;
	const redraw = other || (change.zoom !== undefined && change.zoom !== state.zoom);
	setState(Object.assign({}, state, change));
	if (other)
		show(state.view);
	if (redraw)
		setCurrent(state.zoom);
	if (tools.input.value !== state.search)
		tools.input.value = state.search;
	if (searched) {
		stopWalk();
		compile();
	}
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
export function show(view) {
	showCounter(counters[views[view].counter], views[view].ratio);
	setDrawn(new Map(), []);
	if (notes && data.notes !== undefined)
		notes.whole = data.notes + (ratio ? '; colour: ' + ratio.title : '');
	if (tools.view)
		tools.view.value = view;
}

/* Change to another view, at the same frame if the view has it. */
export function choose(view) {
	const packed = counters[views[view].counter];
	const path = [];
	for (let frame = state.zoom; frame > 0; frame = tree.parent[frame])
		path.unshift(data.names[tree.name[frame]]);
	apply({ view, zoom: packed === data ? state.zoom : follow(path, packed) }, 'push');
}

function remember(how) {
	const { view, zoom, search, ignoreCase } = state;
	storeLink([['c', view === first ? '' : views[view].label], ['x', zoom ? String(tree.left[zoom]) : ''],
		['y', zoom ? String(tree.level[zoom]) : ''], ['s', search], ['i', ignoreCase ? '1' : '']], how);
}

/* The state in the URL; a frame that does not exist means the whole picture. */
export function recall() {
	const asked = readLink();
	const found = views.findIndex(one => one.label === asked.c);
	const view = found < 0 ? first : found;
	const there = treeOf(counters[views[view].counter]);
	let zoom = 0;
	for (let i = 0; asked.y > 0 && zoom === 0 && i < there.count; i++)
		if (there.level[i] === Number(asked.y) && there.left[i] === Number(asked.x))
			zoom = i;
	return { view, zoom, search: asked.s || '', ignoreCase: asked.i === '1' };
}
