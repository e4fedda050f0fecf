/*
 * The lanes: one row for each thread, grouped by process, busiest first.  Threads that ended, and
 * those that did next to nothing, share a row each, and most of many processes are closed, so that
 * the busy ones stay in view.
 */
import { amount, cellsOf, fit } from '../../graph/graph_words.js';
import { apply, drawSoon, profile, state, sum } from '../model/page_state.js';
import { quantileOf, spreadSpans } from '../model/viewer_bins.js';
import {
	firstAt, once, processName, round, searchKeys, sumsOf, trackName, unitOf, valuesOf,
} from '../model/viewer_model.js';
import { partition, subtreeText } from '../model/viewer_subtrees.js';
import { nsAt, timeText } from '../model/viewer_times.js';
import { classColour, pageColour, sized, tell } from './page_elements.js';
import { marksText, SANS, seen, selectTime, time } from './viewer_axis.js';
import { subtreeColour } from './viewer_colour.js';

const LANE = 17;         // pixels from one row to the next
const LANES_SHOWN = 8;   // threads of a process that have a row of their own at once
const PROCESSES_OPEN = 4;
const LANE_BIN = 2;      // pixels

export function laneGutter(width) {
	return Math.round(Math.min(Math.max(width * 0.17, 120), 260));
}

/* Open or closed: `open` in the state holds the groups that are not as they are at first. */
function isOpen(key, atFirst) {
	return state.open.includes(key) !== atFirst;
}

function toggleLane(row) {
	const open = state.open.includes(row.key) ? state.open.filter(key => key !== row.key) :
		state.open.concat(row.key);
	apply({ open }, 'push');
}

function restRows(list, key, what) {
	if (list.length < 2)
		return list.map(track => ({ kind: 'thread', tracks: [track], label: trackName(track) }));
	const open = isOpen(key, false);
	const row = { kind: 'rest', key, open, tracks: list, label: list.length + ' ' + what };
	return [row, ...open ? list.map(track => ({ kind: 'inner', tracks: [track], label: trackName(track) })) : []];
}

/* Rows of one process: busiest threads, then those that ended, then those that did little. */
function processRows(process, tracks, weight, at) {
	const { head } = profile;
	const busy = tracks.slice().sort((a, b) => weight[b] - weight[a] || a - b);
	const least = 0.01 * weight[busy[0]];
	const top = busy.filter((track, i) => i < LANES_SHOWN && (weight[track] > least || i < 2));
	const others = busy.slice(top.length);
	const ended = track => head.tracks[track].end < head.to - 0.01 * profile.length;
	const key = 'p' + process;
	const open = isOpen(key, at < PROCESSES_OPEN);
	const rest = [
		['m', 'more threads', others.filter(track => !ended(track) && weight[track] > least)],
		['e', 'ended threads', others.filter(ended)],
		['i', 'idle threads', others.filter(track => !ended(track) && !(weight[track] > least))]];
	const row = { kind: 'process', key: tracks.length > 1 ? key : null, open, tracks, label: processName(process) };
	if (tracks.length === 1)
		return [row];
	return [row, ...open ? top.map(track => ({ kind: 'thread', tracks: [track], label: trackName(track) }))
		.concat(rest.flatMap(([letter, what, list]) => restRows(list, letter + process, what))) : []];
}

function laneRows() {
	return once('lane rows', [state.counter, state.open], () => {
		const weight = onTheProcessor();
		const processes = new Map();
		profile.head.tracks.forEach((track, i) => {
			if (!processes.has(track.process))
				processes.set(track.process, { tracks: [], value: 0 });
			processes.get(track.process).tracks.push(i);
			processes.get(track.process).value += weight[i];
		});
		return [...processes].sort((a, b) => b[1].value - a[1].value || a[0] - b[0])
			.flatMap(([process, { tracks }], at) => processRows(process, tracks, weight, at));
	});
}

/* Value by thread of the whole run, without time off the processor. */
function onTheProcessor() {
	return once('track weights', [state.counter], () =>
		sumsOf(valuesOf(state.counter, false, null, null), -Infinity, Infinity).byTrack);
}

