/*
 * The data of the page (difference_draw.h), and its state, which is in the URL's fragment.
 *
 * Data from a file is not trusted: decode() refuses numbers that point outside their tables, so
 * that no other part has to check them.
 */
import { changeOf, mean } from '../../graph/graph_diff.js';
import { percent, short } from '../../graph/graph_words.js';
import { compileSearch } from './page_layout.js';
import { COMMON, COMMON_START, oneOf, profile, sortPart, state, sum } from './page_state.js';
import { areTexts, DAMAGED, have, unpackHead } from './page_unpack.js';

export const START = { ...COMMON_START, side: 'after', by: 'self', sort: 'change' };
const COLUMNS = ['name', 'before', 'after', 'change', 'relative', 'interval', 'share'];
export const LINE_CELL = 7.23;  // pixels of a character of the tables, as wide as any of their fonts has it

/* As COMMON of page_state.js has them. */
export const PARTS = [
	COMMON.counter,
	['w', ['side'], s => s.side === 'after' ? '' : s.side, text => [oneOf(['before'], 'after')(text)]],
	COMMON.chosen,
	COMMON.zoom,
	['b', ['by'], s => s.by === 'self' ? '' : s.by, text => [oneOf(['total'], 'self')(text)]],
	sortPart(COLUMNS, 'change'),
	...COMMON.texts,
];

function isNumber(value) {
	return value === null || Number.isFinite(value);
}

function isList(list, count) {
	return Array.isArray(list) && list.every(isNumber) && (count === undefined || list.length === count);
}

function isPair(list, test) {
	return Array.isArray(list) && list.length === 2 && list.every(one => test(one));
}

/* A value from its record: means, intervals, and whether the change is sure. */
function valueOf(record) {
	if (!isList(record, 8))
		throw new Error(DAMAGED);
	const [before, after, ...rest] = record;
	const [low, high, relativeLow, relativeHigh] = rest.map(one => one ?? NaN);
	return { before: before ?? 0, after: after ?? 0, low, high, relativeLow, relativeHigh,
		change: after - before, relative: (after - before) / before,
		tested: Boolean(record[6]), sure: Boolean(record[7]) };
}

function measureOf(measure) {
	if (!isPair(measure.runs, one => isList(one)) || !isPair(measure.drift, one => isList(one, 2)) ||
	    !isPair(measure.outliers, Number.isFinite))
		throw new Error(DAMAGED);
	return { ...measure, value: valueOf(measure.value) };
}

function functionsOf(list, names) {
	const result = [];
	for (let at = 0; at < list.length; at += 3) {
		if (!(list[at] >= 0 && list[at] < names))
			throw new Error(DAMAGED);
		result.push({ function: list[at], self: valueOf(list[at + 1]), total: valueOf(list[at + 2]) });
	}
	return result;
}

/* The root of the frames; null if there are none.  sums[0] is the width of the shown side. */
function framesOf(list, names) {
	const path = [];
	let root = null;
	for (let at = 0; at < list.length; at += 7) {
		const [pop, name, ...record] = list.slice(at, at + 7);
		path.length = pop >= 0 && pop <= path.length ? path.length - pop : -1;
		const parent = path[path.length - 1] || null;
		if (!(name >= 0 && name < names) || !isList(record.slice(0, 4), 4) || Boolean(parent) !== Boolean(root))
			throw new Error(DAMAGED);
		const frame = { name, parent, kids: [], sums: [0], change: changeOf(record) };
		if (parent)
			parent.kids.push(frame);
		root ??= frame;
		path.push(frame);
	}
	return root;
}

function checkHead(head) {
	return areTexts(head.labels, 2) &&
		isList(head.runs, 2) && Number.isFinite(head.confidence) && areTexts(head.verdict) && areTexts(head.notes) &&
		have(head.measures, ['name', 'unit'], []) && have(head.counters, ['name', 'unit', 'method'], []) &&
		head.counters.every(one => Array.isArray(one.functions) && (!one.diff ||
			Array.isArray(one.frames) && isList(one.diff.whole, 2) && Number.isFinite(one.diff.confidence)));
}

