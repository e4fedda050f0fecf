/*
 * The page of a profile.
 */
import { make } from './page_elements.js';
import { compileSearch } from '../model/page_layout.js';
import { start } from './page_start.js';
import { profile, state, sum } from '../model/page_state.js';
import { decode } from '../model/viewer_data.js';
import { drawFlame, makeFlame } from './viewer_flame.js';
import { chooseFrames } from '../model/viewer_frames.js';
import { actionOf, escape, KEYS, onTimeKey } from './viewer_keys.js';
import { eventsOf, once, prepare, recycle, sumsOf, valuesOf } from '../model/viewer_model.js';
import { makeMoments, updateMoments } from './viewer_moments_bar.js';
import { drawMatched, drawTools, makeHeader, makeTools } from './viewer_page.js';
import { drawSource, makeSource } from './viewer_source.js';
import {
	consistent, everything, PARTS, searchKeys, selectedRange, START, sumKeys, valueKeys,
} from '../model/viewer_state.js';
import { drawTable, makeTable } from './viewer_table.js';
import { drawTime, makeTime } from './viewer_time.js';
import { matchedNodes, matchedValue } from '../model/viewer_tree.js';

function compute() {
	chooseFrames();
	const { counter, off, tracks, label } = state;
	const [from, to] = selectedRange();
	sum.values = once('values', [valueKeys()], () => valuesOf(counter, off, tracks, label));
	const before = sum.now;
	sum.now = once('sums', [sumKeys()], () => sumsOf(sum.values, from, to));
	if (before && before !== sum.now && before !== sum.whole)
		recycle(before);
	sum.whole = once('whole', [counter, off], () =>
		everything() ? sum.now : sumsOf(valuesOf(counter, off, null, null), -Infinity, Infinity));
	sum.ratio = state.ratio && once('ratio sums', [sumKeys(), state.ratio], () => ({
		of: eventsOf(state.ratio[0], tracks, label, from, to),
		by: eventsOf(state.ratio[1], tracks, label, from, to),
	}));
	const search = once('search', searchKeys(), compileSearch);
	sum.hits = search.hits;
	sum.problem = search.problem;
	sum.inside = sum.hits && once('inside', searchKeys(), () => matchedNodes(sum.hits));
	sum.matched = sum.hits && once('matched', [sumKeys(), searchKeys()], () =>
		matchedValue(sum.now.self, sum.inside));
}

function draw() {
	compute();
	drawTools();
	drawTime();
	drawFlame();
	drawTable();
	drawSource();
	updateMoments();
	drawMatched();
}

function build(body) {
	makeHeader(body);
	makeTools();
	const main = make('main', {}, body);
	makeTime(main, onTimeKey);
	const lower = make('div', { class: 'lower' }, main);
	makeFlame(lower);
	const side = make('div', { class: 'side' }, lower);
	makeTable(side);
	makeSource(side);
}

function ready() {
	if (profile.hasTime)
		setTimeout(makeMoments);
}

start({ decode, prepare, state: { start: START, parts: PARTS, consistent }, build, keys: KEYS, escape, actionOf, draw, ready });
