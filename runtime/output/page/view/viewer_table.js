/*
 * The table of the selection: self and total by function or module; one column of values by wait,
 * thread, process and key of a label.
 */
import { make } from '../../graph/graph_common.js';
import { amount, percent, plain, share, short } from '../../graph/graph_words.js';
import { apply, profile, state, sum } from '../model/page_state.js';
import { waitOf } from '../model/viewer_frames.js';
import {
	each, functionSums, labelIn, moduleSums, once, outerBy, processName, round, sumKeys,
	sumNodes, trackName, tracksOf, unitOf,
} from '../model/viewer_model.js';
import { currentRatio, ratioIn } from '../model/viewer_ratio.js';
import { choose, selectedRange } from '../model/viewer_state.js';
import { fillSelect, makeSelect } from './page_elements.js';
import { drawRows, filtered, makeFilter, makeGrid, rows } from './page_rows.js';
import { functionColour } from './viewer_colour.js';
import { source } from './viewer_source.js';

export function makeTable(body) {
	const panel = make('section', { class: 'table', 'aria-label': 'Table' }, body);
	const bar = make('div', { class: 'bar' }, panel);
	rows.by = makeSelect(bar, 'Rows', value => apply({ by: value }, 'push'));
	makeFilter(bar, 'Filter the rows of the table');
	makeGrid(panel, { columnsOf, chooseRow, onKey: onRowKey });
}

function byEntries() {
	const keys = [...new Set(profile.head.labels.map(label => label.key))];
	const wait = profile.head.waits.length ? [['wait', 'By wait']] : [];
	return [['function', 'By function'], ['module', 'By module'], ...wait, ['thread', 'By thread'],
		['process', 'By process'], ...keys.map(key => ['label:' + key, 'By label ' + key])];
}

/* What the rows are.  Of time off the processor, which all ends in the scheduler, they are waits until
 * the reader wants something else. */
function tableBy() {
	const { waits, counters } = profile.head;
	return state.by || (waits.length && counters[state.counter].offCpu ? 'wait' : 'function');
}

function nodeRows(sums, name, of) {
	const list = [];
	for (let i = 0; i < sums.total.length; i++)
		if (sums.total[i] > 0)
			list.push({ ...of(i), name: name(i), self: sums.self[i], total: sums.total[i] });
	return list;
}

function groupRows(values, keyOf, rowOf) {
	const found = new Map();
	values.forEach((value, i) => {
		if (!(value > 0))
			return;
		const key = keyOf(i);
		if (!found.has(key))
			found.set(key, { ...rowOf(i, key), self: 0 });
		found.get(key).self += value;
	});
	return [...found.values()].map(row => ({ ...row, total: row.self }));
}

function rowsOf() {
	const { head } = profile;
	const by = tableBy();
	if (by === 'wait')
		return waitRows();
	if (by === 'module')
		return nodeRows(moduleSums(), i => i ? head.modules[i - 1] : 'no module', () => ({}));
	if (by === 'thread')
		return groupRows(sum.now.byTrack, i => i, i => ({ name: trackName(i), tracks: [i] }));
	if (by === 'process')
		return groupRows(sum.now.byTrack, i => head.tracks[i].process,
			(i, process) => ({ name: processName(process), tracks: tracksOf(process) }));
	if (by.startsWith('label:')) {
		const key = by.slice(6);
		const valueOf = i => {
			const at = labelIn(i, key);
			return at ? head.labels[at - 1].value : '';
		};
		return groupRows(sum.now.byLabels, valueOf,
			(i, value) => ({ name: value || 'none', label: [key, value] }));
	}
	return nodeRows(functionSums(), i => plain(head.names[i]), i => ({ function: i }));
}

function waitRows() {
	const { waits } = profile.head;
	const self = once('waits', [sumKeys()], () => {
		const found = new Float64Array(waits.length + 1);
		each(sum.values, ...selectedRange(), (i, value, isSpan) => {
			if (isSpan)
				found[waitOf(i)] += value;
		});
		return found;
	});
	return nodeRows({ self, total: self }, i => i ? waits[i - 1][0] : 'no wait',
		i => i ? { function: waits[i - 1][1] } : {});
}

function withRatios(list) {
	if (!sum.ratio || tableBy() !== 'function')
		return list;
	const { nodeName } = profile.nodes;
	const totals = ['of', 'by'].map(side => once('ratio by ' + side, [sumKeys(), state.ratio], () =>
		sumNodes(sum.ratio[side], nodeName, outerBy('function'), profile.head.names.length)).total);
	for (const row of list)
		row.ratio = ratioIn([0, 0, totals[0][row.function], totals[1][row.function]]);
	return list;
}

function compareRows(a, b) {
	const key = state.sort;
	const order = key === 'name' ? (a.name < b.name ? -1 : 1) : (a[key] ?? -1) - (b[key] ?? -1);
	return (state.ascending ? order : -order) || b.total - a.total || (a.name < b.name ? -1 : 1);
}

function columnsOf() {
	const by = tableBy();
	const twice = by === 'function' || by === 'module';
	return [['self', twice ? 'Self' : 'Value'], ...twice ? [['total', 'Total']] : [],
		...sum.ratio && by === 'function' ? [['ratio', currentRatio().title]] : [], ['name', 'Name']];
}

export function drawTable() {
	fillSelect(rows.by, byEntries(), tableBy());
	drawRows(filtered(withRatios(rowsOf()), compareRows), rows.at, makeRow);
}

function isChosen(row) {
	if (row.function !== undefined)
		return row.function === state.chosen;
	if (row.tracks)
		return String(state.tracks) === String(row.tracks);
	return row.label && String(state.label) === String(row.label);
}

function makeRow(row, i) {
	const made = make('tr', { tabindex: i === rows.at ? '0' : '-1', 'aria-selected': Boolean(isChosen(row)) });
	const unit = unitOf(state.counter, state.off);
	const whole = sum.now.all;
	for (const [key] of columnsOf()) {
		const cell = make('td', { class: key }, made);
		if (key === 'name') {
			if (row.function !== undefined)
				make('i', {}, cell).style.background = functionColour(row.function);
			make('bdi', {}, cell, row.name || '(empty)');
			cell.title = row.name;
		} else if (key === 'ratio') {
			cell.textContent = row.ratio >= 0 ? short(row.ratio) : '';
		} else {
			cell.textContent = share(row[key], whole);
			cell.title = amount(round(row[key]), unit);
			cell.style.backgroundSize = percent(row[key], whole) + '% 100%';
		}
	}
	if (sum.hits && row.function !== undefined && sum.hits[row.function])
		made.classList.add('match');
	return made;
}

/* A function becomes the chosen one; a thread, process or label becomes the selection. */
function chooseRow(row) {
	if (row.function !== undefined) {
		source.reveal = !isChosen(row) && state.mode !== 'around';
		choose(isChosen(row) ? -1 : row.function, state.mode === 'around' ? 'around' : '');
	} else if (row.tracks) {
		apply({ tracks: isChosen(row) ? null : row.tracks }, 'push');
	} else if (row.label) {
		apply({ label: isChosen(row) ? null : row.label }, 'push');
	}
}

function onRowKey(key) {
	const row = rows.list[rows.at];
	if (key !== 'c' || row?.function === undefined)
		return false;
	choose(row.function, 'around');
	return true;
}
