/*
 * The upper part of the page: the load of the whole run, the axis with its marks, and heatmap or
 * lanes.  Drag selects; click selects a column or a lane; the wheel zooms.
 */
import { make, makeButton } from '../../graph/graph_common.js';
import { amount, share } from '../../graph/graph_words.js';
import { apply, drawSoon, profile, state, sum } from '../model/page_state.js';
import { binned, heatValues, quantileOf } from '../model/viewer_bins.js';
import { once, round, trackName, unitOf, valueKeys } from '../model/viewer_model.js';
import { everything } from '../model/viewer_state.js';
import { largestSubtrees, subtreeText } from '../model/viewer_subtrees.js';
import { DURATIONS, durationText, nsAt, timeText, wallText } from '../model/viewer_times.js';
import { fillSelect, makeChoice, makeSelect, pageColour, place, sized, tell } from './page_elements.js';
import {
	axisOf, drawAxis, marksSeen, marksText, markText, panTime, seen, seeRange,
	selectEverything, selectTime, time, zoomTime,
} from './viewer_axis.js';
import { drawKeys } from './viewer_colour.js';
import {
	drawHeat, HEAT_GUTTER, HEAT_HEIGHT, heatCell, heatTime, outlineHeat,
} from './viewer_heat.js';
import { clickLane, dragLanes, drawLanes, laneGutter, laneText } from './viewer_lanes.js';

const LOAD_HEIGHT = 30;
const AXIS_HEIGHT = 20;
const MARK_HEIGHT = 12;

export function makeTime(body, onKey) {
	const panel = make('section', { class: 'time', 'aria-label': 'Time' }, body);
	const bar = make('div', { class: 'bar' }, panel);
	time.all = make('div', {}, panel);
	bar.hidden = time.all.hidden = !profile.hasTime;
	time.mode = makeChoice(bar, 'View of time', [
		['heat', 'Heatmap', 'Columns of time, rows of the time within a column (H)'],
		['lanes', 'Lanes', 'One row for each thread (L)']], value => apply({ time: value }, 'push'));
	time.columns = makeSelect(bar, 'Time of a column', value => apply({ column: Number(value) }, 'push'));
	time.paint = makeSelect(bar, 'Colour of the picture', value => apply({ paint: value }, 'push'));
	time.whole = makeButton(bar, 'Whole run', 'Show the whole run (0)',
		() => apply({ seenFrom: -1, seenTo: -1 }, 'push'));
	time.toSelection = makeButton(bar, 'Zoom to selection', 'Show the selected time and a little around it (Z)', zoomToSelection);
	time.keys = make('div', { class: 'keys' }, time.all);
	time.top = make('canvas', { class: 'axis', 'aria-hidden': 'true' }, time.all);
	time.box = make('div', { class: 'scroller' }, time.all);
	time.body = make('canvas', {
		class: 'picture', tabindex: '0', role: 'application',
		'aria-label': 'Samples by time. Arrow keys move, Shift with arrow keys selects, Enter ' +
			'selects a column or a thread, plus and minus zoom, Escape selects everything',
	}, time.box);
	time.tip = make('div', { class: 'tip', hidden: '' }, panel);
	time.moments = make('div', { class: 'moments', 'aria-busy': 'true' }, time.all);
	time.text = make('div', { class: 'selection', role: 'status' }, panel);
	listenToTime(onKey);
}

/* The selected time with a little around it, as far as the run has it. */
export function zoomToSelection() {
	const { head } = profile;
	const more = (state.to - state.from) * 0.1;
	if (state.from >= 0)
		seeRange(Math.max(state.from - more, head.from), Math.min(state.to + more, head.from + profile.length), 'push');
}

function columnEntries() {
	const span = nsAt(seen()[1] - seen()[0]);
	const fits = DURATIONS.filter(one => one >= span / 2000 && one <= span / 2);
	if (state.column && !fits.includes(state.column))
		fits.push(state.column);
	return [['0', 'Column: automatic'], ...fits.map(one => [String(one), 'Column: ' + durationText(one)])];
}

