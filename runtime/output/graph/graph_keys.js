/*
 * The keyboard: moves among frames and through the matches of a search, widest first.  It also chooses
 * the text of the status line while the pointer rests: a zoom by the keyboard moves other frames below
 * the pointer, and the browser reports that as if the pointer had moved.
 */
import { paint, tell, uncrop } from './graph_draw.js';
import { current, drawn, frameOf, moveTo, place, rows, tools } from './graph_elements.js';
import { apply } from './graph_link.js';
import {
	data, hits, NARROWEST, pauseWalk, startWalk, state, stepWalk, tree, walking,
} from './graph_model.js';

export let resting = false;     // the pointer has not moved since the last key

export function rest(yes) {
	resting = yes;
}

function arrow(key) {
	const row = rows[tree.level[current]];
	const at = row.indexOf(current);
	const outwards = data.inverted ? 'ArrowUp' : 'ArrowDown';
	if (key === 'ArrowLeft')
		return row[at - 1];
	if (key === 'ArrowRight')
		return row[at + 1];
	if (key === outwards)
		return tree.parent[current] >= 0 ? tree.parent[current] : undefined;
	let widest;
	for (const frame of rows[tree.level[current] + 1] || [])
		if (tree.parent[frame] === current &&
		    (widest === undefined || tree.total[frame] > tree.total[widest]))
			widest = frame;
	return widest;
}

export function onFrameKey(event) {
	if (event.ctrlKey || event.metaKey || event.altKey)
		return;
	if (event.key === 'Enter' && walking) {
		nextMatch(event.shiftKey ? -1 : 1);
	} else if (event.key === 'Enter' || event.key === ' ') {
		apply({ zoom: current }, 'push');
	} else if (event.key.startsWith('Arrow')) {
		pauseWalk();
		let frame = arrow(event.key);
		if (frame === undefined && uncrop())
			frame = arrow(event.key);
		if (frame !== undefined)
			moveTo(frame, true);
	} else {
		return;
	}
	event.preventDefault();
}

export function toggleSearch() {
	if (state.search) {
		apply({ search: '' }, 'push');
	} else {
		tools.input.focus();
		tools.input.select();
	}
}

export function onKey(event) {
	const control = event.ctrlKey || event.metaKey;
	const typing = event.target === tools.input;
	resting = true;
	if (!typing && (event.key === 'PageUp' || event.key === 'Home'))
		uncrop();
	if (event.target === tools.view && !control && event.key !== 'F3')
		return;
	if (event.key === 'F3' || (control && event.key === 'f'))
		toggleSearch();
	else if (control && event.key === 'i')
		apply({ ignoreCase: !state.ignoreCase }, 'push');
	else if (event.key === 'Escape' && (state.search || typing))
		leaveSearch();
	else if (event.key === 'Escape' && state.zoom)
		apply({ zoom: 0 }, 'push');
	else if (typing && event.key === 'Enter')
		overview();
	else if (!typing && !control && hits && (event.key === 'n' || event.key === 'N'))
		nextMatch(event.shiftKey ? -1 : 1);
	else
		return;
	event.preventDefault();
}

function leaveSearch() {
	apply({ search: '' }, 'push');
	tools.input.blur();
}

/* Enter in the search box: leave the box and show everything.  The next Enter starts the walk. */
function overview() {
	if (!hits || !startWalk())
		return;
	drawn.get(current).focus({ preventScroll: true });
	paint();
}

/* Go to the next (1) or previous (-1) match; zoom if it is not visible. */
function nextMatch(step) {
	if (!startWalk())
		return;
	const frame = stepWalk(step);
	for (const zoom of [seenFrom(frame), frame])
		if (!drawn.has(frame))
			apply({ zoom }, 'push');
	moveTo(frame, true);
	paint();
}

export function onPointer(event) {
	if (event.type === 'pointermove')
		resting = false;
	if (!resting)
		tell(event.type === 'pointerleave' ? null : frameOf(event));
}

/* The root if the frame is visible there, otherwise the frame's parent, to show its siblings. */
function seenFrom(frame) {
	return tree.total[frame] * place.width >= NARROWEST * tree.total[0] || frame === 0 ?
		0 : tree.parent[frame];
}
