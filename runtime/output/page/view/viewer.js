/*
 * The page of a profile: its head, the tools that choose what is shown, and its parts in their order.
 */
import { make, makeButton } from '../../graph/graph_common.js';
import { share } from '../../graph/graph_words.js';
import { compileSearch } from '../model/page_layout.js';
import { apply, profile, state, sum } from '../model/page_state.js';
import { decode } from '../model/viewer_data.js';
import { chooseFrames, frameEntries } from '../model/viewer_frames.js';
import {
	canHaveOff, eventsOf, once, prepare, recycle, searchKeys, sumKeys, sumsOf, valueKeys,
	valuesOf,
} from '../model/viewer_model.js';
import { ratioOf } from '../model/viewer_ratio.js';
import { consistent, everything, PARTS, selectedRange, START } from '../model/viewer_state.js';
import { durationText, nsAt, wallText } from '../model/viewer_times.js';
import { matchedNodes, matchedValue } from '../model/viewer_tree.js';
import { fillSelect, makeSelect, page } from './page_elements.js';
import { drawSearch, makeHead, makeSearch, showMatched, start } from './page_start.js';
import { drawFlame, makeFlame } from './viewer_flame.js';
import { actions, KEYS, narrowings, onTimeKey } from './viewer_keys.js';
import { makeMoments, updateMoments } from './viewer_moments_bar.js';
import { drawSource, makeSource } from './viewer_source.js';
import { drawTable, makeTable } from './viewer_table.js';
import { drawTime, makeTime } from './viewer_time.js';

function makeHeader(body) {
	const { head } = profile;
	const facts = [head.command, head.host && 'on ' + head.host,
		head.realtimeMs && wallText(0, 1e9, true) + ' UTC', profile.hasTime && durationText(nsAt(profile.length))];
	makeHead(body, head.title || 'Profile', [['facts', facts.filter(Boolean).join(' \u00b7 ')],
		...head.notes.map(note => ['note', note])]);
}

function makeTools() {
	const bar = page.tools;
	page.counter = makeSelect(bar, 'Counter', value =>
		apply({ counter: Number(value), off: true }, 'push'));
	page.ratio = makeSelect(bar, 'Colour', value =>
		apply({ ratio: value ? value.split('.').map(Number) : null }, 'push'));
	page.frames = makeSelect(bar, 'Frames', value => apply({ frames: value, zoom: [] }, 'push'));
	page.off = makeButton(bar, 'Off-CPU', 'Count the time off the processor too (O)',
		() => apply({ off: !state.off }, 'push'));
	makeSearch(bar);
}

function counterEntries() {
	return profile.head.counters.map((one, i) => [String(i), one.name]);
}

function ratioEntries() {
	const { counters } = profile.head;
	const pairs = [['', 'Colour: kind of code']];
	counters.forEach((of, i) => counters.forEach((by, k) => {
		if (i !== k && !of.offCpu && !by.offCpu)
			pairs.push([i + '.' + k, 'Colour: ' + ratioOf([i, k]).title]);
	}));
	return pairs;
}

function drawTools() {
	const several = profile.head.counters.length > 1;
	fillSelect(page.counter, counterEntries(), String(state.counter));
	page.counter.hidden = !several;
	const ratios = ratioEntries();
	fillSelect(page.ratio, ratios, state.ratio ? state.ratio.join('.') : '');
	page.ratio.hidden = ratios.length < 2;
	const kinds = frameEntries();
	fillSelect(page.frames, kinds, state.frames);
	page.frames.hidden = kinds.length < 2;
	page.off.hidden = !canHaveOff(state.counter);
	page.off.setAttribute('aria-pressed', state.off);
	drawSearch();
}

function drawMatched() {
	showMatched(() => share(sum.matched, sum.now.all) + (everything() ? '' : ' of the selection'));
}

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

start({ decode, prepare, state: { start: START, parts: PARTS, consistent }, build, keys: KEYS, narrowings, actions, draw, ready });
