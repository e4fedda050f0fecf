/*
 * Moves the keyboard through the matches of a search, widest first, and chooses the text of the
 * status line while the pointer rests.  A zoom by the keyboard moves other frames below the
 * pointer, and the browser reports that as if the pointer had moved.
 */
let walk = null;         // matching frames, widest first; null: not computed since the search
let walkAt = -1;         // index of the keyboard's match; -1: none yet
let walking = false;     // Enter goes to the next match instead of zooming
let resting = false;     // the pointer has not moved since the last key

function matchesByWidth() {
	const found = [];
	for (let i = 0; hits && i < tree.count; i++)
		if (hits[tree.name[i]] === 1)
			found.push(i);
	return found.sort((a, b) => tree.total[b] - tree.total[a] || a - b);
}

function stopWalk() {
	walk = null;
	walkAt = -1;
	walking = false;
}

/* Enter in the search box: leave the box and show everything.  The next Enter starts the walk. */
function overview() {
	if (!hits)
		return;
	walk ??= matchesByWidth();
	if (!walk.length)
		return;
	walking = true;
	drawn.get(current).focus({ preventScroll: true });
	paint();
}

/* Go to the next (1) or previous (-1) match; zoom if it is not visible. */
function nextMatch(step) {
	walk ??= matchesByWidth();
	if (!walk.length)
		return;
	walkAt = walkAt < 0 ? (step > 0 ? 0 : walk.length - 1) :
		(walkAt + step + walk.length) % walk.length;
	walking = true;
	const frame = walk[walkAt];
	for (const zoom of [seenFrom(frame), frame])
		if (!drawn.has(frame))
			apply({ zoom }, 'push');
	moveTo(frame, true);
	paint();
}

/* The root if the frame is visible there, otherwise the frame's parent, to show its siblings. */
function seenFrom(frame) {
	return tree.total[frame] * place.width >= NARROWEST * tree.total[0] || frame === 0 ?
		0 : tree.parent[frame];
}

/* ", 2 of 7" while the keyboard is at the second widest match. */
function walkText() {
	if (!walk || !walk.length)
		return '';
	if (walkAt < 0)
		return walk.length === 1 ? ' in 1 frame' : ' in ' + grouped.format(walk.length) + ' frames';
	return ', ' + grouped.format(walkAt + 1) + ' of ' + grouped.format(walk.length);
}

function onPointer(event) {
	if (event.type === 'pointermove')
		resting = false;
	if (!resting)
		tell(event.type === 'pointerleave' ? null : frameOf(event));
}
