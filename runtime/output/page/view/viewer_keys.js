/* The keyboard, and the list of keys. */
import { apply, drawSoon, profile, state } from '../model/page_state.js';
import { nextFrames } from '../model/viewer_frames.js';
import { everything } from '../model/viewer_state.js';
import { EVERYTHING, panTime, selectTime, time, zoomTime } from './viewer_axis.js';
import { setMode } from './viewer_flame.js';
import { HEAT_HEIGHT, heatTime } from './viewer_heat.js';
import { onLaneKey } from './viewer_lanes.js';
import { nextMoment } from './viewer_moments_bar.js';
import { hoverTime, selectColumn, zoomToSelection } from './viewer_time.js';

export const KEYS = [
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

export function narrowings() {
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

export function actions() {
	return profile.hasTime ? { ...ACTIONS, ...TIME_ACTIONS } : ACTIONS;
}

/* Keys of heatmap and lanes. */
export function onTimeKey(event) {
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