export function decode(buffer) {
	const { head } = unpackHead(buffer, checkHead);
	const names = head.names.length;
	return {
		head,
		measures: head.measures.map(measureOf),
		counters: head.counters.map(one => ({
			...one, whole: valueOf(one.whole), noise: valueOf(one.noise),
			functions: functionsOf(one.functions, names),
			root: one.diff ? framesOf(one.frames, names) : null,
		})),
	};
}

/* Call act() for a frame and all below it. */
export function eachFrame(root, act) {
	const open = root ? [root] : [];
	while (open.length) {
		const frame = open.pop();
		act(frame);
		for (const kid of frame.kids)
			open.push(kid);
	}
}

export function compute() {
	const counter = profile.counters[state.counter] || null;
	if (counter !== sum.counter || state.side !== sum.side) {
		eachFrame(counter && counter.root, frame => {
			frame.sums[0] = frame.change[state.side];
		});
		Object.assign(sum, { counter, side: state.side });
	}
	Object.assign(sum, compileSearch());
}

/* In the smallest unit in which short() does not round the value to one of the next. */
function scaled(value, base, units) {
	const power = units.findIndex((unit, i) => i === units.length - 1 || value / base ** i < base - 0.5);
	return short(value / base ** power) + ' ' + units[power];
}

/* An amount with its unit, for people. */
export function told(value, unit) {
	return unit !== 'bytes' || value < 1023.5 ? mean(value, unit).trim() :
		scaled(value, 1024, ['', 'KiB', 'MiB', 'GiB', 'TiB']);
}

/* The same for a cell of a table, where samples and events need no word, and many of them no digits. */
export function cellText(value, unit) {
	if (unit === 'ns' || unit === 'bytes')
		return told(value, unit);
	return value < 1e7 ? told(value, '') : scaled(value, 1000, ['', 'k', 'M', 'G', 'T']);
}

export function toldChange(value, unit) {
	return (value < 0 ? '\u2212' : '+') + told(Math.abs(value), unit);
}

/* A ratio in percent with its sign. */
export function toldRelative(ratio, digits) {
	return (ratio < 0 ? '\u2212' : '+') + Math.abs(100 * ratio).toFixed(digits) + '%';
}

/* Of a value with a change: in percent of before, or that there was nothing on one side. */
export function relativeText(value) {
	if (!(value.before > 0))
		return value.after > 0 ? 'new' : '';
	return value.after > 0 ? toldRelative(value.relative, value.relative < 10 ? 1 : 0) : 'gone';
}

/* Empty if it has no end. */
export function relativeInterval(value) {
	return Number.isFinite(value.relativeLow) && Number.isFinite(value.relativeHigh) ?
		toldRelative(value.relativeLow, 1) + ' to ' + toldRelative(value.relativeHigh, 1) : '';
}

export function absoluteInterval(value, unit) {
	return Number.isFinite(value.low) && Number.isFinite(value.high) ?
		toldChange(value.low, unit) + ' to ' + toldChange(value.high, unit) : '';
}

export function intervalText(value, unit) {
	const of = profile.head.confidence;
	const absolute = absoluteInterval(value, unit);
	if (!absolute)
		return 'no interval is known';
	const relative = relativeInterval(value);
	return short(of) + '% interval ' + absolute + (relative && ', ' + relative);
}

/* The class of a row by its change. */
export function sureClass(value) {
	if (!value.sure)
		return 'unsure';
	return value.change > 0 ? 'more' : 'less';
}

export function rowsOf() {
	const { functions, whole } = sum.counter;
	return functions.map(one => ({
		...one[state.by], function: one.function, name: profile.head.names[one.function],
		share: percent(one[state.by].after, whole.after),
	})).filter(row => row.before > 0 || row.after > 0);
}
