/*
 * Profiles made up for the modules of the page, in the form of viewer_data.h, and what they are opened
 * with.  Times are in ns until they are packed.
 */
import { defineState, setState, state, sum } from '../../runtime/output/page/model/page_state.js';
import { decode } from '../../runtime/output/page/model/viewer_data.js';
import { forget, prepare, sumsOf, valuesOf } from '../../runtime/output/page/model/viewer_model.js';
import { consistent, PARTS, START } from '../../runtime/output/page/model/viewer_state.js';

export const MS = 1e6;
export const SECOND = 1e9;
const TYPES = { u8: Uint8Array, u32: Uint32Array, f64: Float64Array };
const SAMPLE = [['time', 'u32'], ['node', 'u32'], ['track', 'u32'], ['counter', 'u8'], ['samples', 'u32'],
	['events', 'f64'], ['labels', 'u32']];

/* Whole numbers below a limit, the same each time: Park and Miller's generator. */
export function chanceOf(seed) {
	let value = seed * 7919 + 1;
	return limit => {
		value = value * 48271 % 2147483647;
		return value % limit;
	};
}

/* A JSON text and columns, as the page has them. */
export function pack(head, columns) {
	const block = [];
	let length = 0;
	head.columns = {};
	for (const [name, [kind, values]] of Object.entries(columns)) {
		const bytes = new Uint8Array(TYPES[kind].from(values).buffer);
		const padded = new Uint8Array(Math.ceil(bytes.length / 8) * 8);
		padded.set(bytes);
		head.columns[name] = [kind, length, values.length];
		block.push(padded);
		length += padded.length;
	}
	const text = new TextEncoder().encode(JSON.stringify(head));
	const start = Math.ceil((4 + text.length) / 8) * 8;
	const whole = new Uint8Array(start + length);
	new DataView(whole.buffer).setUint32(0, text.length, true);
	whole.set(text, 4);
	block.reduce((at, bytes) => {
		whole.set(bytes, at);
		return at + bytes.length;
	}, start);
	return whole;
}

/* One process with one thread, counted by task-clock. */
export class Made {
	constructor(seconds) {
		this.end = seconds * SECOND;
		this.counters = [{ name: 'task-clock', unit: 'ns', weight: 'samples', period: MS }];
		this.tracks = [];
		this.labels = [];
		this.names = ['all'];
		this.parents = [0];
		this.nodeNames = [0];
		this.samples = [];
		this.track('app', 100);
	}

	track(name, tid) {
		return this.tracks.push({ process: 0, tid, name, start: 0, end: this.end / 1000 }) - 1;
	}

	offCpu() {
		return this.counters.push({ name: 'off-cpu', unit: 'ns', weight: 'events', period: 0, offCpu: true }) - 1;
	}

	label(key, value) {
		return this.labels.push({ below: 0, key, value });
	}

	/* The number of a stack below the root. */
	node(...path) {
		return path.reduce((parent, text) => {
			const name = this.names.includes(text) ? this.names.indexOf(text) : this.names.push(text) - 1;
			const known = this.parents.findIndex((one, i) => i && one === parent && this.nodeNames[i] === name);
			return known > 0 ? known : (this.nodeNames.push(name), this.parents.push(parent) - 1);
		}, 0);
	}

	sample(time, node, more) {
		this.samples.push({ time, node, track: 0, counter: 0, samples: 1, events: 0, labels: 0, ...more });
	}

	packed() {
		const list = this.samples.map(one => ({ ...one, time: Math.floor(one.time / 1000) })).sort((a, b) => a.time - b.time);
		const columns = Object.fromEntries(SAMPLE.map(([key, kind]) => [key, [kind, list.map(one => one[key])]]));
		return pack({
			format: 1, unitNs: 1000, from: 0, to: this.end / 1000, counters: this.counters, tracks: this.tracks,
			processes: [{ name: 'app', pid: 100, start: 0, end: this.end / 1000 }], labels: this.labels, modules: [],
			files: [], names: this.names, kinds: this.names.map(() => 0), kindNames: [''], classes: this.names.map(() => 'u1'),
		}, { ...columns, nodeParent: ['u32', this.parents], nodeName: ['u32', this.nodeNames] });
	}
}

/* Opens packed data, at a link. */
export function open(bytes, hash = '') {
	globalThis.location = { hash, href: 'file:///page.html' };
	forget();
	prepare(decode(bytes.buffer));
	defineState({ start: START, parts: PARTS, consistent }, () => {});
	sum.values = valuesOf(state.counter, state.off, state.tracks, state.label);
	sum.now = sum.whole = sumsOf(sum.values, -Infinity, Infinity);
	sum.hits = sum.inside = sum.ratio = null;
}

export function change(wanted) {
	setState(consistent({ ...state, ...wanted }));
}
