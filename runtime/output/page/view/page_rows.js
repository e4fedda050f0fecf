/*
 * Rows of a table that is filtered, sorted by its headings, and through which the arrow keys move.
 */
import { make, makeButton } from '../../graph/graph_common.js';
import { apply, drawSoon, state } from '../model/page_state.js';

const ROWS_STEP = 50;
export const rows = { shown: ROWS_STEP, list: [], at: 0 };

export function makeFilter(bar, label) {
	rows.filter = make('input', { type: 'text', placeholder: 'filter', spellcheck: 'false', 'aria-label': label }, bar);
	rows.filter.addEventListener('input', () =>
		apply({ filter: rows.filter.value }, state.filter ? 'replace' : 'push'));
}

/* The page says what the columns are, what a choice of a row does, and what the keys do that it has
 * besides: onKey() returns whether it is one. */
export function makeGrid(panel, { columnsOf, chooseRow, onKey }) {
	Object.assign(rows, { columnsOf, chooseRow, onKey });
	const grid = make('table', {}, make('div', { class: 'rows' }, panel));
	rows.head = make('tr', {}, make('thead', {}, grid));
	rows.body = make('tbody', {}, grid);
	rows.more = makeButton(panel, 'More rows', 'Show more rows', () => {
		rows.shown += ROWS_STEP * 10;
		drawSoon();
	});
	rows.body.addEventListener('click', event => {
		const row = event.target.closest('tr');
		if (row)
			chooseAt(row.sectionRowIndex);
	});
	rows.body.addEventListener('keydown', onTableKey);
}

function chooseAt(at) {
	rows.at = at;
	if (rows.list[at])
		rows.chooseRow(rows.list[at]);
}

function sortBy(key) {
	apply(state.sort === key ? { ascending: !state.ascending } :
		{ sort: key, ascending: key === 'name' }, 'push');
}

function drawTableHead() {
	const focused = rows.head.contains(document.activeElement) && document.activeElement.dataset.key;
	rows.head.replaceChildren();
	for (const [key, text] of rows.columnsOf()) {
		const sorted = state.sort === key;
		const cell = make('th', {
			scope: 'col', class: key, 'aria-sort': sorted ? (state.ascending ? 'ascending' : 'descending') : 'none',
		}, rows.head);
		const button = makeButton(cell, text + (sorted ? (state.ascending ? ' \u25b4' : ' \u25be') : ''),
			text + ': sort by this column', () => sortBy(key));
		button.dataset.key = key;
		if (focused === key)
			button.focus();
	}
}

/* Move to another row by a key; false if it is no such key. */
function stepRow(event) {
	const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 15, PageUp: -15, Home: -1e9, End: 1e9 }[event.key];
	if (!step)
		return false;
	rows.body.rows[rows.at]?.setAttribute('tabindex', -1);
	rows.at = Math.min(Math.max(rows.at + step, 0), rows.list.length - 1);
	rows.body.rows[rows.at]?.setAttribute('tabindex', 0);
	rows.body.rows[rows.at]?.focus();
	event.preventDefault();
	return true;
}

function onTableKey(event) {
	if (event.ctrlKey || event.metaKey || event.altKey || stepRow(event))
		return;
	if (event.key === 'Enter' || event.key === ' ')
		chooseAt(rows.at);
	else if (!rows.onKey(event.key))
		return;
	event.preventDefault();
}

/* The rows of a list that the filter leaves, in an order. */
export function filtered(list, compare) {
	const wanted = state.filter.toLowerCase();
	return list.filter(row => row.name.toLowerCase().includes(wanted)).sort(compare);
}

/* Draws the heading and the first rows of a list; the keyboard stays in its row, or is in the row `at`. */
export function drawRows(list, at, makeRow) {
	rows.list = list.slice(0, rows.shown);
	rows.more.hidden = list.length <= rows.shown;
	if (rows.filter.value !== state.filter)
		rows.filter.value = state.filter;
	drawTableHead();
	const focused = rows.body.contains(document.activeElement);
	rows.at = Math.min(at, Math.max(rows.list.length - 1, 0));
	rows.body.replaceChildren(...rows.list.map(makeRow));
	if (focused && rows.body.rows[rows.at])
		rows.body.rows[rows.at].focus({ preventScroll: true });
}