/* Rows of each thread: its own or that of a group, and that of its process; 0: none, else from 1. */
function rowsOfTracks(list) {
	const own = new Uint16Array(profile.head.tracks.length);
	const process = new Uint16Array(profile.head.tracks.length);
	list.forEach((row, i) => {
		for (const track of row.tracks)
			(row.kind === 'process' ? process : own)[track] = i + 1;
	});
	return [own, process];
}

/* Values by row and bin on the processor, and the subtree with the largest in each, and
 * that value. */
function binRows(values, axis, cell, bins, rowsBy, many, inside) {
	const { time: times, node, track } = profile.samples;
	const { own, list } = partition();
	const subtrees = list.length + 1;
	const all = new Float64Array(many * subtrees * bins);
	const end = firstAt(axis.to);
	for (let i = firstAt(axis.from); i < end; i++) {
		const value = values.point[i];
		if (!(value > 0) || (inside && !inside[node[i]]))
			continue;
		const at = Math.min(Math.floor((times[i] - axis.from) / cell), bins - 1) + own[node[i]] * bins;
		all[rowsBy[0][track[i]] * subtrees * bins + at] += value;
		all[rowsBy[1][track[i]] * subtrees * bins + at] += value;
	}
	return Array.from({ length: many }, (_, row) => {
		const on = all.subarray(row * subtrees * bins, (row * subtrees + 1) * bins);
		const subtree = new Uint8Array(bins);
		const most = on.slice();
		for (let p = 1; p < subtrees; p++)
			for (let i = 0, at = (row * subtrees + p) * bins; i < bins; i++, at++) {
				if (all[at] > most[i]) {
					most[i] = all[at];
					subtree[i] = p;
				}
				on[i] += all[at];
			}
		return { on, subtree, most };
	});
}

/* Values by row and bin: on the processor, off it, and of a search. */
function laneBins(list, axis, bins) {
	const { head, samples } = profile;
	const { off, counter, label } = state;
	const keys = [counter, off, label, state.open, axis.from, axis.to, bins];
	const values = once('lane values', [counter, off, label], () => valuesOf(counter, off, null, label));
	const cell = (axis.to - axis.from) / bins;
	const many = list.length + 1;
	const rowsBy = rowsOfTracks(list);
	const made = once('lanes', keys, () => {
		const result = binRows(values, axis, cell, bins, rowsBy, many, null);
		if (!off && !head.counters[counter].offCpu)
			return result;
		const grids = result.map(() => new Float64Array(bins));
		for (const by of rowsBy)
			spreadSpans(values, axis.from, cell, grids, i => by[samples.track[i]] || -1);
		return result.map((row, i) => ({ ...row, off: grids[i] }));
	});
	const found = sum.inside && once('lanes found', [keys, searchKeys()], () =>
		binRows(values, axis, cell, bins, rowsBy, many, sum.inside));
	return { rows: made.slice(1), found: found && found.slice(1), cell };
}

/* The value that fills a row: one processor's time for a thread, else nearly the largest bin. */
function laneMost(row, bin, perBin) {
	if (perBin && (row.kind === 'thread' || row.kind === 'inner'))
		return perBin;
	return quantileOf(bin.off ? bin.on.map((value, i) => value + bin.off[i]) : bin.on, 0.99);
}

export function drawLanes(canvas, width, axis) {
	const list = laneRows();
	const bins = Math.max(Math.floor(axis.width / LANE_BIN), 1);
	const made = laneBins(list, axis, bins);
	const context = sized(canvas, width, Math.max(list.length, 1) * LANE + 1);
	const timed = unitOf(state.counter, state.off) === 'ns';
	const perBin = timed ? nsAt(made.cell) : 0;
	list.forEach((row, i) => {
		const top = i * LANE;
		const bin = made.rows[i];
		const most = laneMost(row, bin, perBin);
		const found = made.found && made.found[i];
		drawLife(context, axis, row, top);
		drawBars(context, axis, top, bin.off, most, () => classColour('o1'), true);
		drawBars(context, axis, top, bin.on, most, laneColour(bin), false);
		if (found)
			drawBars(context, axis, top, found.on, most, () => pageColour('found'), false);
		drawLaneLabel(context, axis, row, i);
	});
	const lanes = { list, made, bins };
	drawLaneSelection(context, axis, lanes, list.length * LANE);
	return lanes;
}