export function drawTime() {
	drawSelectionText();
	if (!profile.hasTime)
		return;
	const width = Math.max(time.box.clientWidth, 200);
	const lanes = state.time === 'lanes';
	if (time.view !== state.time)
		tell(''); // it told of the other picture
	time.view = state.time;
	time.mode(state.time);
	time.columns.hidden = lanes;
	fillSelect(time.columns, columnEntries(), String(state.column));
	fillSelect(time.paint, [['code', 'Colour: code'], ['load', 'Colour: load']], state.paint);
	time.whole.disabled = state.seenFrom < 0;
	time.toSelection.disabled = state.from < 0;
	const left = lanes ? laneGutter(width) : HEAT_GUTTER;
	time.axis = axisOf(left, width - left - 8);
	drawTop(width);
	if (lanes) {
		time.heat = null;
		time.lanes = drawLanes(time.body, width, time.axis);
	} else {
		const context = sized(time.body, width, HEAT_HEIGHT + 2);
		time.lanes = null;
		time.heat = drawHeat(context, time.axis, 1);
		drawHeatSelection(context);
	}
	drawKeys();
}

/* A line in a colour between lines of the background, which is seen on every other colour. */
function stroke(context, path, colour) {
	for (const [one, width] of [[pageColour('back'), 4], [colour, 2]]) {
		context.strokeStyle = one;
		context.lineWidth = width;
		context.stroke(path);
	}
}

/* What is not selected is paler. */
function dimHeat(context, axis, path) {
	const rest = new Path2D(path);
	rest.rect(axis.left, 0, axis.width + 1, HEAT_HEIGHT + 2);
	context.globalAlpha = 0.7;
	context.fillStyle = pageColour('veil');
	context.fill(rest, 'evenodd');
	context.globalAlpha = 1;
}

function drawHeatSelection(context) {
	const { heat, axis } = time;
	context.save();
	context.beginPath();
	context.rect(axis.left, 0, axis.width + 1, HEAT_HEIGHT + 2);
	context.clip();
	if (state.from >= 0) {
		const path = outlineHeat(heat, axis, 1, state.from, state.to);
		dimHeat(context, axis, path);
		stroke(context, path, pageColour('chosen'));
	}
	if (time.cursor !== null && document.activeElement === time.body)
		stroke(context, outlineHeat(heat, axis, 1, time.cursor, time.cursor + heat.cell), pageColour('ink'));
	context.restore();
}

/* The load of the whole run by bucket.  Buckets of less than a few samples would have one more or less by
 * turns, so that a sample is in all buckets of the time that it stands for. */
function loadGrid(bins) {
	const values = heatValues();
	const cell = profile.length / bins;
	const { unit, period } = profile.head.counters[state.counter];
	const fine = unit === 'ns' && nsAt(cell) < 4 * period;
	const own = fine ? Uint32Array.from(values.point.keys()).filter(i => values.point[i] > 0) : [];
	return binned(fine ? { ...values, point: [], spans: own } : values, profile.head.from, cell, bins, null);
}

/* The load of the whole run, the axis of the interval below, and the marks on it. */
function drawTop(width) {
	const { axis } = time;
	const marks = marksSeen();
	const height = LOAD_HEIGHT + AXIS_HEIGHT + (marks.length ? MARK_HEIGHT : 0);
	const context = sized(time.top, width, height);
	const all = { ...axis, ...wholeAxis(axis) };
	const bins = Math.max(Math.floor(axis.width / 2), 1);
	const { load, most } = once('load', [valueKeys(), bins], () => {
		const grid = loadGrid(bins);
		return { load: grid, most: quantileOf(grid, 0.995) };
	});
	context.fillStyle = pageColour('panel');
	context.fillRect(axis.left, 0, axis.width, LOAD_HEIGHT - 4);
	context.fillStyle = pageColour('load');
	for (let i = 0; i < bins; i++) {
		const high = Math.min(load[i] / most, 1) * (LOAD_HEIGHT - 6);
		context.fillRect(axis.left + i * axis.width / bins, LOAD_HEIGHT - 4 - high, axis.width / bins + 0.3, high);
	}
	if (state.seenFrom >= 0) {
		context.fillStyle = pageColour('veil');
		context.fillRect(axis.left, 0, all.x(axis.from) - axis.left, LOAD_HEIGHT - 4);
		context.fillRect(all.x(axis.to), 0, axis.left + axis.width - all.x(axis.to), LOAD_HEIGHT - 4);
	}
	if (state.from >= 0) {
		const from = Math.max(all.x(state.from), axis.left);
		context.fillStyle = pageColour('chosen');
		context.fillRect(from, LOAD_HEIGHT - 4, Math.max(all.x(state.to) - from, 2), 3);
	}
	drawAxis(context, axis, LOAD_HEIGHT, AXIS_HEIGHT);
	drawMarks(context, axis, marks);
}

