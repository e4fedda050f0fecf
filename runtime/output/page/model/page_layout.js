/*
 * The positions of frames in a flame graph, and the frames that a search finds.  A picture has a root and
 * kidsOf(), which gives the callees of a frame; the width of a frame is sums[0].
 */
import { findNames } from '../../graph/graph_common.js';
import { profile, state } from './page_state.js';

const NARROWEST = 0.5;   // pixels; narrower neighbours are drawn as one grey block
const DEEPEST = 700;     // levels that are drawn; a zoom shows those below

/* Visible frames below a frame, and runs of neighbours that are too narrow. */
export function layOut(picture, top, width, left) {
	const scale = width / (top.sums[0] || 1);
	const items = [];
	const runs = [];
	const level = [{ frame: top, left, width }];
	let next = [];
	let deepest = false;
	for (let row = 0, open = level; open.length; row++, open = next) {
		next = [];
		for (const item of open) {
			items.push({ frame: item.frame, row, left: item.left, width: item.width });
			if (row + 1 >= DEEPEST) {
				deepest = true;
				continue;
			}
			let at = item.left;
			for (const kid of picture.kidsOf(item.frame)) {
				const wide = kid.sums[0] * scale;
				if (wide >= NARROWEST)
					next.push({ frame: kid, left: at, width: wide });
				else
					narrow(runs, row + 1, at, wide);
				at += wide;
			}
		}
	}
	return { items, runs: runs.filter(run => run.right - run.left >= NARROWEST), deepest };
}

function narrow(runs, row, left, width) {
	const last = runs[runs.length - 1];
	if (last && last.row === row && left - last.right <= NARROWEST) {
		last.right = left + width;
		last.frames++;
	} else {
		runs.push({ row, left, right: left + width, frames: 1 });
	}
}

/* The frame at a path of names, or the last one on the path that exists. */
function frameAt(picture, path) {
	let at = picture.root;
	for (const name of path) {
		const kid = picture.kidsOf(at).find(one => one.name === name);
		if (!kid)
			break;
		at = kid;
	}
	return at;
}

export function pathOf(frame) {
	const path = [];
	for (let at = frame; at.parent; at = at.parent)
		path.unshift(at.name);
	return path;
}

/* The items of a picture, zoomed to the frame at a path, with the rows they are in: its callers come
 * first, faded.  With a picture of callers above it nothing is zoomed. */
export function sceneOf(picture, above, zoom, width) {
	if (!(picture.root.sums[0] > 0))
		return { items: [], runs: [], rows: 1 };
	const top = above ? picture.root : frameAt(picture, zoom);
	const before = pathFrames(top);
	const down = layOut(picture, top, width, 0);
	const up = above ? layOut(above, above.root, width, 0) : { items: [], runs: [] };
	const high = up.items.concat(up.runs).reduce((most, item) => Math.max(most, item.row), 0);
	const shift = above ? high : before.length;
	const lower = item => Object.assign(item, { row: item.row + shift });
	const upper = item => Object.assign(item, { row: high - item.row });
	const items = before.map((frame, row) => ({ frame, row, left: 0, width, faded: true }))
		.concat(down.items.map(lower), up.items.filter(item => item.row).map(upper));
	const runs = down.runs.map(lower).concat(up.runs.map(upper));
	return { items, runs, top, deepest: down.deepest,
		rows: items.concat(runs).reduce((most, item) => Math.max(most, item.row + 1), 1) };
}

/* The callers of a frame, outermost first. */
function pathFrames(frame) {
	const list = [];
	for (let at = frame.parent; at; at = at.parent)
		list.unshift(at);
	return list;
}

export function compileSearch() {
	return findNames(profile.head.names, state.search, state.ignoreCase);
}