/* Where the threads of a row existed. */
function drawLife(context, axis, row, top) {
	const tracks = row.tracks.map(track => profile.head.tracks[track]);
	const from = Math.max(axis.x(Math.min(...tracks.map(track => track.start))), axis.left);
	const to = Math.min(axis.x(Math.max(...tracks.map(track => track.end))), axis.left + axis.width);
	context.fillStyle = pageColour('panel');
	if (to > from)
		context.fillRect(from, top + 1, to - from, LANE - 2);
}

/* The colour of the bar of a bin. */
function laneColour(bin) {
	const plainColour = sum.hits ? pageColour('load') : classColour('u1');
	return state.paint === 'load' || sum.hits ? () => plainColour :
		i => bin.subtree[i] ? subtreeColour(bin.subtree[i]) : plainColour;
}

/* Bars stand on the row's foot, or hang from its top. */
function drawBars(context, axis, top, values, most, colourOf, hanging) {
	if (!values)
		return;
	const wide = axis.width / values.length;
	for (let i = 0; i < values.length; i++) {
		if (!(values[i] > 0))
			continue;
		const high = Math.max(Math.min(values[i] / most, 1) * (LANE - 2), 1);
		context.fillStyle = colourOf(i);
		context.fillRect(axis.left + i * wide, hanging ? top + 1 : top + LANE - 1 - high, wide + 0.3, high);
	}
}

function isSelected(row) {
	return !state.tracks || row.tracks.every(track => state.tracks.includes(track));
}

function drawLaneLabel(context, axis, row, i) {
	const top = i * LANE;
	const indent = { process: 14, inner: 38 }[row.kind] || 26;
	const room = Math.floor((axis.left - indent - 8) / 6.2);
	context.font = (row.kind === 'process' ? '600 ' : '') + '11px ' + SANS;
	context.textBaseline = 'middle';
	context.textAlign = 'left';
	context.fillStyle = pageColour(row.kind === 'rest' ? 'faint' : 'ink');
	if (row.key)
		context.fillText(row.open ? '\u25be' : '\u25b8', row.kind === 'process' ? 2 : 14, top + LANE / 2);
	let text = fit(row.label, Math.max(room + 8, 3));
	while (text.length > 5 && context.measureText(text).width > axis.left - indent - 6)
		text = fit(row.label, Math.max(cellsOf(text) - 1, 3));
	context.fillText(text, indent, top + LANE / 2);
	context.fillStyle = pageColour('line');
	context.fillRect(0, top + LANE - 1, axis.left + axis.width, row.kind === 'process' ? 1 : 0.5);
}

function drawLaneSelection(context, axis, lanes, height) {
	lanes.list.forEach((row, i) => {
		if (isSelected(row))
			return;
		context.fillStyle = pageColour('veil');
		context.fillRect(0, i * LANE, axis.left + axis.width, LANE - 1);
	});
	if (state.from >= 0) {
		const from = Math.max(axis.x(state.from), axis.left);
		const to = Math.min(axis.x(state.to), axis.left + axis.width);
		context.fillStyle = pageColour('chosen-fill');
		context.fillRect(from, 0, Math.max(to - from, 1), height);
		context.fillStyle = pageColour('chosen');
		context.fillRect(from - 1, 0, 1, height);
		context.fillRect(Math.max(to, from + 1), 0, 1, height);
	}
	if (document.activeElement === time.body && time.lane !== undefined) {
		context.strokeStyle = pageColour('focus');
		context.lineWidth = 2;
		context.strokeRect(1, time.lane * LANE + 1, axis.left + axis.width - 2, LANE - 3);
		if (time.cursor !== null)
			context.strokeRect(axis.x(time.cursor), time.lane * LANE + 1, 2, LANE - 3);
	}
}

