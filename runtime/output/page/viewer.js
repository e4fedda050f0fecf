/*
 * Starts the page: reads the data, builds the page, and draws it again when the state changes.
 */
import { profile, state, sum } from './page_state.js';
import { decode } from './viewer_data.js';
import { make, makeStatus } from './viewer_elements.js';
import { drawFlame, makeFlame } from './viewer_flame.js';
import { chooseFrames } from './viewer_frames.js';
import { listen, makeHelp } from './viewer_help.js';
import { actionOf, escape, KEYS, onTimeKey } from './viewer_keys.js';
import { compileSearch } from './viewer_layout.js';
import { defineState } from './viewer_link.js';
import { eventsOf, once, prepare, recycle, sumsOf, valuesOf } from './viewer_model.js';
import { makeMoments, updateMoments } from './viewer_moments_bar.js';
import { drawMatched, drawTools, makeHeader, makeTools } from './viewer_page.js';
import { palettes, readRules, refreshColours } from './viewer_palette.js';
import { drawSource, makeSource } from './viewer_source.js';
import {
	consistent, everything, PARTS, searchKeys, selectedRange, START, sumKeys, valueKeys,
} from './viewer_state.js';
import { drawTable, makeTable } from './viewer_table.js';
import { drawTime, makeTime } from './viewer_time.js';
import { matchedNodes, matchedValue } from './viewer_tree.js';
import { readProfile } from './viewer_unpack.js';

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
	refreshColours();
	compute();
	drawTools();
	drawTime();
	drawFlame();
	drawTable();
	drawSource();
	updateMoments();
	drawMatched();
	document.body.dataset.drawn = Number(document.body.dataset.drawn || 0) + 1;
}

function build() {
	const { body } = document;
	readRules(document.getElementById('palette').sheet.cssRules, palettes.light);
	defineState(START, PARTS, consistent, draw);
	makeHeader(body);
	makeTools();
	const main = make('main', {}, body);
	makeTime(main, onTimeKey);
	const lower = make('div', { class: 'lower' }, main);
	makeFlame(lower);
	const side = make('div', { class: 'side' }, lower);
	makeTable(side);
	makeSource(side);
	makeStatus(body);
	makeHelp(body, KEYS);
	listen({ escape, actionOf });
	draw();
	if (profile.hasTime)
		setTimeout(makeMoments);
}

async function begin() {
	try {
		prepare(await readProfile(decode));
		document.getElementById('profile').remove();
	} catch (error) {
		make('p', { class: 'failure', role: 'alert' }, document.body, error.message);
		return;
	}
	build();
}

begin();
