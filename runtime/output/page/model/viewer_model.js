/*
 * Sums of a selection, without anything on screen.
 *
 * Samples are in the order of time, so a range of time is a slice of them.  What else selects
 * (counter, threads, labels) makes the values of all samples once, zero for those that are left
 * out.  A selection is then one pass over the slice, which adds values to nodes, and one pass over
 * the nodes in reverse, which adds children to their parents.
 */
import { profile, setProfile, state, sum } from './page_state.js';

const caches = {};

/* The result of produce() for these keys, which is kept until they change. */
export function once(name, keys, produce) {
	const key = JSON.stringify(keys);
	if (!caches[name] || caches[name].key !== key)
		caches[name] = { key, value: produce() };
	return caches[name].value;
}

/* What the values of samples, the sums of the selection, and those of a search depend on: keys of
 * once(). */
export function valueKeys() {
	return [state.counter, state.off, state.tracks, state.label];
}

export function sumKeys() {
	return [valueKeys(), state.from, state.to];
}

export function searchKeys() {
	return [state.search, state.ignoreCase];
}

export function forget() {
	for (const name of Object.keys(caches))
		delete caches[name];
	spare.self.length = spare.total.length = 0;
}

/* Children of all nodes: those of n are list[first[n]] … list[first[n + 1] - 1]. */
function childrenOf({ count, nodeParent }) {
	const first = new Uint32Array(count + 2);
	const list = new Uint32Array(Math.max(count - 1, 0));
	for (let i = 1; i < count; i++)
		first[nodeParent[i] + 2]++;
	for (let i = 2; i < count + 2; i++)
		first[i] += first[i - 1];
	for (let i = 1; i < count; i++)
		list[first[nodeParent[i] + 1]++] = i;
	return { first, list };
}

/* Whether a node is the outermost of its function, or of its module, on its stack.  Each stack is
 * walked outwards, so that the last node seen with a key is its outermost. */
function outermost(nodes, leaves, key, keys) {
	const { nodeParent } = nodes;
	const last = new Uint32Array(keys);
	const outer = new Uint8Array(nodes.count);
	outer[0] = 1;
	for (const leaf of leaves) {
		for (let at = leaf; at; at = nodeParent[at])
			last[key[at]] = at;
		last[key[0]] = 0;
		for (let at = leaf; at; at = nodeParent[at])
			if (last[key[at]] === at)
				outer[at] = 1;
	}
	return outer;
}

/* Nodes in which samples were taken, and the number of each sample's among them: there are far fewer
 * than nodes, so that sums of them stay in the processor's cache. */
function leavesOf(samples, count) {
	const number = new Int32Array(count).fill(-1);
	const of = new Uint32Array(samples.count);
	const list = [];
	for (let i = 0; i < samples.count; i++) {
		const node = samples.node[i];
		if (number[node] < 0) {
			number[node] = list.length;
			list.push(node);
		}
		of[i] = number[node];
	}
	return { of, list: Uint32Array.from(list) };
}

/* The tables that belong to the nodes and samples of the profile. */
export function index() {
	profile.children = childrenOf(profile.nodes);
	profile.leaves = leavesOf(profile.samples, profile.nodes.count);
}

export function prepare(read) {
	const { head } = read;
	const order = head.names.map((_, i) => i).sort((a, b) =>
		head.names[a] < head.names[b] ? -1 : head.names[a] > head.names[b] ? 1 : a - b);
	const rank = new Uint32Array(head.names.length);
	order.forEach((name, at) => {
		rank[name] = at;
	});
	setProfile(read);
	profile.rank = rank;
	index();
	profile.scratch = new Int32Array(head.names.length).fill(-1);
	profile.hasSpans = head.counters.some(counter => counter.offCpu);
	profile.length = Math.max(head.to - head.from, 1);
	profile.hasTime = profile.length > 1;
}