function laneAt(y) {
	return Math.min(Math.max(Math.floor(y / LANE), 0), time.lanes.list.length - 1);
}

export function laneText(x, y) {
	const at = laneAt(y);
	const row = time.lanes.list[at];
	if (!row)
		return '';
	const value = onTheProcessor();
	const whole = row.tracks.reduce((all, track) => all + value[track], 0);
	let text = row.label + ': ' + amount(round(whole), unitOf(state.counter, false)) + ' in the whole run';
	const bin = Math.floor((x - time.axis.left) / time.axis.width * time.lanes.bins);
	if (bin >= 0 && bin < time.lanes.bins) {
		const { rows, cell } = time.lanes.made;
		const unit = unitOf(state.counter, state.off);
		const from = nsAt(time.axis.from + bin * cell);
		text = timeText(from, nsAt(cell)) + ' to ' + timeText(from + nsAt(cell), nsAt(cell)) + ', ' + row.label + ': ' +
			amount(round(rows[at].on[bin]), unit) + subtreeText(rows[at].subtree[bin], rows[at].most[bin], rows[at].on[bin]);
		if (rows[at].off && rows[at].off[bin] > 0)
			text += ', off the processor ' + amount(round(rows[at].off[bin]), 'ns');
		text += marksText(time.axis.from + bin * cell, time.axis.from + (bin + 1) * cell);
	}
	return text;
}

function selectTracks(list, add) {
	const before = add && state.tracks ? state.tracks : [];
	const all = [...new Set(before.concat(list))].sort((a, b) => a - b);
	apply({ tracks: all.length === profile.head.tracks.length ? null : all }, '');
}

/* A drag over names selects threads, one over their lanes selects time, and both with Shift. */
export function dragLanes(startX, startY, x, y, shift) {
	const rowsBetween = [laneAt(startY), laneAt(y)].sort((a, b) => a - b);
	if (startX < time.axis.left || shift)
		selectTracks(time.lanes.list.slice(rowsBetween[0], rowsBetween[1] + 1).flatMap(row => row.tracks), false);
	if (startX >= time.axis.left)
		selectTime(time.axis.time(startX), time.axis.time(x), '');
}

export function clickLane(x, y, add) {
	const row = time.lanes.list[laneAt(y)];
	if (!row)
		return;
	time.lane = laneAt(y);
	if (row.key && x < 26)
		toggleLane(row);
	else
		chooseLane(row, add);
}

function chooseLane(row, add) {
	if (!add && String(state.tracks) === String(row.tracks.slice().sort((a, b) => a - b)))
		apply({ tracks: null }, 'push');
	else {
		selectTracks(row.tracks, add);
		apply({}, 'push');
	}
}

export function onLaneKey(event) {
	const { list } = time.lanes;
	const [from, to] = seen();
	const step = { ArrowLeft: -0.01, ArrowRight: 0.01, Home: -1, End: 1 }[event.key];
	const row = list[time.lane ?? 0];
	if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
		time.lane = time.lane === undefined ? 0 :
			Math.min(Math.max(time.lane + (event.key === 'ArrowDown' ? 1 : -1), 0), list.length - 1);
		time.box.scrollTop = Math.min(Math.max(time.box.scrollTop, (time.lane + 1) * LANE - time.box.clientHeight),
			time.lane * LANE);
	} else if (step) {
		const at = Math.min(Math.max((time.cursor ?? from) + step * (to - from), from), to);
		time.anchor = event.shiftKey ? time.anchor ?? time.cursor ?? from : null;
		time.cursor = at;
		if (event.shiftKey)
			selectTime(time.anchor, at, 'replace');
	} else if (event.key === 'Enter' && row) {
		chooseLane(row, event.shiftKey);
	} else if (event.key === ' ' && row && row.key) {
		toggleLane(row);
	} else {
		return false;
	}
	time.lane ??= 0;
	tell(laneText(time.cursor === null ? 0 : time.axis.x(time.cursor), time.lane * LANE + 1));
	drawSoon();
	return true;
}
