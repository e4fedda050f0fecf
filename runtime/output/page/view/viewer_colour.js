/*
 * Colours that the style sheet lacks, ramps for the heatmap and subtrees, and what the colours
 * of heatmap and lanes mean.
 */
import { make, makeButton } from '../../graph/graph_common.js';
import { fit, plain, share } from '../../graph/graph_words.js';
import { profile, state, sum } from '../model/page_state.js';
import { choose } from '../model/viewer_state.js';
import { largestSubtrees, partition } from '../model/viewer_subtrees.js';
import { classColour, look, makeEntry, pageColour, theme } from './page_elements.js';
import { time } from './viewer_axis.js';

export const RAMP = {
	light: [[255, 240, 214], [253, 196, 120], [240, 122, 62], [190, 40, 44], [88, 10, 42]],
	dark: [[58, 36, 34], [116, 46, 36], [196, 80, 40], [240, 160, 66], [255, 240, 190]],
};
export const FOUND_RAMP = {
	light: [[250, 205, 250], [230, 0, 230], [140, 0, 140]],
	dark: [[80, 24, 80], [190, 20, 190], [255, 130, 255]],
};
export const GREY_RAMP = {
	light: [[240, 240, 243], [206, 207, 213], [168, 170, 178]],
	dark: [[40, 41, 46], [62, 64, 71], [92, 95, 104]],
};
const SUBTREE_COLOURS = {
	light: ['#e8743b', '#3f7fd1', '#4fa35a', '#b565c9', '#d9a514', '#29a5a8', '#d24b6a', '#7d74d6',
		'#8b9a2e', '#9a6b4f'],
	dark: ['#e07a45', '#5b95e0', '#58ab66', '#bd77d0', '#d3a72c', '#37acae', '#dd6480', '#9189e2',
		'#9aa843', '#ab7f64'],
};

/* 64 steps of a ramp as text. */
export function stepsOf(ramp, name) {
	return look.ramps[name] ??= Array.from({ length: 64 }, (_, i) => {
		const stops = ramp[theme()];
		const at = i / 63 * (stops.length - 1);
		const low = Math.min(Math.floor(at), stops.length - 2);
		const mixed = stops[low].map((value, k) =>
			Math.round(value + (at - low) * (stops[low + 1][k] - value)));
		return 'rgb(' + mixed.join(',') + ')';
	});
}

export function subtreeColour(number) {
	const colours = SUBTREE_COLOURS[theme()];
	return colours[(number - 1) % colours.length];
}

/* Whether the pictures of time have the colours of subtrees. */
export function showsSubtrees() {
	return profile.hasTime && state.paint === 'code';
}

/* Whether a function is named for a subtree that they show. */
export function namesSubtree(name) {
	return showsSubtrees() && partition().numbers.has(name);
}

/* The colour of a function, in all of the page: that of its subtree, else that of its kind of code. */
export function functionColour(name) {
	return namesSubtree(name) ? subtreeColour(partition().numbers.get(name)) : classColour(profile.head.classes[name]);
}

/* The colour of a cell, and how strong it is. */
export function heatSubtrees(heat) {
	if (state.paint !== 'code')
		return null;
	const largest = largestSubtrees(heat).subtree;
	const back = pageColour('narrow');
	return {
		colour: i => largest[i] ? subtreeColour(largest[i]) : back,
		strength: i => 0.3 + 0.7 * Math.sqrt(Math.min(heat.grid[i] / heat.most, 1)),
	};
}

/* What the colours mean.  Those that a search takes away keep their room. */
export function drawKeys() {
	time.keys.replaceChildren();
	if (state.time === 'lanes')
		drawLaneKeys();
	if (state.paint !== 'code')
		return;
	const { names } = profile.head;
	const { list, all } = partition();
	list.forEach(({ name, value, split }, i) => {
		const title = 'Choose this function. ' + share(value, all) + ' of the whole run' + (state.off ?
			', without time off the processor,' : '') + ' is in it and in what it calls' +
			(split ? ', without the other parts that are named here' : '');
		const chip = makeButton(time.keys, '', title, () => choose(name, ''));
		chip.classList.toggle('unused', Boolean(sum.hits));
		make('i', {}, chip).style.background = subtreeColour(i + 1);
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
