/*
 * What the colours of heatmap and lanes mean, and those of the heatmap's cells by part of the program.
 */
import { make, makeButton } from '../../graph/graph_common.js';
import { fit, plain, share } from '../../graph/graph_words.js';
import { profile, state, sum } from '../model/page_state.js';
import { largestParts, partition } from '../model/viewer_parts.js';
import { choose } from '../model/viewer_state.js';
import { makeEntry } from './page_elements.js';
import { classColour, pageColour } from './page_palette.js';
import { time } from './viewer_axis.js';
import { partColour } from './viewer_colour.js';

/* The colour of a cell, and how strong it is. */
export function heatParts(heat) {
	if (state.paint !== 'parts')
		return null;
	const largest = largestParts(heat).part;
	const back = pageColour('narrow');
	return {
		colour: i => largest[i] ? partColour(largest[i]) : back,
		strength: i => 0.3 + 0.7 * Math.sqrt(Math.min(heat.grid[i] / heat.most, 1)),
	};
}

/* What the colours mean.  Those that a search takes away keep their room. */
export function drawKeys() {
	time.keys.replaceChildren();
	if (state.time === 'lanes')
		drawLaneKeys();
	if (state.paint !== 'parts')
		return;
	const { names } = profile.head;
	const { list, all } = partition();
	list.forEach(({ name, value, split }, i) => {
		const title = 'Choose this function. ' + share(value, all) + ' of the whole run' + (state.off ?
			', without time off the processor,' : '') + ' is in it and in what it calls' +
			(split ? ', without the other parts that are named here' : '');
		const chip = makeButton(time.keys, '', title, () => choose(name, ''));
		chip.classList.toggle('unused', Boolean(sum.hits));
		make('i', {}, chip).style.background = partColour(i + 1);
		make('bdi', {}, chip, fit(plain(names[name]), 32) + ' ' + share(value, all));
	});
}

/* An entry of the legend of the lanes. */
function laneKey(colour, text, used) {
	makeEntry(time.keys, used ? '' : 'unused', colour, text);
}

function drawLaneKeys() {
	if (state.paint === 'load')
		laneKey(classColour('u1'), profile.hasSpans ? 'on the processor' : profile.head.counters[state.counter].name, !sum.hits);
	if (state.off)
		laneKey(classColour('o1'), 'off the processor', true);
	laneKey(pageColour('found'), 'matched', Boolean(sum.hits));
}
