/*
 * Samples and records by pieces of the run, in which unusual moments are looked for.
 *
 * One record may stand for many samples.  It is one observation all the same, so that chance is
 * judged by records, and it belongs to all pieces of the time that it stands for.
 */
import { profile } from './page_state.js';
import { nsOf } from './viewer_model.js';

export const FEATURES = 64;     // functions that are told apart; the last stands for all others

/* The time that each record stands for, which ends at its own; a counter that is no clock gives at
 * most the time since the record before.  `mean` is that of a sample, `lump` the number of samples
 * that come together. */
export function recordsOf(values) {
	const { time: times, samples } = profile.samples;
	const { point, counter } = values;
	const clock = profile.head.counters[counter].unit === 'ns';
	const span = new Float32Array(times.length);
	const sums = [0, 0, 0];
	let before = profile.head.from;
	for (let i = 0; i < times.length; i++)
		if (point[i] > 0)
			sums[0] += samples[i] || 1;
	for (let i = 0; i < times.length; i++) {
		if (!(point[i] > 0))
			continue;
		const weight = samples[i] || 1;
		if (clock)
			span[i] = Math.min(nsOf(counter, i) / profile.head.unitNs, times[i] - profile.head.from);
		else if (weight > 1)
			span[i] = Math.min(weight * profile.length / sums[0], times[i] - before);
		before = times[i];
		sums[1] += weight ** 2;
		sums[2] += span[i];
	}
	return { point, span, mean: sums[2] / (sums[0] || 1), lump: sums[1] / (sums[0] || 1) };
}

/* Samples and records by piece and feature. */
export function countPieces(records, feature, count) {
	const { time: times, samples } = profile.samples;
	const { nodeName } = profile.nodes;
	const { of, list } = profile.leaves;
	const byLeaf = Uint8Array.from(list, node => feature[nodeName[node]]);
	const result = { samples: new Float64Array(count * FEATURES), records: new Float64Array(count * FEATURES) };
	const scale = count / profile.length;
	for (let i = 0; i < times.length; i++) {
		if (!(records.point[i] > 0))
			continue;
		const to = Math.min((times[i] - profile.head.from) * scale, count);
		const long = records.span[i] * scale;
		const last = Math.min(Math.floor(to), count - 1);
		for (let piece = long > 1 ? Math.floor(to - long) : last; piece <= last; piece++) {
			const part = long > 1 ? (Math.min(to, piece + 1) - Math.max(to - long, piece)) / long : 1;
			result.records[piece * FEATURES + byLeaf[of[i]]] += part;
			result.samples[piece * FEATURES + byLeaf[of[i]]] += part * (samples[i] || 1);
		}
	}
	return result;
}

/* The same for pieces that are longer by a factor. */
export function joined(counts, factor) {
	const result = new Float64Array(counts.length / factor);
	for (let from = 0; from < counts.length; from += FEATURES) {
		const to = Math.floor(from / FEATURES / factor) * FEATURES;
		for (let k = 0; k < FEATURES; k++)
			result[to + k] += counts[from + k];
	}
	return result;
}

/* By feature, its share of all. */
export function sharesOf(counts) {
	const sums = joined(counts, counts.length / FEATURES);
	const whole = sums.reduce((all, value) => all + value, 0);
	return sums.map(value => value / whole);
}
