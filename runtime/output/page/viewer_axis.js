/*
 * Times as text, and the ticks of the time axis.  Times are in units of the page unless their name
 * says ns.
 */
const DURATIONS = [1, 2, 5, 10, 20, 50, 100, 200, 500].flatMap(one => [one * 1e3, one * 1e6])
	.concat([1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21600, 86400].map(one => one * 1e9))
	.sort((a, b) => a - b);

function nsAt(time) {
	return time * profile.head.unitNs;
}

/* The shortest round duration that is not below this one. */
function roundUp(ns) {
	return DURATIONS.find(one => one >= ns) || Math.ceil(ns / 86400e9) * 86400e9;
}

function decimalsFor(ns) {
	return Math.min(Math.max(Math.ceil(-Math.log10(ns / 1e9) - 1e-9), 0), 6);
}

/* 4.5 ms, 12.38 s, 1:02.5, 1:02:03, as the whole run is long: with as many decimals as a step needs. */
function timeText(ns, stepNs) {
	const decimals = decimalsFor(stepNs);
	const sign = ns < 0 ? '\u2212' : '';
	if (profile.length * profile.head.unitNs < 1e9)
		return sign + (Math.abs(ns) / 1e6).toFixed(Math.max(decimals - 3, 0)) + ' ms';
	const seconds = Number((Math.abs(ns) / 1e9).toFixed(decimals));
	if (profile.length * profile.head.unitNs < 120e9)
		return sign + seconds.toFixed(decimals) + ' s';
	const rest = (seconds % 60).toFixed(decimals).padStart(decimals ? 3 + decimals : 2, '0');
	const minutes = Math.floor(seconds / 60);
	if (minutes < 60)
		return sign + minutes + ':' + rest;
	return sign + Math.floor(minutes / 60) + ':' + String(minutes % 60).padStart(2, '0') + ':' + rest;
}

/* 80 ms, 1.02 s, 3 min 20 s */
function durationText(ns) {
	if (ns < 120e9)
		return amount(Math.round(ns), 'ns');
	const seconds = Math.round(ns / 1e9);
	const parts = [[Math.floor(seconds / 3600), 'h'], [Math.floor(seconds / 60) % 60, 'min'],
		[seconds % 60, 's']];
	return parts.filter(one => one[0]).map(one => one.join(' ')).join(' ');
}

/* The wall-clock time as 14:03:12.300, or with its date. */
function wallText(ns, stepNs, dated) {
	const { realtimeMs } = profile.head;
	if (!realtimeMs)
		return '';
	const when = new Date(Math.round(realtimeMs + ns / 1e6));
	if (isNaN(when))
		return '';
	const [day, clock] = when.toISOString().split('T');
	return (dated ? day + ' ' : '') + clock.slice(0, 8 + (decimalsFor(stepNs) ? 4 : 0));
}

/* The part of the axis that is on screen. */
function seen() {
	const { head } = profile;
	return state.seenFrom < 0 ? [head.from, head.from + profile.length] :
		[state.seenFrom, state.seenTo];
}

/* Everything that the axis and the pictures on it share. */
function axisOf(left, width) {
	const [from, to] = seen();
	return {
		left, width, from, to,
		x: time => left + (time - from) / (to - from) * width,
		time: x => from + (x - left) / width * (to - from),
	};
}

function drawAxis(context, axis, top, height) {
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

/* The shortest part of the axis that is shown. */
function leastSeen() {
	return Math.min(Math.max(profile.length / 1e5, 20), profile.length);
}

/* Show another part of the axis, at most the whole. */
function seeRange(from, to, history) {
	const { head } = profile;
	const length = Math.min(Math.max(to - from, leastSeen()), profile.length);
	const start = Math.min(Math.max(from, head.from), head.from + profile.length - length);
	const whole = length >= profile.length;
	apply(whole ? { seenFrom: -1, seenTo: -1 } :
		{ seenFrom: Math.floor(start), seenTo: Math.min(Math.ceil(start + length), head.from + profile.length) }, history);
}

function zoomTime(factor, around, history) {
	const [from, to] = seen();
	const at = around ?? (from + to) / 2;
	if (factor < 1 && to - from <= leastSeen() + 2)
		return; // it would only move
	seeRange(at - (at - from) * factor, at + (to - at) * factor, history);
}

function panTime(part, history) {
	const [from, to] = seen();
	seeRange(from + part * (to - from), to + part * (to - from), history);
}
