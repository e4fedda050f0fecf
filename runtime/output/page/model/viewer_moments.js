/*
 * Unusual moments: the intervals of the run whose stacks or load differ most from the rest.
 *
 * The run is cut into buckets of several lengths.  A bucket is unusual if one function has a much
 * larger share of it than of the whole run, or if it has far fewer or far more samples than most
 * buckets.  Neighbours that are unusual in the same way are one moment, and moments of the same kind are one
 * entry of the list.  All is of the selected threads and label.
 *
 * One record may stand for many samples.  It is one observation all the same, so that chance is
 * judged by records, and it belongs to all buckets of the time that it stands for.
 */
import { plain, share } from '../../graph/graph_words.js';
import { profile, state } from './page_state.js';
import {
	canHaveOff, firstAt, nsOf, outerBy, recycle, sumNodes, sumsOf, valuesOf,
} from './viewer_model.js';
import { durationText, nsAt } from './viewer_times.js';

const FEATURES = 64;     // functions that are told apart; the last stands for all others

/* The time that each record stands for, which ends at its own; a counter that is no clock gives at
 * most the time since the record before.  `mean` is that of a sample, `lump` the number of samples
 * that come together. */
function recordsOf(values) {
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

/* Samples and records by bucket and feature. */
function countBuckets(records, feature, count) {
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
		for (let bucket = long > 1 ? Math.floor(to - long) : last; bucket <= last; bucket++) {
			const fraction = long > 1 ? (Math.min(to, bucket + 1) - Math.max(to - long, bucket)) / long : 1;
			result.records[bucket * FEATURES + byLeaf[of[i]]] += fraction;
			result.samples[bucket * FEATURES + byLeaf[of[i]]] += fraction * (samples[i] || 1);
		}
	}
	return result;
}

/* The same for buckets that are longer by a factor. */
function joined(counts, factor) {
	const result = new Float64Array(counts.length / factor);
	for (let from = 0; from < counts.length; from += FEATURES) {
		const to = Math.floor(from / FEATURES / factor) * FEATURES;
		for (let k = 0; k < FEATURES; k++)
			result[to + k] += counts[from + k];
	}
	return result;
}

/* By feature, its share of all. */
function sharesOf(counts) {
	const sums = joined(counts, counts.length / FEATURES);
	const whole = sums.reduce((all, value) => all + value, 0);
	return sums.map(value => value / whole);
}

const BUCKETS = [4096, 1024, 256, 64];
const KINDS_SHOWN = 8;

/* By name, the number of its feature: the largest functions have their own. */
function featuresOf(self) {
	const order = Array.from(self.keys()).filter(name => self[name] > 0).sort((a, b) => self[b] - self[a]);
	const result = new Uint8Array(self.length).fill(FEATURES - 1);
	order.slice(0, FEATURES - 1).forEach((name, i) => {
		result[name] = i;
	});
	return { of: result, names: order };
}

/* Whether k of n records are more than a share p explains, with that much evidence, a logarithm. */
function isMore(k, n, p, least) {
	const rest = n - k;
	return k > n * p &&
		k * Math.log(k / (n * p)) + (rest > 1e-9 ? rest * Math.log(rest / (n * (1 - p))) : 0) > least;
}

/* The function whose share of the samples of one bucket exceeds that of the whole most, and its records
 * among all of the bucket. */
function mixture({ samples, records }, at, all, shares) {
	let feature = 0;
	let most = 0;
	let inBucket = 0;
	for (let k = 0; k < FEATURES; k++) {
		const excess = samples[at * FEATURES + k] / all - shares.samples[k];
		inBucket += records[at * FEATURES + k];
		if (excess > most) {
			most = excess;
			feature = k;
		}
	}
	return { effect: most, feature, count: records[at * FEATURES + feature], all: inBucket,
		usual: shares.records[feature] };
}

/* What is unusual in each bucket: { kind, effect, samples, … }; null: nothing; undefined: nothing is known
 * of it, since it has no samples. */
