/* The page of a profile: its keys, its head, the tools that choose what is shown, and its parts in order. */
import { make, makeButton } from '../../graph/graph_common.js';
import { share } from '../../graph/graph_words.js';
import { compileSearch } from '../model/page_layout.js';
import { apply, drawSoon, profile, state, sum } from '../model/page_state.js';
import { decode } from '../model/viewer_data.js';
import { chooseFrames, frameEntries, nextFrames } from '../model/viewer_frames.js';
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
import { EVERYTHING, panTime, selectTime, time, zoomTime } from './viewer_axis.js';
import { drawFlame, makeFlame, setMode } from './viewer_flame.js';
import { HEAT_HEIGHT, heatTime } from './viewer_heat.js';
import { onLaneKey } from './viewer_lanes.js';
import { makeMoments, nextMoment, updateMoments } from './viewer_moments_bar.js';
import { drawSource, makeSource } from './viewer_source.js';
import { drawTable, makeTable } from './viewer_table.js';
import { drawTime, hoverTime, makeTime, selectColumn, zoomToSelection } from './viewer_time.js';

const KEYS = [
	['Anywhere', [
		['/ or Ctrl-F', 'search; Esc leaves'], ['Ctrl-I', 'ignore case'], ['H, L', 'heatmap, lanes'],
		['+, \u2212', 'zoom the time in and out'], ['[, ]', 'move to earlier and later times'],
		['0', 'show the whole run'], ['Z', 'zoom to the selected time'],
		['1, 2, 3', 'flame graph, inverted, callers and callees'],
		['O', 'count the time off the processor too'], ['K', 'leave out frames of the kernel, or all but a script\u2019s'],
		['D', 'light or dark'],
		['M', 'select the next unusual moment'],
		['Esc', 'undo, in this order: help, search, callers and callees, zoom, choice of a function, selection'],
		['Tab', 'next part of the page']]],
	['Heatmap and lanes', [
		['Arrows', 'move the cursor'], ['Shift-Arrows', 'select from where the cursor was'],
		['Enter', 'select the column, or the thread; Space opens a group of threads'],
		['Home, End', 'start and end of what is shown']]],
	['Flame graph', [
		['Arrows', 'move to caller, callee and siblings'], ['Enter', 'zoom in'],
		['C', 'callers and callees of the frame']]],
	['Table', [
		['Arrows, Page Up, Page Down', 'move'], ['Enter', 'choose the row'],
		['C', 'callers and callees of the function']]],
	['Mouse', [
		['Drag', 'select a range of time'], ['Click', 'select a column, a thread or a frame'],
		['Wheel', 'zoom the time; with Ctrl over lanes'],
		['Right button on a frame', 'callers and callees']]],
];

function narrowings() {
	return [[state.search, { search: '' }], [state.mode === 'around', { mode: 'down' }],
		[state.zoom.length, { zoom: [] }], [state.chosen >= 0, { chosen: -1 }], [!everything(), EVERYTHING]];
}

const ACTIONS = {
	o: () => apply({ off: !state.off }, 'push'),
	k: nextFrames,
	1: () => setMode('down'),
	2: () => setMode('up'),
	3: () => setMode('around'),
};
const TIME_ACTIONS = {
	h: () => apply({ time: 'heat' }, 'push'),
	l: () => apply({ time: 'lanes' }, 'push'),
	z: zoomToSelection,
	m: nextMoment,
	0: () => apply({ seenFrom: -1, seenTo: -1 }, 'push'),
	'+': () => zoomTime(0.5, null, 'push'),
	'=': () => zoomTime(0.5, null, 'push'),
	'-': () => zoomTime(2, null, 'push'),
	'[': () => panTime(-0.25, 'push'),
	']': () => panTime(0.25, 'push'),
};

function actions() {
	return profile.hasTime ? { ...ACTIONS, ...TIME_ACTIONS } : ACTIONS;
}

/* Keys of heatmap and lanes. */
function onTimeKey(event) {
	if (event.ctrlKey || event.metaKey || event.altKey)
		return;
	const used = state.time === 'lanes' ? onLaneKey(event) : onHeatKey(event);
	if (!used)
		return;
	event.preventDefault();
	event.stopPropagation();
}

function onHeatKey(event) {
	const { heat } = time;
	const count = heat.columns * heat.rows;
	const step = {
		ArrowLeft: -heat.rows, ArrowRight: heat.rows, ArrowUp: 1, ArrowDown: -1, Home: -count, End: count,
	}[event.key];
	const at = time.cursor ?? Math.max(state.from, heat.start);
	const cell = Math.min(Math.max(Math.floor((at - heat.start) / heat.cell + 1e-6), 0), count - 1);
	if (step) {
		const next = time.cursor === null ? cell : Math.min(Math.max(cell + step, 0), count - 1);
		time.anchor = event.shiftKey ? time.anchor ?? cell : null;
		time.cursor = heatTime(heat, next);
		hoverTime('body', time.axis.x(time.cursor + heat.cell / 2), cellMiddle(heat, next));
		if (event.shiftKey)
			selectTime(heatTime(heat, Math.min(time.anchor, next)),
				heatTime(heat, Math.max(time.anchor, next) + 1), 'replace');
		else
			drawSoon();
	} else if (event.key === 'Enter') {
		selectColumn(cell);
	} else {
		return false;
	}
	return true;
}

function cellMiddle(heat, cell) {
	return 1 + HEAT_HEIGHT - (cell % heat.rows + 0.5) * HEAT_HEIGHT / heat.rows;
}

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
