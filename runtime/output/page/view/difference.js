/* The page of a comparison: its parts and its keys. */
import { make } from '../../graph/graph_common.js';
import { share } from '../../graph/graph_words.js';
import { compute, decode, PARTS, START } from '../model/difference_data.js';
import { apply, setProfile, state, sum } from '../model/page_state.js';
import { drawFlame, makeFlame } from './difference_flame.js';
import { makeHeader, makeMeasures, makeTools } from './difference_measures.js';
import { drawTable, makeTable } from './difference_table.js';
import { tellWhere, watchFrames, watchRows } from './difference_words.js';
import { page } from './page_elements.js';
import { drawSearch, showMatched, start } from './page_start.js';

const KEYS = [
	['Anywhere', [
		['/ or Ctrl-F', 'search; Esc leaves'], ['Ctrl-I', 'ignore case'],
		['W', 'widths: after, before'], ['1, 2', 'values of the functions themselves, with callees'],
		['D', 'light or dark'], ['Esc', 'undo, in this order: help, search, zoom, choice of a function'],
		['Tab', 'next part of the page']]],
	['Flame graph', [
		['Arrows', 'move to caller, callee and siblings'], ['Enter', 'zoom in, and choose the function']]],
	['Table', [
		['Arrows, Page Up, Page Down', 'move'], ['Enter', 'choose the function']]],
];

const ACTIONS = {
	w: () => apply({ side: state.side === 'after' ? 'before' : 'after' }, 'push'),
	1: () => apply({ by: 'self' }, 'push'),
	2: () => apply({ by: 'total' }, 'push'),
};

function narrowings() {
	return [[state.search, { search: '' }], [state.zoom.length, { zoom: [] }], [state.chosen >= 0, { chosen: -1 }]];
}

function drawMatched() {
	const root = sum.counter && sum.counter.root;
	showMatched(root && (() => ['before', 'after'].map(side =>
		share(matchedIn(root, side), root.change[side]) + ' ' + side).join(', ')));
}

/* Value of all matching frames on a side; nested ones count once. */
function matchedIn(root, side) {
	const open = [root];
	let matched = 0;
	while (open.length) {
		const frame = open.pop();
		if (sum.hits[frame.name])
			matched += frame.change[side];
		else
			for (const kid of frame.kids)
				open.push(kid);
	}
	return matched;
}

function draw() {
	compute();
	page.counter.value = String(state.counter);
	drawSearch();
	drawFlame();
	drawTable();
	drawMatched();
	tellWhere();
}

function build(body) {
	body.classList.add('difference');
	makeHeader(body);
	makeTools();
	const main = make('main', {}, body);
	const upper = make('div', { class: 'upper' }, main);
	makeMeasures(upper);
	makeTable(upper);
	makeFlame(main);
	watchFrames();
	watchRows();
}

start({ decode, prepare: setProfile, state: { start: START, parts: PARTS, consistent: wanted => wanted }, build, keys: KEYS,
	narrowings, actions: () => ACTIONS, draw, ready() {} });
