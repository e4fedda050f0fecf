/*
 * The answer, and the measures of the runs with a plot of every run: from the left to the right in
 * the order in which they ran, so that drift and outliers show.
 */
import { element, make } from '../../graph/graph_common.js';
import {
	absoluteInterval, cellText, intervalText, relativeInterval, relativeText, sureClass, told,
	toldChange, toldRelative,
} from '../model/difference_data.js';
import { apply, profile, state } from '../model/page_state.js';
import { fillSelect, makeSelect, page } from './page_elements.js';
import { makeHead, makeSearch } from './page_start.js';

const SVG = 'http://www.w3.org/2000/svg';
const PLOT = { width: 124, height: 34, margin: 5 };

export function makeHeader(body) {
	const { head } = profile;
	const method = head.counters.length ? head.counters[0].method :
		head.runs[0] + ' runs before and ' + head.runs[1] + ' after';
	makeHead(body, head.labels.join(' \u2192 '), [...head.verdict.map(sentence => ['verdict', sentence + '.']),
		['facts', method], ...head.notes.map(note => ['note', note])]).querySelector('h1').title = head.labels.join(' \u2192 ');
}

export function makeTools() {
	page.counter = makeSelect(page.tools, 'Counter', value =>
		apply({ counter: Number(value), zoom: [] }, 'push'));
	fillSelect(page.counter, profile.counters.map((one, i) => [String(i), one.name]), String(state.counter));
	page.counter.hidden = profile.counters.length < 2;
	makeSearch(page.tools);
}

function meanOf(list) {
	return list.reduce((all, one) => all + one, 0) / list.length;
}

/* Hollow dots are the runs before, full ones those after; the lines are their means. */
function makePlot(cell, measure) {
	const all = measure.runs.flat().filter(Number.isFinite);
	const low = Math.min(...all);
	const high = Math.max(...all);
	const y = value => PLOT.height - PLOT.margin -
		(high > low ? (value - low) / (high - low) : 0.5) * (PLOT.height - 2 * PLOT.margin);
	const plot = element(SVG, 'svg', {
		class: 'plot', width: PLOT.width, height: PLOT.height, role: 'img',
		'aria-label': 'Every run: ' + told(low, measure.unit) + ' to ' + told(high, measure.unit),
	}, cell);
	element(SVG, 'title', {}, plot).textContent = told(low, measure.unit) + ' to ' + told(high, measure.unit) +
		'; hollow: before, full: after, in the order of the runs';
	measure.runs.forEach((list, side) => {
		const step = (PLOT.width - 2 * PLOT.margin) / Math.max(...measure.runs.map(one => one.length));
		const name = side ? 'after' : 'before';
		const line = y(meanOf(list));
		element(SVG, 'line', { class: name, x1: 0, x2: PLOT.width, y1: line, y2: line }, plot);
		list.forEach((value, i) => element(SVG, 'circle', {
			class: name, r: 2.6, cy: y(value).toFixed(1),
			cx: (PLOT.margin + (i + (side ? 0.65 : 0.35)) * step).toFixed(1),
		}, plot));
	});
}

/* What is odd about the runs of a measure. */
function remarks(measure) {
	const list = [];
	['before', 'after'].forEach((name, side) => {
		const [relative, chance] = measure.drift[side];
		if (chance !== null && relative !== null && chance < 0.01)
			list.push(name + ' drifts by ' + toldRelative(relative, 1));
		if (measure.outliers[side] > 0)
			list.push(measure.outliers[side] + (measure.outliers[side] === 1 ? ' outlier ' : ' outliers ') + name);
	});
	return list.join(', ');
}

export function makeMeasures(body) {
	const headings = [['name', 'Measure'], ['number', 'Before'], ['number', 'After'], ['number', 'Change'],
		['range', 'Interval'], ['runs', 'Runs']];
	const panel = make('section', { class: 'measures', 'aria-label': 'Measures' }, body);
	const table = make('table', {}, make('div', { class: 'rows', tabindex: '0' }, panel));
	const head = make('tr', {}, make('thead', {}, table));
	const rest = make('tbody', {}, table);
	panel.hidden = !profile.measures.length;
	for (const [name, text] of headings)
		make('th', { scope: 'col', class: name }, head, text);
	for (const measure of profile.measures)
		makeMeasure(rest, measure);
	makePlotLegend(panel);
}

/* What the marks of the plots mean, each beside the mark. */
function makePlotLegend(panel) {
	const legend = make('div', { class: 'legend', role: 'group', 'aria-label': 'Marks of the runs' }, panel);
	const [width, y] = [18, 6];
	make('span', {}, legend, 'Runs in their order:');
	for (const [tag, name, text] of [['circle', 'before', 'a run before'], ['circle', 'after', 'a run after'],
		['line', 'before', 'mean before'], ['line', 'after', 'mean after']]) {
		const entry = make('span', { class: 'entry' }, legend);
		const mark = element(SVG, 'svg', { class: 'plot', width, height: 2 * y, 'aria-hidden': 'true' }, entry);
		element(SVG, tag, tag === 'circle' ? { class: name, r: 2.6, cx: width / 2, cy: y } :
			{ class: name, x1: 0, x2: width, y1: y, y2: y }, mark);
		make('span', {}, entry, text);
	}
}

function makeMeasure(body, measure) {
	const { value, unit } = measure;
	const row = make('tr', { class: sureClass(value) + (measure.context ? ' context' : '') }, body);
	const sure = measure.context ? ', no part of the verdict' : value.sure ? '' : ', not significant';
	make('td', { class: 'name' }, row, measure.name).title = measure.name;
	for (const side of ['before', 'after'])
		make('td', { class: 'number' }, row, cellText(value[side], unit)).title = told(value[side], unit);
	make('td', { class: 'number' }, row, relativeText(value)).title = toldChange(value.change, unit) + sure;
	const amounts = absoluteInterval(value, unit).replace(/ (?!to |[+\u2212])/g, '\u00a0'); // no line ends before a unit
	make('td', { class: 'range' }, row, relativeInterval(value) || amounts).title = intervalText(value, unit);
	const runs = make('td', { class: 'runs' }, row);
	makePlot(runs, measure);
	if (remarks(measure))
		make('div', { class: 'remarks' }, runs, remarks(measure));
}
