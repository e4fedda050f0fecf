/*
 * The walk through the matches of a search, widest first.
 */
import { hits, tree } from './graph_model.js';
import { grouped } from './graph_words.js';

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
