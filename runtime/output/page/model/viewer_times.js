/* Times as text.  They are in units of the page unless their name says ns. */
import { amount } from '../../graph/graph_words.js';
import { profile } from './page_state.js';

export const DURATIONS = [1, 2, 5, 10, 20, 50, 100, 200, 500].flatMap(one => [one * 1e3, one * 1e6])
	.concat([1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21600, 86400].map(one => one * 1e9))
	.sort((a, b) => a - b);

export function nsAt(time) {
	return time * profile.head.unitNs;
}

/* The shortest round duration that is not below this one. */
export function roundUp(ns) {
	return DURATIONS.find(one => one >= ns) || Math.ceil(ns / 86400e9) * 86400e9;
}

function decimalsFor(ns) {
	return Math.min(Math.max(Math.ceil(-Math.log10(ns / 1e9) - 1e-9), 0), 6);
}

/* 4.5 ms, 12.38 s, 1:02.5, 1:02:03, as the whole run is long: with as many decimals as a step needs. */
export function timeText(ns, stepNs) {
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
export function durationText(ns) {
	if (ns < 120e9)
		return amount(Math.round(ns), 'ns');
	const seconds = Math.round(ns / 1e9);
	const parts = [[Math.floor(seconds / 3600), 'h'], [Math.floor(seconds / 60) % 60, 'min'],
		[seconds % 60, 's']];
	return parts.filter(one => one[0]).map(one => one.join(' ')).join(' ');
}

/* The wall-clock time as 14:03:12.300, or with its date. */
export function wallText(ns, stepNs, dated) {
	const { realtimeMs } = profile.head;
	if (!realtimeMs)
		return '';
	const when = new Date(Math.round(realtimeMs + ns / 1e6));
	if (isNaN(when))
		return '';
	const [day, clock] = when.toISOString().split('T');
	return (dated ? day + ' ' : '') + clock.slice(0, 8 + (decimalsFor(stepNs) ? 4 : 0));
}
