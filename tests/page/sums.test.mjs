/* Sums of a selection are those of its samples, counted one by one. */
import assert from 'node:assert';
import test from 'node:test';

import { binned } from '../../runtime/output/page/model/viewer_bins.js';
import { layOut } from '../../runtime/output/page/model/page_layout.js';
import { outerBy, sumNodes, sumsOf, valuesOf } from '../../runtime/output/page/model/viewer_model.js';
import { numbers, numbersText } from '../../runtime/output/page/model/viewer_state.js';
import { profile, state } from '../../runtime/output/page/model/page_state.js';
import { gather, matchedNodes, matchedValue, pictureDown, pictureOf, pictureUp } from '../../runtime/output/page/model/viewer_tree.js';
import { ratioBounds, ratioStep } from '../../runtime/output/page/model/viewer_ratio.js';
import { chanceOf, Made, MS, open } from './made.mjs';

const STACKS = ['app main parse parse hash', 'app main parse copy', 'app main draw copy', 'app idle'].map(text => text.split(' '));

/* Samples of two threads, two labels and two counters, and waits. */
function made() {
	const chance = chanceOf(2);
	const result = new Made(10);
	const nodes = STACKS.map(path => result.node(...path));
	result.track('worker', 101);
	result.counters.push({ name: 'page-faults', unit: '', weight: 'samples', period: 1 });
	const counter = result.offCpu();
	const labels = [0, result.label('tenant', 'red'), result.label('tenant', 'blue')];
	for (let i = 0; i < 2000; i++)
		result.sample(chance(10000) * MS, nodes[chance(4)], { track: chance(2), counter: chance(2), labels: labels[chance(3)],
			samples: 1 + chance(3), events: MS });
	for (let i = 0; i < 50; i++)
		result.sample(chance(10000) * MS, nodes[chance(4)], { track: chance(2), counter, events: chance(400) * MS });
	return result;
}

/* By function, self and total of the samples that are kept, counted one by one. */
function counted(data, keep, valueOf) {
	const found = {};
	for (const one of data.samples.filter(keep)) {
		const path = [];
		for (let at = one.node; at; at = data.parents[at])
			path.push(data.names[data.nodeNames[at]]);
		for (const name of new Set(path))
			(found[name] ??= [0, 0])[1] += valueOf(one);
		found[path[0]][0] += valueOf(one);
	}
	return found;
}

function functionsOf(sums) {
	const { self, total } = sumNodes(sums, profile.nodes.nodeName, outerBy('function'), profile.head.names.length);
	return Object.fromEntries(profile.head.names.map((name, i) => [name, [self[i], total[i]]])
		.filter(([name, [, value]]) => value > 0 && name !== 'all'));
}

function assertClose(found, expected) {
	assert.deepEqual(Object.keys(found).sort(), Object.keys(expected).filter(name => expected[name][1] > 0).sort());
	for (const [name, values] of Object.entries(found))
		values.forEach((value, i) => assert.ok(Math.abs(value - expected[name][i]) <= 1e-9 * Math.abs(value), name));
}

const inside = (from, to) => one => one.time >= from * MS && one.time < to * MS;

test('functions of a range of time and a counter', () => {
	const data = made();
	open(data.packed());
	for (const [from, to] of [[0, 10001], [1370, 1380], [2500, 7250], [9900, 10001]])
		for (const counter of [0, 1])
			assertClose(functionsOf(sumsOf(valuesOf(counter, false, null, null), from * 1000, to * 1000)),
				counted(data, one => one.counter === counter && inside(from, to)(one), one => one.samples));
});

test('functions of a thread, and of a label', () => {
	const data = made();
	open(data.packed());
	assertClose(functionsOf(sumsOf(valuesOf(0, false, [1], null), -Infinity, Infinity)),
		counted(data, one => one.counter === 0 && one.track === 1, one => one.samples));
	for (const [value, number] of [['red', 1], ['blue', 2], ['', 0]])
		assertClose(functionsOf(sumsOf(valuesOf(0, false, null, ['tenant', value]), -Infinity, Infinity)),
			counted(data, one => one.counter === 0 && one.labels === number, one => one.samples));
});

test('a wait counts by the part that lies in the selection', () => {
	const data = made();
	open(data.packed());
	const [from, to] = [3100 * MS, 3800 * MS];
	const part = one => one.counter < 2 ? one.events : Math.max(Math.min(one.time, to) - Math.max(one.time - one.events, from), 0);
	assertClose(functionsOf(sumsOf(valuesOf(0, true, null, null), 3.1e6, 3.8e6)),
		counted(data, one => one.counter === 2 || one.counter === 0 && inside(3100, 3800)(one), part));
});