function judge(counts, count, shares, lump) {
	const load = new Float64Array(count);
	for (let i = 0; i < counts.samples.length; i++)
		load[Math.floor(i / FEATURES)] += counts.samples[i];
	const usual = load.slice().sort()[Math.floor(count / 2)] / lump;
	return Array.from(load, (samples, at) => {
		const mix = samples ? mixture(counts, at, samples, shares) : null;
		const all = samples / lump;
		const whole = mix && Math.max(1, 1 / mix.all); // a bucket may have a fraction of a record
		if (mix && mix.effect > 0.3 && isMore(mix.count * whole, mix.all * whole, mix.usual, 2))
			return { kind: 'mix' + mix.feature, effect: mix.effect, samples: mix.all, count: mix.count, usual: mix.usual };
		if (usual >= 4 && all < 0.3 * usual)
			return { kind: 'quiet', effect: 1 - all / usual, samples: usual, count: all };
		if (usual >= 4 && all > 2 * usual + 6 * Math.sqrt(usual))
			return { kind: 'busy', effect: Math.min(all / usual / 6, 1), samples: usual, count: all };
		return samples ? null : undefined;
	});
}

/* Joins neighbours of one kind, also over buckets of which nothing is known, if they are no longer than the
 * moment before them. */
function joinKinds(judged, count) {
	const length = profile.length / count;
	const found = [];
	let last = null;
	judged.forEach((what, at) => {
		const from = profile.head.from + at * length;
		if (what && last && last.kind === what.kind) {
			last.to = from + length;
			last.samples += what.samples;
			last.count += what.count;
			last.effect = Math.max(last.effect, what.effect);
		} else if (what !== undefined || !last || from - last.to >= last.to - last.from) {
			last = what && { ...what, from, to: from + length, length };
			if (last)
				found.push(last);
		}
	});
	return found;
}

/* Joins neighbours.  Where threads had to wait for a processor, what they did goes on behind that. */
function joinBuckets(judged, count) {
	const isQuiet = what => what && what.kind === 'quiet';
	return [...joinKinds(judged.map(what => isQuiet(what) ? undefined : what), count),
		...joinKinds(judged.map(what => isQuiet(what) ? what : null), count)];
}

/* Whether a moment is more than chance, which many buckets have to be unusual by.  For loads,
 * `samples` are those that are usual. */
function isCertain({ kind, count, samples, usual }, buckets) {
	if (kind.startsWith('mix'))
		return count >= 4 && isMore(count, samples, usual, Math.log(buckets * FEATURES) + 3);
	return samples - count + (count ? count * Math.log(count / samples) : 0) > Math.log(buckets) + 2;
}

/* The nearest record that counts, from a sample on in steps of 1 or -1; -1: none. */
function nextRecord(point, at, step) {
	let i = at;
	while (i >= 0 && i < point.length && !(point[i] > 0))
		i += step;
	return i < point.length ? i : -1;
}

/* Moves the ends of a moment from those of its buckets to those of its records; null: it has only one
 * time, or is shorter than what a sample stands for. */
function trim(moment, feature, { point, span, mean }) {
	const { time: times, node } = profile.samples;
	const { head, nodes } = profile;
	let { from, to } = moment;
	if (moment.kind === 'quiet') {
		const before = nextRecord(point, firstAt((from + to) / 2) - 1, -1);
		const next = nextRecord(point, firstAt((from + to) / 2), 1);
		const [low, high] = [before < 0 ? head.from : times[before], next < 0 ? head.to : times[next] - span[next]];
		if (high - low > 0.7 * (to - from))
			[from, to] = [low + 1, high];
	} else if (moment.kind !== 'busy') {
		const own = Number(moment.kind.slice(3));
		const inside = [];
		const end = firstAt(to + moment.length);
		for (let i = firstAt(from - moment.length); i < end; i++)
			if (point[i] > 0 && feature[nodes.nodeName[node[i]]] === own)
				inside.push(i);
		const [first, last] = [inside[0], inside[inside.length - 1]];
		if (!inside.length || times[first] === times[last])
			return null;
		const before = nextRecord(point, firstAt(times[first]) - 1, -1);
		to = times[last] + 1;
		from = Math.max(times[first] - span[first], before < 0 ? head.from : times[before] + 1);
		from = Math.max(Math.min(from, to - mean), head.from);
	}
	[from, to] = [Math.floor(from), Math.max(Math.ceil(to), Math.floor(from) + 1)];
	return to - from < Math.floor(mean) ? null : { ...moment, from, to };
}

function scoreOf(list) {
	return list.reduce((all, one) => all + one.effect ** 2 * Math.log1p(one.samples), 0) / Math.sqrt(list.length);
}

/* The numbers of buckets, the most first: no bucket is much shorter than what a sample stands for. */
function divisions(mean) {
	return BUCKETS.filter(buckets => buckets <= profile.length &&
		(profile.length / buckets >= mean / 4 || buckets === BUCKETS[BUCKETS.length - 1]));
}

