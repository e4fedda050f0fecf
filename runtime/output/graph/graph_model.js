/*
 * The frames of a flame graph, without anything on screen: the data as columns, the frames visible
 * at a zoom and a width, the matches of a search, and the walk through them, widest first.
 */
import { findNames } from './graph_common.js';
import { changeOf, changeText } from './graph_diff.js';
import { amount, grouped, isolated, percent, plain, short } from './graph_words.js';

export let data = null;         // of the counter that is shown
export let ratio = null;        // the ratio that colours the frames
export let tree = null;
export let state = { view: 0, zoom: 0, search: '', ignoreCase: false };
export let hits = null;         // by name: whether it matches; null: no search
export let problem = '';        // the error in the pattern
export const NARROWEST = 0.5;   // pixels; narrower neighbours are drawn as one grey block

export function setState(wanted) {
	state = wanted;
}

/* Data, ratio and tree become those of a counter and a ratio of it. */
export function showCounter(packed, shownRatio) {
	data = packed;
	ratio = shownRatio;
	tree = treeOf(packed);
}

/* Frames as columns, parents before their children; end is the first frame after a frame's
 * descendants. */
function decode(packed) {
	const stride = packed.diff ? 9 : 4;
	const count = packed.frames.length / stride;
	const result = {
		count,
		name: new Uint32Array(count),
		level: new Uint32Array(count),
		parent: new Int32Array(count),
		end: new Uint32Array(count),
		left: new Float64Array(count),
		total: new Float64Array(count),
		change: [],   // of a comparison
	};
	const path = [];
	const next = [];
	for (let i = 0, at = 0; i < count; i++, at += stride) {
		for (let pop = packed.frames[at]; pop > 0; pop--)
			result.end[path.pop()] = i;
		const level = path.length;
		const left = level ? next[level - 1] + packed.frames[at + 2] : 0;
		result.name[i] = packed.frames[at + 1];
		result.level[i] = level;
		result.parent[i] = level ? path[level - 1] : -1;
		result.left[i] = left;
		result.total[i] = packed.frames[at + 3];
		if (packed.diff)
			result.change[i] = changeOf(packed.frames.slice(at + 4, at + 9));
		if (level)
			next[level - 1] = left + result.total[i];
		next[level] = left;
		path.push(i);
	}
	for (const open of path)
		result.end[open] = count;
	packed.frames = null;
	return result;
}

export function treeOf(packed) {
	return packed.tree ??= decode(packed);
}

/* The frame at a path of names in another counter's tree; 0, the root, if there is none. */
export function follow(path, packed) {
	const there = treeOf(packed);
	let at = 0;
	for (const name of path) {
		let child = at + 1;
		while (child < there.end[at] && packed.names[there.name[child]] !== name)
			child = there.end[child];
		if (child >= there.end[at])
			return 0;
		at = child;
	}
	return at;
}

export function label(frame) {
	return plain(data.names[tree.name[frame]]);
}

/* The entries of the menu: each counter's widths with the colours of code, then with those of each
 * ratio. */
export function viewsOf(list) {
	const widths = list.map((packed, counter) =>
		({ counter, ratio: null, label: packed.counter || '' }));
	const coloured = list.flatMap((packed, counter) => packed.ratios.map(one => {
		const elsewhere = list.some((other, i) =>
			i < counter && other.ratios.some(known => known.title === one.title));
		return { counter, ratio: one, label: one.title + (elsewhere ? ', width: ' + packed.counter : '') };
	}));
	return widths.concat(coloured);
}

/* ", 1.53 instructions per cycle", or why there is no ratio. */
function describeRatio(frame) {
	const [of, by, step] = ratio.values.slice(3 * frame, 3 * frame + 3);
	if (step < 0)
		return ', no ratio: ' + ratio.reasons[-1 - step];
	return ', ' + short(ratio.scale * of / by) + ' ' + ratio.title;
}

/* "name (1,234 samples, 12.34%), kernel" */
export function describe(frame) {
	const share = percent(tree.total[frame], data.total);
	const kind = frame ? data.kindNames[data.kinds[tree.name[frame]]] : '';
	const value = data.diff ? changeText(tree.change[frame], data.diff, data.unit) :
		amount(tree.total[frame], data.unit) + ', ' + share.toFixed(2) + '%';
	return isolated(label(frame)) + ' (' + value + ')' + (ratio ? describeRatio(frame) : '') +
		(kind ? ', ' + kind : '');
}

export function isAncestor(frame, other) {
	return frame < other && tree.end[frame] > other;
}

/* Visible frames: those that are wide enough, and runs of neighbours that are not. */
export function visible(zoom, left, width) {
	const scale = width / tree.total[zoom];
	const items = [];
	const runs = [];
	const open = [];
	for (let frame = tree.parent[zoom]; frame >= 0; frame = tree.parent[frame])
		items.unshift({ frame, level: tree.level[frame], left, width });
	for (let i = zoom; i < tree.end[zoom];) {
		const level = tree.level[i];
		const start = left + (tree.left[i] - tree.left[zoom]) * scale;
		const wide = tree.total[i] * scale;
		if (wide >= NARROWEST) {
			items.push({ frame: i, level, left: start, width: wide });
			i++;
			continue;
		}
		let run = open[level];
		if (!run || start - run.right > NARROWEST) {
			run = open[level] = { level, left: start, right: start, frames: 0 };
			runs.push(run);
		}
		run.right = start + wide;
		run.frames += tree.end[i] - i;
		i = tree.end[i];
	}
	return { items, runs: runs.filter(run => run.right - run.left >= NARROWEST) };
}

/* Value of all matching frames from top downwards; nested ones count once. */
export function matchedValue(top) {
	let sum = 0;
	for (let i = top; i < tree.end[top];) {
		const hit = hits[tree.name[i]] === 1;
		sum += hit ? tree.total[i] : 0;
		i = hit ? tree.end[i] : i + 1;
	}
	return sum;
}

/* The matches of the search that the state has. */
export function compile() {
	({ hits, problem } = findNames(data.names, state.search, state.ignoreCase));
}

let walk = null;         // matching frames, widest first; null: not computed since the search
let walkAt = -1;         // index of the keyboard's match; -1: none yet
export let walking = false;     // Enter goes to the next match instead of zooming

function matchesByWidth() {
	const found = [];
	for (let i = 0; hits && i < tree.count; i++)
		if (hits[tree.name[i]] === 1)
			found.push(i);
	return found.sort((a, b) => tree.total[b] - tree.total[a] || a - b);
}

export function stopWalk() {
	walk = null;
	walkAt = -1;
	walking = false;
}

/* Until the next step Enter zooms. */
export function pauseWalk() {
	walking = false;
}

/* Returns false if nothing matches. */
export function startWalk() {
	walk ??= matchesByWidth();
	walking = walk.length > 0;
	return walking;
}

/* The next (1) or previous (-1) match. */
export function stepWalk(step) {
	walkAt = walkAt < 0 ? (step > 0 ? 0 : walk.length - 1) :
		(walkAt + step + walk.length) % walk.length;
	return walk[walkAt];
}

/* ", 2 of 7" while the keyboard is at the second widest match. */
export function walkText() {
	if (!walk || !walk.length)
		return '';
	if (walkAt < 0)
		return walk.length === 1 ? ' in 1 frame' : ' in ' + grouped.format(walk.length) + ' frames';
	return ', ' + grouped.format(walkAt + 1) + ' of ' + grouped.format(walk.length);
}
