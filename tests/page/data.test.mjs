/* The data of a page are not trusted: what points outside its tables is refused, and the rest is drawn. */
import assert from 'node:assert';
import test from 'node:test';

import { decode as decodeComparison } from '../../runtime/output/page/model/difference_data.js';
import { decode } from '../../runtime/output/page/model/viewer_data.js';
import { layOut } from '../../runtime/output/page/model/page_layout.js';
import { sumsOf, valuesOf } from '../../runtime/output/page/model/viewer_model.js';
import { findMoments } from '../../runtime/output/page/model/viewer_moments.js';
import { partition } from '../../runtime/output/page/model/viewer_subtrees.js';
import { pictureDown, pictureUp } from '../../runtime/output/page/model/viewer_tree.js';
import { chanceOf, Made, MS, open, pack, SECOND } from './made.mjs';

function waits() {
	const made = new Made(4);
	const counter = made.offCpu();
	const work = made.node('app', 'main', 'work');
	const wait = made.node('app', 'main', 'read');
	for (let step = 0; step < 300; step++)
		made.sample(step * 10 * MS, work, { events: 10 * MS, labels: made.labels.length });
	made.sample(4 * SECOND, wait, { counter, events: 900 * MS });
	return made;
}

function refused(bytes) {
	assert.throws(() => decode(bytes.buffer));
}

test('data that are cut off are refused', () => {
	const bytes = waits().packed();
	for (const length of [0, 3, 10, bytes.length - 100])
		refused(bytes.slice(0, length));
});

test('a head that is no text is refused', () => {
	const bytes = waits().packed();
	bytes.fill(120, 4, 4 + new DataView(bytes.buffer).getUint32(0, true));
	refused(bytes);
});

test('a sample with a number that points outside its table is refused', () => {
	for (const [key, value] of [['node', 1e6], ['track', 1], ['counter', 2], ['labels', 1], ['events', -1], ['events', NaN]]) {
		const made = waits();
		made.samples[5][key] = value;
		refused(made.packed());
	}
});

test('a parent that comes later is refused', () => {
	const made = waits();
	made.parents[1] = 2;
	refused(made.packed());
});

test('columns of differences are added up, and those that are left out are 0', () => {
	const head = {
		format: 1, unitNs: 1000, from: 0, to: 9, counters: [{ name: 'a', unit: '', weight: 'samples' }], modules: [],
		processes: [{ name: 'a', pid: 1, start: 0, end: 9 }], tracks: [{ name: 'a', process: 0, tid: 1, start: 0, end: 9 }],
		labels: [], files: [], names: ['all'], kinds: [0], kindNames: [''], classes: ['u1'],
	};
	const bytes = pack(head, { time: ['u32', [3, 1, 2]] });
	const text = new TextDecoder().decode(bytes).replace('["u32"', '["u32d"').replace('"a","unit":""', '"","unit":""');
	const { samples, nodes } = decode(new TextEncoder().encode(text).buffer);
	assert.deepEqual([...samples.time], [3, 4, 6]);
	assert.deepEqual([...samples.node, nodes.count], [0, 0, 0, 1]);
});

/* Everything that is computed of a profile. */
function compute(bytes) {
	open(bytes);
	const sums = sumsOf(valuesOf(0, true, null, null), -Infinity, Infinity);
	for (const picture of [pictureDown([sums.total]), pictureUp([sums.self], [sums.total])])
		layOut(picture, picture.root, 900, 0);
	partition();
	findMoments();
}

test('changed bytes are refused, or the rest is computed', () => {
	const chance = chanceOf(1);
	let refusals = 0;
	for (let round = 0; round < 400; round++) {
		const bytes = waits().packed();
		const length = new DataView(bytes.buffer).getUint32(0, true);
		for (let change = chance(3); change >= 0; change--) {
			const at = round % 2 ? 4 + chance(length) : 4 + length + chance(bytes.length - 4 - length);
			bytes[at] = round % 2 ? '0129[]{},"\0\xff'.charCodeAt(chance(12)) : chance(256);
		}
		try {
			decode(bytes.slice().buffer);
		} catch {
			refusals++;
			continue;
		}
		compute(bytes);
	}
	assert.ok(refusals > 0 && refusals < 400); // both happen
});

function comparison(more) {
	const value = [1, 2, 0.5, 1.5, null, null, 1, 1];
	return pack({
		format: 1, names: ['all', 'f'], kinds: [0, 0], kindNames: [''], classes: ['u1', 'u1'], labels: ['a', 'b'], runs: [3, 3],
		confidence: 95, verdict: [], notes: [], measures: [],
		counters: [{ name: 'c', unit: '', method: '', functions: [1, value, value], whole: value, noise: value,
			diff: { whole: [1, 2], confidence: 95 }, frames: [0, 0, 1, 2, null, null, 'r1', 0, 1, 1, 2, null, null, 'r1'], ...more }],
	}, {}).buffer;
}

test('a comparison is read', () => {
	const { counters: [{ root, functions }] } = decodeComparison(comparison({}));
	assert.deepEqual(root.kids.map(kid => [kid.name, kid.change.after]), [[1, 2]]);
	assert.equal(functions[0].self.change, 1);
});

test('a comparison with a function or a frame without a name, a value that is none, or two roots is refused', () => {
	for (const more of [{ functions: [2, [], []] }, { frames: [0, 2, 1, 2, null, null, 'r1'] }, { whole: [1, 'a'] },
		{ frames: [0, 0, 1, 2, null, null, 'r1', 1, 1, 1, 2, null, null, 'r1'] }])
		assert.throws(() => decodeComparison(comparison(more)));
});