/* The moments of each kind, with the length of buckets that shows them best. */
function bestMoments(records, feature) {
	const best = new Map();
	const divided = divisions(records.mean);
	const [most] = divided;
	const counts = most && countBuckets(records, feature, most);
	const shares = most && { samples: sharesOf(counts.samples), records: sharesOf(counts.records) };
	for (const count of divided) {
		const both = { samples: joined(counts.samples, most / count), records: joined(counts.records, most / count) };
		const found = joinBuckets(judge(both, count, shares, records.lump), count).filter(one => isCertain(one, count))
			.map(one => trim(one, feature, records)).filter(Boolean);
		for (const kind of new Set(found.map(one => one.kind))) {
			const list = found.filter(one => one.kind === kind);
			const score = scoreOf(list);
			if (!best.has(kind) || best.get(kind).score < score)
				best.set(kind, { kind, list, score });
		}
	}
	return [...best.values()];
}

/* The kinds of moments, the most unusual first. */
export function findMoments() {
	const { counter, tracks, label } = state;
	const values = valuesOf(counter, false, tracks, label);
	const before = sumsOf(values, -Infinity, Infinity);
	const { self } = sumNodes(before, profile.nodes.nodeName, outerBy('function'), profile.head.names.length);
	const found = bestMoments(recordsOf(values), featuresOf(self).of).sort((a, b) => b.score - a.score)
		.slice(0, KINDS_SHOWN).map(entry => explain(entry.list, values, before));
	recycle(before);
	return found;
}

/* The interval of moments that come at regular times, or 0. */
function interval(list) {
	const steps = list.slice(1).map((one, i) => one.from - list[i].from).sort((a, b) => a - b);
	const middle = steps[Math.floor(steps.length / 2)];
	const near = steps.filter(step => Math.abs(step - middle) < 0.1 * middle).length;
	return steps.length >= 3 && near >= 0.6 * steps.length ? middle : 0;
}

/* The node whose share grew most; of nodes with nearly the same growth the outermost. */
function mostGrown(now, before) {
	let best = 0;
	let most = 0;
	for (let i = 1; i < now.total.length; i++) {
		const grown = now.total[i] / now.all - before.total[i] / before.all;
		if (grown > most + 0.02) {
			most = grown;
			best = i;
		}
	}
	return best;
}

/* How long moments are, how many, and how far apart. */
function timesText(list) {
	const lengths = list.map(one => nsAt(one.to - one.from)).sort((a, b) => a - b);
	const [least, most] = [lengths[0], lengths[lengths.length - 1]];
	const every = interval(list);
	return (list.length > 1 ? list.length + ' times ' : '') + (most > 2 * least ?
		durationText(least) + ' to ' + durationText(most) :
		durationText(lengths.reduce((all, one) => all + one, 0) / list.length)) +
		(every ? ', every ' + durationText(nsAt(every)) : '');
}

/* The function in which threads waited more than usual at a quiet moment, where that is known; 0:
 * unknown. */
function waitedIn({ from, to }) {
	const { counter, tracks, label } = state;
	if (!canHaveOff(counter))
		return 0;
	const values = valuesOf(counter, true, tracks, label);
	const [before, now] = [sumsOf(values, -Infinity, Infinity), sumsOf(values, from, to)];
	const node = now.all > 0 && now.off && now.off.total[0] > 0.5 * now.all ? mostGrown(now, before) : 0;
	recycle(before);
	recycle(now);
	return node;
}

function explain(list, values, before) {
	const typical = list.slice().sort((a, b) => b.effect * b.samples - a.effect * a.samples)[0];
	const entry = { list: list.slice().sort((a, b) => a.from - b.from), typical, times: timesText(list), name: -1, next: -1 };
	const { nodeName } = profile.nodes;
	entry.what = 'Unusually many samples';
	if (list[0].kind === 'quiet') {
		const node = waitedIn(typical);
		entry.name = node ? nodeName[node] : -1;
		entry.what = 'Nearly no samples' + (node ? ', waits in ' + plain(profile.head.names[entry.name]) : '');
	} else if (list[0].kind !== 'busy') {
		const now = sumsOf(values, typical.from, typical.to);
		const node = mostGrown(now, before);
		entry.name = nodeName[node];
		entry.what = plain(profile.head.names[entry.name]) + ' ' + share(now.total[node], now.all) +
			' instead of ' + share(before.total[node], before.all);
		recycle(now);
	}
	return entry;
}
