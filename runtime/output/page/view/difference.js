/*
 * The page of a comparison.
 */
import { share } from '../../graph/graph_words.js';
import { compute, decode, PARTS, START } from '../model/difference_data.js';
import { drawFlame, makeFlame } from './difference_flame.js';
import { actionOf, escape, KEYS } from './difference_keys.js';
import { makeHeader, makeMeasures, makeTools } from './difference_measures.js';
import { drawTable, makeTable } from './difference_table.js';
import { tellWhere, watchFrames, watchRows } from './difference_told.js';
import { make, page } from './page_elements.js';
import { drawSearch, showMatched } from './page_help.js';
import { start } from './page_start.js';
import { setProfile, state, sum } from '../model/page_state.js';

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
	escape, actionOf, draw, ready() {} });
