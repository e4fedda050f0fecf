/* The flame graph of the selection: what it shows, in which colours, and what a click does. */
import { makeButton } from '../../graph/graph_common.js';
import { amount, isolated, percent, plain, short } from '../../graph/graph_words.js';
import { pathOf, sceneOf } from '../model/page_layout.js';
import { apply, profile, state, sum } from '../model/page_state.js';
import { heaviest, once, round, sumKeys, unitOf } from '../model/viewer_model.js';
import {
	currentRatio, RATIO_STEPS, ratioBounds, ratioIn, ratioStep,
} from '../model/viewer_ratio.js';
import { choose } from '../model/viewer_state.js';
import { gather, pictureDown, pictureOf, pictureUp } from '../model/viewer_tree.js';
import {
	BLACK, canvasWidth, drawLegend, flame, isFound, itemAt, keepMarker, makeCanvas, paintScene,
	ROW,
} from './page_canvas.js';
import { classColour, place } from './page_elements.js';
import { functionColour, showsSubtrees, namesSubtree } from './viewer_colour.js';
import { source } from './viewer_source.js';

export function makeFlame(body) {
	makeCanvas(body, ['Direction', [
		['down', 'Flame graph', 'From the root to the functions (1)'],
		['up', 'Inverted', 'From the functions that used the time to their callers (2)'],
		['around', 'Callers and callees', 'Of the chosen function (3)']], setMode],
	'C shows callers and callees', { describe, click: clickFrame, onKey: keyOnFrame });
	flame.source = makeButton(null, 'Source lines', 'Show the source lines of the chosen function',
		() => source.panel.scrollIntoView({ block: 'nearest' }));
	flame.title.before(flame.source);
	flame.canvas.addEventListener('contextmenu', event => {
		const item = itemAt(...place(event, flame.canvas));
		if (!item)
			return;
		event.preventDefault();
		choose(item.frame.name, 'around');
	});
}

export function setMode(mode) {
	if (mode === 'around' && state.chosen < 0)
		choose(heaviest(), 'around');
	else
		apply({ mode, zoom: [] }, 'push');
}

/* Weights by node that pictures are made of: value, off the processor, and the sides of a ratio. */
function weightsOf(kind) {
	const { now, ratio } = sum;
	return [now[kind], now.off && now.off[kind], ratio && ratio.of[kind], ratio && ratio.by[kind]];
}

function pictures() {
	const keys = [sumKeys(), state.ratio, state.mode, state.mode === 'around' ? state.chosen : 0];
	return once('pictures', keys, () => {
		if (state.mode === 'up')
			return [pictureUp(weightsOf('self'), weightsOf('total')), null];
		if (state.mode === 'down')
			return [pictureDown(weightsOf('total')), null];
		const weights = weightsOf('total');
		return [pictureOf(gather(state.chosen, false, weights), weights, true),
			pictureOf(gather(state.chosen, true, weights), weights, true)];
	});
}

export function drawFlame() {
	const made = sceneOf(...pictures(), state.zoom, canvasWidth());
	const bounds = state.ratio ? ratioBounds(made.items) : null;
	paintScene(made, item => itemColour(item, bounds), (context, item, width) => {
		if (!bounds && !isFound(item) && item.frame.sums[1] > 0 && width > 3) {
			context.fillStyle = classColour('o1');
			context.fillRect(item.left, item.row * ROW + ROW - 4, width * item.frame.sums[1] / item.frame.sums[0], 3);
		}
	}, item => item.frame.name === state.chosen && state.mode !== 'around');
	flame.choice(state.mode);
	flame.reset.hidden = state.mode === 'around' || !made.top || !made.top.parent;
	drawFlameTitle();
	drawColours(bounds);
	keepMarker(made.top);
	showFocus();
}

/* Callers may fill more than the window: bring the function between them and its callees into view,
 * once. */
function showFocus() {
	const focus = state.mode === 'around' ? state.chosen : -1;
	if (focus !== flame.focus && focus >= 0 && flame.marker.getBoundingClientRect().bottom > window.innerHeight - 40)
		flame.marker.scrollIntoView({ block: 'center' });
	flame.focus = focus;
}

function itemColour(item, bounds) {
	const { sums, name } = item.frame;
	if (bounds)
		return [sums[3] > 0 ? classColour('q' + ratioStep(bounds, ratioIn(sums))) : classColour('n0')];
	if (sums[1] > 0.9 * sums[0])
		return [classColour('o' + profile.head.classes[name].slice(1))];
	return [functionColour(name), namesSubtree(name) ? BLACK : undefined];
}

function drawFlameTitle() {
	flame.title.textContent = '';
	if (!flame.items.length)
		flame.title.textContent = 'Nothing was sampled here.';
	else if (state.mode === 'around')
		flame.title.textContent = plain(profile.head.names[state.chosen]) + ', with callers above it and callees below it';
	else if (flame.deepest)
		flame.title.textContent = 'Deeper frames appear when you zoom in.';
}

function drawColours(bounds) {
	const [title, ...entries] = profile.head.legend && profile.head.legend.length ? profile.head.legend : [''];
	let list = entries;
	if (sum.now.off && !list.some(entry => entry[0] === 'o1'))
		list = [...list, ['o1', 'off the processor']];
	if (bounds)
		list = [...bounds, null].map((bound, i) => ['q' + Math.round(i * (RATIO_STEPS - 1) / Math.max(bounds.length, 1)),
			bound !== null ? 'below ' + short(bound) : bounds.length ? 'more' : 'all']).concat([['n0', 'no ratio']]);
	drawLegend(bounds ? currentRatio().title : title, list.length > 1 ? list : [],
		!bounds && showsSubtrees() ? 'functions that are named above: as there' : '');
}

function selfOf(frame) {
	return frame.up ? 0 : frame.nodes.reduce((all, node) => all + sum.now.self[node], 0);
}

/* "name (1,234 samples, 12.34%), kernel" */
function describe(frame) {
	const { head } = profile;
	const unit = unitOf(state.counter, state.off);
	const kind = head.kindNames[head.kinds[frame.name]];
	const modules = new Set(frame.nodes.slice(0, 50).map(node => profile.nodes.nodeModule[node]));
	const module = modules.size === 1 && head.modules[[...modules][0] - 1];
	const self = selfOf(frame);
	let text = isolated(plain(head.names[frame.name])) + ' (' + amount(round(frame.sums[0]), unit) + ', ' +
		percent(frame.sums[0], sum.now.all).toFixed(2) + '%)';
	if (self > 0)
		text += ', self ' + amount(round(self), unit);
	if (frame.sums[1] > 0)
		text += ', off the processor ' + amount(round(frame.sums[1]), 'ns');
	if (state.ratio)
		text += frame.sums[3] > 0 ? ', ' + short(ratioIn(frame.sums)) + ' ' + currentRatio().title : ', no ratio';
	return text + (kind ? ', ' + kind : '') + (module ? ', ' + isolated(module) : '');
}

function clickFrame(frame) {
	if (state.mode === 'around')
		choose(frame.name, 'around');
	else
		apply({ zoom: pathOf(frame), chosen: frame.name }, 'push');
}

/* Keys that only this page has. */
function keyOnFrame(key) {
	if (key !== 'c')
		return false;
	choose(flame.at.frame.name, 'around');
	return true;
}
