/*
 * The time axis: the interval on screen, its ticks, how both are moved, and the marks of a run: events of
 * its processes and threads.
 */
import { isolated } from '../../graph/graph_words.js';
import { apply, profile, state } from '../model/page_state.js';
import { trackName } from '../model/viewer_model.js';
import { nsAt, roundUp, timeText } from '../model/viewer_times.js';
import { pageColour } from './page_elements.js';

export const SANS = 'system-ui, "Segoe UI", "DejaVu Sans", sans-serif';
export const time = { axis: null, heat: null, lanes: null, drag: null, cursor: null, lane: undefined };

/* The interval that is on screen. */
export function seen() {
	const { head } = profile;
	return state.seenFrom < 0 ? [head.from, head.from + profile.length] :
		[state.seenFrom, state.seenTo];
}

/* Everything that the axis and the pictures on it share. */
export function axisOf(left, width) {
	const [from, to] = seen();
	return {
		left, width, from, to,
		x: at => left + (at - from) / (to - from) * width,
		time: x => from + (x - left) / width * (to - from),
	};
}

export function drawAxis(context, axis, top, height) {
	const step = roundUp(nsAt(axis.to - axis.from) / Math.max(axis.width / 90, 1));
	const units = step / profile.head.unitNs;
	context.font = '11px ' + SANS;
	context.fillStyle = pageColour('faint');
	context.textBaseline = 'middle';
	context.textAlign = 'left';
	for (let k = Math.ceil(axis.from / units); k * units <= axis.to; k++) {
		const x = axis.x(k * units);
		context.fillRect(Math.round(x), top + height - 5, 1, 5);
		const text = timeText(k * step, step);
		if (x + 4 + context.measureText(text).width < axis.left + axis.width + 8)
			context.fillText(text, x + 4, top + height / 2);
	}
}

/* The shortest interval that is shown. */
function leastSeen() {
	return Math.min(Math.max(profile.length / 1e5, 20), profile.length);
}

/* Show another interval, at most the whole. */
export function seeRange(from, to, history) {
	const { head } = profile;
	const length = Math.min(Math.max(to - from, leastSeen()), profile.length);
	const start = Math.min(Math.max(from, head.from), head.from + profile.length - length);
	const whole = length >= profile.length;
	apply(whole ? { seenFrom: -1, seenTo: -1 } :
		{ seenFrom: Math.floor(start), seenTo: Math.min(Math.ceil(start + length), head.from + profile.length) }, history);
}

export function zoomTime(factor, around, history) {
	const [from, to] = seen();
	const at = around ?? (from + to) / 2;
	if (factor < 1 && to - from <= leastSeen() + 2)
		return; // it would only move
	seeRange(at - (at - from) * factor, at + (to - at) * factor, history);
}

export function panTime(share, history) {
	const [from, to] = seen();
	seeRange(from + share * (to - from), to + share * (to - from), history);
}

/* Select the time between two times, in any order. */
export function selectTime(one, other, history) {
	const { head } = profile;
	const from = Math.max(Math.floor(Math.min(one, other)), head.from, 0);
	const to = Math.min(Math.ceil(Math.max(one, other)), head.from + profile.length);
	apply({ from, to: Math.max(to, from + 1) }, history);
}

export const EVERYTHING = { from: -1, to: -1, tracks: null, label: null };

export function selectEverything() {
	apply(EVERYTHING, 'push');
}

export function marksSeen() {
	const [from, to] = seen();
	return (profile.head.marks || []).filter(mark => mark.time >= from && mark.time <= to);
}

export function markText(mark) {
	const process = profile.head.processes[mark.process];
	const track = profile.head.tracks[mark.track];
	return [timeText(nsAt(mark.time), 1e6), mark.kind, isolated(mark.text || ''),
		track ? trackName(mark.track) : process ? process.name + ' (' + process.pid + ')' : ''].filter(Boolean).join(' \u00b7 ');
}

/* The marks of an interval, for the line that tells what is at the cursor. */
export function marksText(from, to) {
	return marksSeen().filter(mark => mark.time >= from && mark.time < to).slice(0, 3)
		.map(mark => '; ' + markText(mark)).join('');
}
