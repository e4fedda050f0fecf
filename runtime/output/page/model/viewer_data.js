/*
 * Reads the data of the page (viewer_data.h): base64, deflate, columns.
 *
 * Data from a file is not trusted: readProfile() refuses numbers that point outside their tables, so that
 * no other part has to check them.
 */
import { areTexts, DAMAGED, have, unpackHead } from './page_unpack.js';

const TYPES = { u8: Uint8Array, u16: Uint16Array, u32: Uint32Array, f64: Float64Array };
function columnAt(buffer, start, [type, offset, count]) {
	const kind = TYPES[type.replace('d', '')];
	const bytes = kind.BYTES_PER_ELEMENT * count;
	const at = start + offset;
	if (at + bytes > buffer.byteLength)
		throw new Error(DAMAGED);
	const values = at % kind.BYTES_PER_ELEMENT ?
		new kind(buffer.slice(at, at + bytes)) : new kind(buffer, at, count);
	if (type.endsWith('d'))
		for (let i = 1; i < count; i++)
			values[i] += values[i - 1]; // modulo its size
	return values;
}

/* All columns of one table have the same number of values; one that is left out holds zeros. */
function table(buffer, start, columns, kinds, least) {
	const result = { count: least };
	for (const name in kinds)
		if (columns[name])
			result.count = Math.max(result.count, columns[name][2]);
	for (const [name, kind] of Object.entries(kinds)) {
		result[name] = columns[name] ? columnAt(buffer, start, columns[name]) :
			new TYPES[kind](result.count);
		if (result[name].length !== result.count)
			throw new Error(DAMAGED);
	}
	return result;
}

function below(values, limit) {
	for (let i = 0; i < values.length; i++)
		if (values[i] >= limit)
			return false;
	return true;
}

function isTime(value) {
	return value >= 0 && value <= 2 ** 33;
}

/* Instructions: an offset and a text, then file and line or neither. */
function areRows(rows, files) {
	return Array.isArray(rows) && rows.every(row => Array.isArray(row) && Number.isFinite(row[0]) &&
		typeof row[1] === 'string' && (row.length === 2 || (row[2] >= 0 && row[2] < files && row[3] >= 0)));
}

function checkHead(head) {
	const { names } = head;
	head.notes ??= [];
	head.marks ??= [];
	head.code ??= [];
	head.waits ??= [];
	return areTexts(head.modules) && areTexts(head.notes) &&
		head.unitNs > 0 && head.unitNs < 2 ** 40 && isTime(head.from) && isTime(head.to) &&
		head.from <= head.to && Number.isFinite(head.realtimeMs ?? 0) &&
		have(head.counters, ['name', 'unit', 'weight'], []) && head.counters.length > 0 &&
		have(head.processes, ['name'], ['pid', 'start', 'end']) &&
		have(head.tracks, ['name'], ['process', 'tid', 'start', 'end']) &&
		head.tracks.every(track => track.process >= 0 && track.process < head.processes.length) &&
		have(head.labels, ['key', 'value'], ['below']) &&
		head.labels.every((label, i) => label.below >= 0 && label.below <= i) &&
		have(head.marks, ['kind'], ['time']) && have(head.files, ['path'], []) &&
		have(head.waits, [0], [1]) && head.waits.every(one => one[1] >= 0 && one[1] < names.length) &&
		have(head.code, ['name', 'path'], ['start']) && head.code.every(one => areRows(one.rows, head.files.length)) &&
		head.files.every(file => file.text === undefined || typeof file.text === 'string') &&
		(!head.legend || have(head.legend.slice(1), [0, 1], []));
}

function check({ nodes, samples, lines, head }) {
	let sound = below(nodes.nodeName, head.names.length) &&
		below(nodes.nodeModule, head.modules.length + 1) &&
		below(nodes.nodeWait, head.waits.length + 1) && below(samples.node, nodes.count) &&
		below(samples.counter, head.counters.length) && below(samples.track, head.tracks.length) &&
		below(samples.labels, head.labels.length + 1) && below(samples.line, lines.count + 1) &&
		below(samples.instruction, head.code.reduce((all, one) => all + one.rows.length, 1)) &&
		below(lines.lineFile, head.files.length) && nodes.nodeParent[0] === 0;
	for (let i = 1; i < nodes.count; i++)
		sound = sound && nodes.nodeParent[i] < i;
	for (let i = 1; i < samples.count; i++)
		sound = sound && samples.time[i] >= samples.time[i - 1];
	for (let i = 0; i < samples.count; i++)
		sound = sound && samples.events[i] >= 0 && samples.events[i] < 1e300;
	if (!sound)
		throw new Error(DAMAGED);
}

export function decode(buffer) {
	const { head, start } = unpackHead(buffer, checkHead);
	const nodes = table(buffer, start, head.columns,
		{ nodeParent: 'u32', nodeName: 'u32', nodeModule: 'u32', nodeWait: 'u32' }, 1);
	const lines = table(buffer, start, head.columns, { lineFile: 'u32', lineNumber: 'u32' }, 0);
	const samples = table(buffer, start, head.columns, {
		time: 'u32', node: 'u32', track: 'u32', counter: 'u8', samples: 'u32', events: 'f64',
		labels: 'u32', line: 'u32', instruction: 'u32',
	}, 0);
	const result = { head, nodes, lines, samples };
	check(result);
	return result;
}