test('cells of time hold all values', () => {
	open(made().packed());
	const values = valuesOf(0, true, null, null);
	const all = sumsOf(values, 0, 1e7).all;
	for (const count of [1, 7, 64, 1000]) {
		const grid = binned(values, 0, 1e7 / count, count, null);
		assert.ok(Math.abs(grid.reduce((sum, one) => sum + one, 0) / all - 1) < 1e-9);
		const at = Math.floor(count / 3);
		assert.ok(Math.abs(grid[at] - sumsOf(values, at * 1e7 / count, (at + 1) * 1e7 / count).all) < 1e-3 * all / count);
	}
});

test('the width of a frame is its part of the samples, from the root and inverted', () => {
	open(made().packed());
	const sums = sumsOf(valuesOf(0, false, null, null), -Infinity, Infinity);
	for (const picture of [pictureDown([sums.total]), pictureUp([sums.self], [sums.total])]) {
		const { items, runs } = layOut(picture, picture.root, 1000, 10);
		assert.deepEqual(runs, []);
		assert.deepEqual([items[0].left, items[0].width], [10, 1000]);
		for (const { frame, row, left, width } of items.slice(1)) {
			const parent = items.find(one => one.frame === frame.parent);
			assert.ok(Math.abs(width - 1000 * frame.sums[0] / sums.all) < 1e-6 && row === parent.row + 1);
			assert.ok(left >= parent.left - 1e-6 && left + width <= parent.left + parent.width + 1e-6);
		}
	}
});

test('a function that calls itself counts once with its callers and callees', () => {
	const data = made();
	open(data.packed());
	const sums = sumsOf(valuesOf(0, false, null, null), -Infinity, Infinity);
	const name = profile.head.names.indexOf('parse');
	const expected = counted(data, one => one.counter === 0, one => one.samples);
	for (const up of [false, true]) {
		const frame = gather(name, up, [sums.total]);
		assert.equal(frame.sums[0], expected.parse[1]);
		assert.deepEqual(pictureOf(frame, [sums.total], true).kidsOf(frame).map(kid => profile.head.names[kid.name]).sort(),
			up ? ['main'] : ['copy', 'parse']);
	}
	const hits = Uint8Array.from(profile.head.names, one => one === 'parse' ? 1 : 0);
	assert.equal(matchedValue(sums.self, matchedNodes(hits)), expected.parse[1]);
});

test('frames too narrow to see are one block, and a very deep stack ends', () => {
	const data = new Made(1);
	for (let i = 0; i < 3000; i++)
		data.sample(i * 1e5, data.node('app', 'f' + i));
	data.sample(5, data.node(...Array.from({ length: 900 }, (_, i) => 'deep' + i)), { samples: 3000 });
	open(data.packed());
	const sums = sumsOf(valuesOf(0, false, null, null), -Infinity, Infinity);
	const picture = pictureDown([sums.total]);
	const { items, runs, deepest } = layOut(picture, picture.root, 1000, 0);
	assert.equal(items.length, 1 + 1 + 699);
	assert.deepEqual(runs.map(run => run.frames), [3000]);
	assert.ok(deepest);
});

test('a damaged link selects the whole run', () => {
	for (const fragment of ['#t=5-1', '#t=9999999999999-1', '#k=99.x.-3', '#z=5.5.5.%', '#c=unknown', '#r=0.99', '#f=4294967295',
		'#k=' + Array(9000).fill('0-999999').join('.'), '#m=around', '#l=%5B1', '#w=-1&a=3-3', '#v=&b=label:none', '#%%%&&==', '#s=%28', '#e=p0~<b>', '#o=7']) {
		open(made().packed(), fragment);
		const { from, to, label, ratio, chosen, mode, counter, column, seenFrom } = state;
		assert.deepEqual({ from, to, label, ratio, chosen, mode, counter, column, seenFrom },
			{ from: -1, to: -1, label: null, ratio: null, chosen: -1, mode: 'down', counter: 0, column: 0, seenFrom: -1 });
		assert.ok(!state.tracks || state.tracks.length === 2);
	}
});

test('numbers are ranges in a link', () => {
	assert.equal(numbersText([3, 4, 5, 9]), '3-5.9');
	assert.deepEqual(numbers('3-5.9.70', 10), [3, 4, 5, 9]);
});

test('steps of a ratio are between round bounds', () => {
	open(made().packed());
	state.ratio = [1, 0];
	const items = [1, 2, 3, 5, 8, 13, 21, 34].map(value => ({ frame: { sums: [1, 0, value / 1e6, 1] }, width: 1 }));
	const bounds = ratioBounds(items);
	assert.ok(bounds.length > 2 && bounds.length < 8 && bounds.every((one, i) => !i || one > bounds[i - 1]));
	assert.deepEqual([ratioStep(bounds, 0.5), ratioStep(bounds, 99)], [0, 7]);
	assert.deepEqual(ratioBounds(items.slice(0, 1)), []);
});
