/* The table of functions: sure changes first, each with its interval as a bar with whiskers. */
import { make } from '../../graph/graph_common.js';
import { labelFor, plain, share } from '../../graph/graph_words.js';
import {
	cellText, intervalText, LINE_CELL, relativeText, rowsOf, sureClass, told, toldChange,
} from '../model/difference_data.js';
import { apply, state, sum } from '../model/page_state.js';
import { choose } from './difference_flame.js';
import { makeChoice } from './page_elements.js';
import { drawRows, filtered, makeFilter, makeGrid, rows } from './page_rows.js';

export function makeTable(body) {
	const panel = make('section', { class: 'table', 'aria-label': 'Functions' }, body);
	const bar = make('div', { class: 'bar' }, panel);
	rows.panel = panel;
	rows.by = makeChoice(bar, 'Values', [
		['self', 'Itself', 'Of the function itself (1)'],
		['total', 'With callees', 'Of the function and all that it called (2)']], by => apply({ by }, 'push'));
	makeFilter(bar, 'Filter the functions');
	rows.noise = make('div', { class: 'focus' }, bar);
	makeGrid(panel, { columnsOf, chooseRow, onKey: () => false });
}

function columnsOf() {
	return [['name', 'Function'], ['before', 'Before'], ['after', 'After'], ['change', 'Change'],
		['relative', 'Relative'], ['interval', 'Interval'], ['share', 'Share']];
}

function sortValue(row) {
	const key = state.sort;
	if (key === 'change')
		return Math.abs(row.change);
	if (key === 'relative')
		return Math.abs(row.relative);
	return key === 'interval' ? row.high - row.low : row[key];
}

/* Sure changes are always first, and last what only one side has and is too small to tell anything. */
function rankOf(row) {
	if (row.sure)
		return 0;
	return row.tested || row.before > 0 && row.after > 0 ? 1 : 2;
}

function compareRows(a, b) {
	const [one, other] = [sortValue(a), sortValue(b)];
	const order = state.sort === 'name' ? (a.name < b.name ? -1 : 1) :
		one === other ? 0 : (Number.isNaN(one) ? -1 : one) - (Number.isNaN(other) ? -1 : other);
	return rankOf(a) - rankOf(b) || (state.ascending ? order : -order) || Math.abs(b.change) - Math.abs(a.change) ||
		(a.name < b.name ? -1 : 1);
}

/* Half the width of the interval column stands for this change. */
function scaleOf(list) {
	const shown = list.some(row => row.sure) ? list.filter(row => row.sure) : list;
	return shown.reduce((most, row) => Math.max(most, Math.abs(row.change),
		Number.isFinite(row.low) ? Math.max(Math.abs(row.low), Math.abs(row.high)) : 0), 0) || 1;
}

export function drawTable() {
	rows.panel.hidden = !sum.counter;
	if (!sum.counter)
		return;
	const { noise, unit } = sum.counter;
	const list = filtered(rowsOf(), compareRows);
	const at = rows.follow ? list.findIndex(row => row.function === state.chosen) : -1;
	rows.by(state.by);
	if (at >= rows.shown)
		rows.shown = at + 1;
	rows.noise.textContent = noise.before > 0 || noise.after > 0 ? 'Without noise of the machine: ' +
		told(noise.before, unit) + ' before, ' + told(noise.after, unit) + ' after' : '';
	const scale = scaleOf(list.slice(0, rows.shown));
	drawRows(list, at >= 0 ? at : rows.at, (row, i) =>
		makeRow(row, i, scale, Math.floor((rows.head.cells[0].clientWidth - 12) / LINE_CELL)));
	if (at >= 0)
		rows.body.rows[at].scrollIntoView({ block: 'nearest' });
	rows.follow = false;
}

/* `room` is that of its name, in characters. */
function makeRow(row, i, scale, room) {
	const { unit, whole } = sum.counter;
	const chosen = row.function === state.chosen;
	const made = make('tr', {
		tabindex: i === rows.at ? '0' : '-1', 'aria-selected': chosen, class: sureClass(row),
	});
	const texts = {
		before: cellText(row.before, unit), after: cellText(row.after, unit),
		change: (row.change < 0 ? '\u2212' : '+') + cellText(Math.abs(row.change), unit),
		relative: relativeText(row), share: share(row.after, whole.after),
	};
	const titles = {
		name: row.name, before: told(row.before, unit), after: told(row.after, unit),
		change: toldChange(row.change, unit),
		interval: intervalText(row, unit) + (row.sure ? '' : ', not significant'),
	};
	for (const [key] of columnsOf()) {
		const cell = make('td', { class: key }, made);
		if (key === 'name')
			make('bdi', {}, cell, labelFor(plain(row.name) || '(empty)', room));
		else if (key === 'interval')
			drawInterval(cell, row, scale);
		else
			cell.textContent = texts[key];
		cell.title = titles[key] || '';
	}
	if (sum.hits && sum.hits[row.function])
		made.classList.add('match');
	return made;
}

function drawInterval(cell, row, scale) {
	const at = value => Math.min(Math.max(50 + 50 * value / scale, 0), 100);
	const span = (name, from, to) => {
		const made = make('i', { class: name }, box);
		made.style.left = Math.min(at(from), at(to)) + '%';
		made.style.width = Math.abs(at(to) - at(from)) + '%';
	};
	const box = make('div', { class: 'interval', role: 'img', 'aria-label': intervalText(row, sum.counter.unit) }, cell);
	span('zero', 0, 0);
	span('size', 0, row.change);
	if (Number.isFinite(row.low) && Number.isFinite(row.high))
		span('whiskers', row.low, row.high);
}

function chooseRow(row) {
	choose(row.function === state.chosen ? -1 : row.function);
}