function wholeAxis({ left, width }) {
	const { head } = profile;
	return {
		x: at => left + (at - head.from) / profile.length * width,
		time: x => head.from + (x - left) / width * profile.length,
	};
}

function drawMarks(context, axis, marks) {
	const top = LOAD_HEIGHT + AXIS_HEIGHT;
	context.fillStyle = pageColour('mark');
	let last = -9;
	for (const mark of marks) {
		const x = Math.round(axis.x(mark.time));
		if (x - last < 3)
			continue;
		context.beginPath();
		context.moveTo(x - 4, top + 1);
		context.lineTo(x + 4, top + 1);
		context.lineTo(x, top + 9);
		context.fill();
		last = x;
	}
}

/* What is selected, in words. */
function drawSelectionText() {
	const { head } = profile;
	const parts = [];
	time.text.replaceChildren();
	if (state.from >= 0) {
		const [from, to] = [nsAt(state.from), nsAt(state.to)];
		const step = Math.max((to - from) / 100, 1e3);
		const wall = wallText(from, step);
		parts.push(timeText(from, step) + ' to ' + timeText(to, step) + ' (' + durationText(to - from) + ')');
		if (wall)
			parts.push(wall + ' to ' + wallText(to, step) + ' UTC');
	} else {
		parts.push('Whole run');
	}
	if (state.tracks)
		parts.push(state.tracks.length === 1 ? 'thread ' + trackName(state.tracks[0]) :
			state.tracks.length + ' of ' + head.tracks.length + ' threads');
	if (state.label)
		parts.push('label ' + state.label[0] + ' = ' + (state.label[1] || 'none'));
	parts.push(amount(round(sum.now.all), unitOf(state.counter, state.off)) +
		(everything() ? '' : ', ' + share(sum.now.all, sum.whole.all) + ' of all'));
	make('strong', {}, time.text, everything() ? '' : 'Selected: ');
	make('span', {}, time.text, parts.join(' \u00b7 '));
	if (!everything())
		makeButton(time.text, 'Select everything', 'Select everything (Esc)', selectEverything);
}

function onDown(event, where) {
	if (event.button !== 0)
		return;
	const canvas = where === 'top' ? time.top : time.body;
	const [x, y] = place(event, canvas);
	canvas.setPointerCapture(event.pointerId);
	time.drag = { where, canvas, x, y, moved: false, add: event.ctrlKey || event.metaKey };
	time.cursor = null;
	event.preventDefault();
	time.body.focus({ preventScroll: true });
}

function onMove(event, where) {
	const canvas = where === 'top' ? time.top : time.body;
	const [x, y] = place(event, canvas);
	if (!time.drag) {
		hoverTime(where, x, y);
		return;
	}
	time.drag.moved ||= Math.abs(x - time.drag.x) + Math.abs(y - time.drag.y) > 3;
	if (time.drag.moved)
		dragTo(x, y, event.shiftKey);
}

function dragTo(x, y, shift) {
	const { where, x: startX, y: startY } = time.drag;
	if (where === 'top') {
		const axis = startY < LOAD_HEIGHT ? wholeAxis(time.axis) : time.axis;
		selectTime(axis.time(startX), axis.time(x), '');
	} else if (time.heat) {
		const ends = [[startX, startY], [x, y]].map(([atX, atY]) =>
			heatCell(time.heat, time.axis, 1, atX, atY)).sort((a, b) => a - b);
		selectTime(heatTime(time.heat, ends[0]), heatTime(time.heat, ends[1] + 1), '');
	} else {
		dragLanes(startX, startY, x, y, shift);
	}
}

