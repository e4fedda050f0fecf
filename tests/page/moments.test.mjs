/* Unusual moments are those that chance does not explain. */
import assert from 'node:assert';
import test from 'node:test';

import { findMoments } from '../../runtime/output/page/model/viewer_moments.js';
import { chanceOf, change, Made, MS, open, SECOND } from './made.mjs';

const BASE = ['app', 'main'];

function nodesOf(made, names) {
	return Array.from(names, name => made.node(...BASE, name));
}

/* Records that stand for the time since the one before, of any of some functions. */
function mixed(made, chance, begin, end, step, nodes) {
	for (let time = begin; time < end; time += step)
		made.sample(time * MS, nodes[chance(nodes.length)], { samples: step, events: step * MS });
}

function found(made) {
	open(made.packed());
	return findMoments();
}

test('a record of many samples is one observation', () => {
	const chance = chanceOf(4);
	const made = new Made(8);
	const [rare, ...nodes] = nodesOf(made, ['clone3', 'hash', 'parse']);
	for (let time = 0; time < 8000; time++) {
		const late = time % 257 === 0 ? [4, 6, 9, 20][chance(4)] : 1;
		made.sample(time * MS, late > 1 ? rare : nodes[chance(2)], { samples: late, events: late * MS });
	}
	assert.deepEqual(found(made), []);
});

test('chance makes no moment of coarse records', () => {
	const made = new Made(12);
	mixed(made, chanceOf(5), 24, 12000, 24, nodesOf(made, 'abcde'));
	assert.deepEqual(found(made), []);
});

test('coarse records one after the other are one moment', () => {
	const chance = chanceOf(6);
	const made = new Made(12);
	mixed(made, chance, 24, 3000, 24, nodesOf(made, 'acde'));
	mixed(made, chance, 3000, 3600, 24, nodesOf(made, 'B'));
	mixed(made, chance, 3600, 12000, 24, nodesOf(made, 'acde'));
	const [{ what, times, list }, ...others] = found(made);
	assert.deepEqual([what, times, others], ['B 100.0% instead of 5.0%', '600 ms', []]);
	assert.ok(Math.abs(list[0].from - 2976e3) <= 2 && Math.abs(list[0].to - 3576e3) <= 2);
});

test('a moment goes on while its thread waits for a processor', () => {
	const chance = chanceOf(8);
	const made = new Made(9);
	const [stall, ...nodes] = nodesOf(made, 'Bac');
	for (let time = 1; time < 9000; time++)
		if (time % 1000 >= 80 || time < 1000)
			made.sample(time * MS, nodes[chance(2)], { events: MS });
		else if (time % 17 < 8)
			made.sample(time * MS, stall, { events: MS });
	const [{ times }] = found(made).filter(({ what }) => what.startsWith('B 100.0% instead of '));
	assert.match(times, /^8 times 7\d(\.\d)? ms, every 1 s$/);
});

test('what eight threads do at once is a moment if it has two times', () => {
	for (const step of [0, MS / 4]) {
		const chance = chanceOf(7);
		const made = new Made(4);
		const [rare, ...nodes] = nodesOf(made, 'Bac');
		for (let track = 1; track < 8; track++)
			made.track('worker-' + track, 100 + track);
		for (let time = 1; time < 4000; time++)
			for (let track = 0; track < 8; track++)
				made.sample(time * MS + track % 2 * step, time === 2000 ? rare : nodes[chance(2)], { track, events: MS });
		const list = found(made).filter(({ what }) => what.startsWith('B '));
		assert.deepEqual(list.map(({ what }) => what), step ? ['B 100.0% instead of 0.0%'] : []);
		assert.ok(!step || list[0].list[0].to - list[0].list[0].from >= MS / 1000);
	}
});

/* 3 s of work in A, 1 s asleep, and 80 ms in B in each second of work. */
function stalls() {
	const made = new Made(24);
	const work = ['parse', 'hash', 'memcpy'].map(name => made.node(...BASE, 'A', name));
	const stall = made.node(...BASE, 'B', 'fsync');
	made.counters[0].period = 10 * MS;
	for (let step = 0; step < 2400; step++)
		if (Math.floor(step / 100) % 4 < 3)
			made.sample(step * 10 * MS + 5 * MS, step % 100 >= 37 && step % 100 < 45 ? stall : work[step * 7 % 11 % 3],
				{ events: 10 * MS });
	return made;
}

test('moments are of the selected threads', () => {
	const made = stalls();
	const steady = made.track('steady', 101);
	for (let step = 0; step < 2400; step++)
		made.sample(step * 10 * MS, made.node(...BASE, 'steady'), { track: steady, events: 10 * MS });
	open(made.packed());
	change({ tracks: [steady] });
	assert.deepEqual(findMoments(), []);
	change({ tracks: [0] });
	assert.deepEqual(findMoments().map(({ what }) => what), ['Nearly no samples', 'B 100.0% instead of 8.0%']);
});

test('a quiet moment has what waited', () => {
	const made = stalls();
	const counter = made.offCpu();
	const asleep = made.node(...BASE, 'flush', 'fsync');
	const brief = made.node(...BASE, 'A', 'read');
	for (let second = 0; second < 24; second++)
		if (second % 4 === 3)
			made.sample((second + 1) * SECOND, asleep, { counter, events: SECOND });
		else
			made.sample(second * SECOND + 500 * MS, brief, { counter, events: MS });
	assert.equal(found(made)[0].what, 'Nearly no samples, waits in flush');
});

test('lengths that differ are a range', () => {
	const made = new Made(20);
	const [node] = nodesOf(made, ['work']);
	for (let time = 0; time < 20000; time++)
		if (!(time >= 4000 && time < 4100 || time >= 9000 && time < 9500 || time >= 15000 && time < 15900))
			made.sample(time * MS, node, { events: MS });
	const [{ what, times }, ...others] = found(made);
	assert.deepEqual([what, times, others.length], ['Nearly no samples', '3 times 100 ms to 900 ms', 0]);
});
