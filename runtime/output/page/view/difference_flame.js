/* The flame graph of a comparison: what it shows, in which colours, and what a click does. */
import { short } from '../../graph/graph_words.js';
import { eachFrame } from '../model/difference_data.js';
import { pathOf, sceneOf } from '../model/page_layout.js';
import { apply, state, sum } from '../model/page_state.js';
import { describe } from './difference_words.js';
import {
	canvasWidth, drawLegend, flame, keepMarker, makeCanvas, paintScene,
} from './page_canvas.js';
import { classColour } from './page_elements.js';
import { rows } from './page_rows.js';

export function makeFlame(body) {
	makeCanvas(body, ['Widths', [
		['after', 'Widths: after', 'Means of the runs after (W)'],
		['before', 'Widths: before', 'Means of the runs before, with functions that are gone (W)']],
	side => apply({ side }, 'push')], '', { describe, click: clickFrame, onKey: () => false });
}

function kidsOf(frame) {
	return frame.kids.filter(kid => kid.sums[0] > 0);
}

export function drawFlame() {
	flame.panel.hidden = !sum.counter || !sum.counter.root;
	if (flame.panel.hidden)
		return;
	const made = sceneOf({ root: sum.counter.root, kidsOf }, null, state.zoom, canvasWidth());
	paintScene(made, item => [classColour(item.frame.change.colours)], () => {}, item => item.frame.name === state.chosen);
	flame.choice(state.side);
	flame.reset.hidden = !made.top || !made.top.parent;
	flame.title.textContent = made.items.length ? made.deepest ? 'Deeper frames appear when you zoom in.' : '' :
		'There was nothing ' + state.side + '.';
	drawColours();
	keepMarker(made.top);
}

/* Frames that surely were there before and are not any more, without those above them. */
function goneFrames() {
	let count = 0;
	eachFrame(sum.counter.root, ({ change, parent }) => {
		count += change.sure && !(change.after > 0) && parent && parent.change.after > 0 ? 1 : 0;
	});
	return count;
}

function drawColours() {
	const { confidence } = sum.counter.diff;
	const gone = state.side === 'after' ? goneFrames() : 0;
	drawLegend('Change per run:', [['r8', 'more'], ['b8', 'less'],
		['w0', confidence ? 'not significant at ' + short(confidence) + '% confidence' : 'not significant: intervals are not known']],
	gone ? short(gone) + (gone === 1 ? ' frame is' : ' frames are') + ' gone: choose Widths: before' : '');
}

function clickFrame(frame) {
	rows.follow = true;
	apply({ zoom: pathOf(frame), chosen: frame.parent ? frame.name : -1 }, 'push');
}

/* Choose a function of the table: it gets an edge in the graph, which is zoomed out, or changes to
 * the other side, where the function could not be seen otherwise. */
export function choose(name) {
	const change = { chosen: name };
	const found = { before: 0, after: 0 };
	eachFrame(sum.counter.root, frame => {
		found.before += frame.name === name ? frame.change.before : 0;
		found.after += frame.name === name ? frame.change.after : 0;
	});
	const other = state.side === 'after' ? 'before' : 'after';
	if (name >= 0 && !flame.items.some(item => item.frame.name === name))
		change.zoom = [];
	if (name >= 0 && !(found[state.side] > 0) && found[other] > 0)
		change.side = other;
	apply(change, 'push');
}