function onUp() {
	const { drag } = time;
	time.drag = null;
	if (!drag)
		return;
	if (drag.moved)
		apply({}, 'push');
	else if (drag.where === 'body' && time.heat)
		selectColumn(heatCell(time.heat, time.axis, 1, drag.x, drag.y));
	else if (drag.where === 'body')
		clickLane(drag.x, drag.y, drag.add);
	else
		clickTop(drag.x, drag.y);
}

export function selectColumn(cell) {
	const first = cell - cell % time.heat.rows;
	selectTime(heatTime(time.heat, first), heatTime(time.heat, first + time.heat.rows), 'push');
}

/* A click on the load or on the axis selects a hundredth around it. */
function clickTop(x, y) {
	const axis = y < LOAD_HEIGHT ? wholeAxis(time.axis) : time.axis;
	selectTime(axis.time(x - time.axis.width / 200), axis.time(x + time.axis.width / 200), 'push');
}

/* "0.50 s to 0.52 s: 20 samples, B 95.0%" */
function cellText(heat, cell) {
	const { subtree, value } = largestSubtrees(heat);
	const from = heatTime(heat, cell);
	const size = nsAt(heat.cell);
	let text = timeText(nsAt(from), size) + ' to ' + timeText(nsAt(from) + size, size) + ': ' +
		amount(round(heat.grid[cell] || 0), unitOf(state.counter, state.off)) +
		subtreeText(subtree[cell], value[cell], heat.grid[cell]);
	if (heat.waits && heat.waits[cell] > 0)
		text += ', off the processor ' + amount(round(heat.waits[cell]), 'ns');
	return text + marksText(from, heatTime(heat, cell + 1));
}

export function hoverTime(where, x, y) {
	let text = '';
	if (where === 'top') {
		const near = marksSeen().filter(mark => Math.abs(time.axis.x(mark.time) - x) < 5);
		if (y > LOAD_HEIGHT + AXIS_HEIGHT - 4)
			text = near.slice(0, 6).map(markText).join('\n') + (near.length > 6 ? '\n\u2026' : '');
	} else if (time.heat && x >= time.axis.left) {
		text = cellText(time.heat, heatCell(time.heat, time.axis, 1, x, y));
	} else if (!time.heat) {
		text = laneText(x, y);
	}
	time.tip.textContent = text;
	time.tip.hidden = !text || where !== 'top';
	if (where === 'top')
		time.tip.style.left = Math.min(x, Math.max(time.box.clientWidth - 260, 0)) + 'px';
	tell(text.split('\n')[0]);
}

function onWheel(event, where) {
	if (state.time === 'lanes' && where === 'body' && !event.ctrlKey && !event.metaKey && !event.deltaX)
		return;
	const [x] = place(event, where === 'top' ? time.top : time.body);
	const before = String(seen());
	if (Math.abs(event.deltaX) > Math.abs(event.deltaY))
		panTime(Math.sign(event.deltaX) * 0.1, 'replace');
	else if (event.deltaY)
		zoomTime(event.deltaY > 0 ? 1.25 : 0.8, time.axis.time(x), 'replace');
	if (event.ctrlKey || event.metaKey || before !== String(seen()))
		event.preventDefault();
}

function listenToTime(onKey) {
	for (const [canvas, where] of [[time.top, 'top'], [time.body, 'body']]) {
		canvas.addEventListener('pointerdown', event => onDown(event, where));
		canvas.addEventListener('pointermove', event => onMove(event, where));
		canvas.addEventListener('pointerup', onUp);
		canvas.addEventListener('pointerleave', () => {
			time.tip.hidden = true;
		});
		canvas.addEventListener('wheel', event => onWheel(event, where), { passive: false });
		canvas.addEventListener('dblclick', zoomToSelection);
	}
	time.body.addEventListener('keydown', onKey);
	time.body.addEventListener('focus', drawSoon);
	time.body.addEventListener('blur', drawSoon);
}
