/* The state of the page of a profile.  Numbers in a link are of this page. */
import {
	apply, COMMON, COMMON_START, natural, oneOf, profile, sortPart, state,
} from './page_state.js';
import { frameEntries, FRAMES } from './viewer_frames.js';
import { canHaveOff } from './viewer_model.js';

export const START = {
	...COMMON_START, ratio: null, off: true,
	from: -1, to: -1, tracks: null, label: null,    // the selection; -1: everything
	time: 'heat', paint: 'code', column: 0, seenFrom: -1, seenTo: -1, open: [],
	frames: '', mode: 'down', by: '', sort: 'self',
};

/* 3-5.9 as the set of 3, 4, 5 and 9; numbers from the limit on are left out. */
export function numbers(text, limit) {
	const found = new Set();
	for (const part of text.split('.')) {
		const [first, last = first] = part.split('-').map(one => natural(one, limit));
		for (let i = first; i >= 0 && i <= last; i++)
			found.add(i);
	}
	return Array.from(found);
}

/* 3.4.5.9 as 3-5.9 */
export function numbersText(list) {
	const parts = [];
	for (let i = 0, last; i < list.length; i = last + 1) {
		for (last = i; list[last + 1] === list[last] + 1;)
			last++;
		parts.push(last > i ? list[i] + '-' + list[last] : String(list[i]));
	}
	return parts.join('.');
}

function rangeOf(text) {
	const [from, to] = text.split('-').map(part => natural(part, 2 ** 32 + 1));
	const { head } = profile;
	return from >= 0 && to > from && from < head.to + 1 && to > head.from ? [from, to] : [-1, -1];
}

/* As COMMON of page_state.js has them. */
export const PARTS = [
	COMMON.counter,
	['r', ['ratio'], s => s.ratio ? s.ratio.join('.') : '', text => {
		const pair = text.split('.').map(part => natural(part, profile.head.counters.length));
		return [pair.length === 2 && pair.every(one => one >= 0) ? pair : null];
	}],
	['o', ['off'], s => !s.off && canHaveOff(s.counter) ? '0' : '', text => [text !== '0']],
	['t', ['from', 'to'], s => s.from < 0 ? '' : s.from + '-' + s.to, rangeOf],
	['k', ['tracks'], s => s.tracks ? numbersText(s.tracks) : '', text => {
		const list = numbers(text, profile.head.tracks.length);
		return [list.length ? list : null];
	}],
	['l', ['label'], s => s.label ? JSON.stringify(s.label) : '', text => {
		const label = JSON.parse(text);
		return [Array.isArray(label) && label.length === 2 ? label.map(String) : null];
	}],
	['v', ['time'], s => s.time === 'heat' ? '' : s.time, text => [oneOf(['lanes'], 'heat')(text)]],
	['w', ['column'], s => s.column ? String(s.column) : '', text => [Math.max(natural(text, 1e13), 0)]],
	['a', ['seenFrom', 'seenTo'], s => s.seenFrom < 0 ? '' : s.seenFrom + '-' + s.seenTo, rangeOf],
	['h', ['paint'], s => s.paint === 'code' ? '' : s.paint, text => [oneOf(['load'], 'code')(text)]],
	['e', ['open'], s => s.open.join('~'), text => [text.split('~').filter(one => /^\w+$/.test(one))]],
	['g', ['frames'], s => s.frames, text => [oneOf(Object.keys(FRAMES), '')(text)]],
	['m', ['mode'], s => s.mode === 'down' ? '' : s.mode, text => [oneOf(['up', 'around'], 'down')(text)]],
	COMMON.chosen,
	COMMON.zoom,
	['b', ['by'], s => s.by, text => [text]],
	sortPart(['self', 'total', 'name', 'ratio'], 'self'),
	...COMMON.texts,
];

/* What cannot be together is not. */
export function consistent(wanted) {
	if (!canHaveOff(wanted.counter))
		wanted.off = false;
	if (!frameEntries().some(([key]) => key === wanted.frames))
		wanted.frames = '';
	if (wanted.mode === 'around' && wanted.chosen < 0)
		wanted.mode = 'down';
	return wanted;
}

export function everything() {
	return state.from < 0 && !state.tracks && !state.label;
}

/* The selected range of time; everything has no bounds, and so has an end at an end of the axis. */
export function selectedRange() {
	const { head } = profile;
	return [state.from <= head.from ? -Infinity : state.from,
		state.to < 0 || state.to >= head.to ? Infinity : state.to];
}

/* Choose a function; its callers and callees are shown if `mode` says so. */
export function choose(name, mode) {
	apply(mode ? { chosen: name, mode, zoom: [] } : { chosen: name }, 'push');
}