/* By node, whether it is the outermost of its function, or of its module. */
export function outerBy(what) {
	const { nodes, head, leaves } = profile;
	return what === 'function' ?
		once('outer functions', [], () => outermost(nodes, leaves.list, nodes.nodeName, head.names.length)) :
		once('outer modules', [], () =>
			outermost(nodes, leaves.list, nodes.nodeModule, head.modules.length + 1));
}

/* The first sample at or after a time. */
export function firstAt(time) {
	const times = profile.samples.time;
	let low = 0;
	let high = times.length;
	while (low < high) {
		const middle = (low + high) >> 1;
		if (times[middle] < time)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Number of ns of a sample of a counter in ns. */
export function nsOf(counter, i) {
	const { samples, events } = profile.samples;
	return events[i] || samples[i] * (profile.head.counters[counter].period || 0);
}

/* What a counter counts: the unit of its values, with off-CPU time or without. */
export function unitOf(counter, withOff) {
	const { weight, unit, name } = profile.head.counters[counter];
	if (withOff || (weight === 'events' && unit === 'ns'))
		return 'ns';
	return weight === 'samples' ? 'samples' : unit || name;
}

export function canHaveOff(counter) {
	const chosen = profile.head.counters[counter];
	return profile.hasSpans && chosen.unit === 'ns' && !chosen.offCpu;
}

function trackMask(tracks) {
	const mask = new Uint8Array(profile.head.tracks.length).fill(tracks ? 0 : 1);
	for (const track of tracks || [])
		mask[track] = 1;
	return mask;
}

/* The value of a label's key in a set of labels: the number of the label that says it, or 0. */
export function labelIn(set, key) {
	for (let at = set; at; at = profile.head.labels[at - 1].below)
		if (profile.head.labels[at - 1].key === key)
			return at;
	return 0;
}

function labelMask(label) {
	const { labels } = profile.head;
	return Uint8Array.from({ length: labels.length + 1 }, (_, set) => {
		const at = label ? labelIn(set, label[0]) : 0;
		return !label || (at ? labels[at - 1].value : '') === label[1] ? 1 : 0;
	});
}

/* Values of all samples that are no spans, and of the spans; others have 0. */
export function valuesOf(counter, withOff, tracks, label) {
	const { samples, head } = profile;
	const allowed = trackMask(tracks);
	const labels = labelMask(label);
	const point = new Float64Array(samples.count);
	const spans = [];
	const chosen = head.counters[counter];
	for (let i = 0; i < samples.count; i++) {
		if (!allowed[samples.track[i]] || !labels[samples.labels[i]])
			continue;
		const one = head.counters[samples.counter[i]];
		if (one.offCpu && (withOff || one === chosen))
			spans.push(i);
		else if (one !== chosen)
			continue;
		else if (withOff)
			point[i] = nsOf(counter, i);
		else
			point[i] = chosen.weight === 'samples' ? samples.samples[i] : samples.events[i];
	}
	return { point, spans: Uint32Array.from(spans), counter, withOff };
}

/* The value of what of a span lies in an interval. */
export function spanIn(values, i, from, to) {
	const { time, events, samples, counter } = profile.samples;
	const length = events[i] / profile.head.unitNs;
	const part = Math.min(time[i], to) - Math.max(time[i] - length, from);
	const whole = values.withOff || profile.head.counters[counter[i]].weight === 'events' ?
		events[i] : samples[i];
	if (length <= 0)
		return time[i] >= from && time[i] < to ? whole : 0;
	return part > 0 ? whole * Math.min(part / length, 1) : 0;
}

/* Calls visit(sample, value, isSpan) for all that counts between two times. */
export function each(values, from, to, visit) {
	const end = firstAt(to);
	for (let i = firstAt(from); i < end; i++)
		if (values.point[i] > 0)
			visit(i, values.point[i], false);
	for (const i of values.spans) {
		const part = spanIn(values, i, from, to);
		if (part > 0)
			visit(i, part, true);
	}
}

/* Large arrays of sums that are no longer shown are used again.  What is 0 for nodes without samples
 * stays 0. */
const spare = { self: [], total: [] };

function selfBuffer() {
	return spare.self.pop() || new Float64Array(profile.nodes.count);
}

export function recycle(sums) {
	spare.self.push(sums.self);
	spare.total.push(sums.total);
}

function addUp(self) {
	const total = spare.total.pop() || new Float64Array(self.length);
	total.set(self);
	const { nodeParent, count } = profile.nodes;
	for (let i = count - 1; i > 0; i--)
		total[nodeParent[i]] += total[i];
	return total;
}

/* Sums of what is selected: by node, by thread and by set of labels. */
export function sumsOf(values, from, to) {
	const { track, labels } = profile.samples;
	const { of, list } = profile.leaves;
	const { point, spans } = values;
	const own = new Float64Array(list.length);
	const waits = new Float64Array(spans.length ? list.length : 0);
	const byTrack = new Float64Array(profile.head.tracks.length);
	const byLabels = new Float64Array(profile.head.labels.length + 1);
	const end = firstAt(to);
	for (let i = firstAt(from); i < end; i++) {
		const value = point[i];
		own[of[i]] += value;
		byTrack[track[i]] += value;
		byLabels[labels[i]] += value;
	}
	for (const i of spans) {
		const value = spanIn(values, i, from, to);
		waits[of[i]] += value;
		byTrack[track[i]] += value;
		byLabels[labels[i]] += value;
	}
	const self = selfBuffer();
	const off = spans.length ? new Float64Array(profile.nodes.count) : null;
	for (let leaf = 0; leaf < list.length; leaf++) {
		self[list[leaf]] = own[leaf] + (off ? waits[leaf] : 0);
		if (off)
			off[list[leaf]] = waits[leaf];
	}
	const total = addUp(self);
	return { self, total, byTrack, byLabels, all: total[0], off: off && { self: off, total: addUp(off) } };
}

/* Self and total of a counter's events by node, for ratios. */
export function eventsOf(counter, tracks, label, from, to) {
	const { samples, head } = profile;
	const allowed = trackMask(tracks);
	const labels = labelMask(label);
	const self = new Float64Array(profile.nodes.count);
	const ns = head.counters[counter].unit === 'ns';
	const end = firstAt(to);
	for (let i = firstAt(from); i < end; i++)
		if (samples.counter[i] === counter && allowed[samples.track[i]] &&
		    labels[samples.labels[i]])
			self[samples.node[i]] += ns ? nsOf(counter, i) : samples.events[i];
	return { self, total: addUp(self) };
}

/* Self and total by a key of nodes: of all nodes, and of those that are outermost. */
export function sumNodes(weights, key, outer, keys) {
	const self = new Float64Array(keys);
	const total = new Float64Array(keys);
	for (let i = 0; i < key.length; i++) {
		self[key[i]] += weights.self[i];
		if (outer[i])
			total[key[i]] += weights.total[i];
	}
	return { self, total };
}

export function processName(process) {
	const { name, pid } = profile.head.processes[process];
	return name + ' (' + pid + ')';
}

export function trackName(track) {
	const { name, tid } = profile.head.tracks[track];
	return name + ' (' + tid + ')';
}

export function tracksOf(process) {
	return profile.head.tracks.flatMap((track, i) => track.process === process ? [i] : []);
}

/* To a thousandth, as amounts are written. */
export function round(value) {
	return Math.round(value * 1000) / 1000;
}

export function functionSums() {
	return once('functions', [sumKeys()], () =>
		sumNodes(sum.now, profile.nodes.nodeName, outerBy('function'), profile.head.names.length));
}

export function moduleSums() {
	return once('modules', [sumKeys()], () =>
		sumNodes(sum.now, profile.nodes.nodeModule, outerBy('module'), profile.head.modules.length + 1));
}

/* The function with the largest value of its own. */
export function heaviest() {
	const { self } = functionSums();
	return self.reduce((best, value, i) => value > self[best] ? i : best, 0);
}
