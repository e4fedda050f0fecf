/*
 * Rows of a table that is filtered, sorted by its headings, and through which the arrow keys move.
 */
import { state } from './page_state.js';
import { make, makeButton } from './viewer_elements.js';
import { apply, drawSoon } from './viewer_link.js';

const ROWS_STEP = 50;
export const rows = { shown: ROWS_STEP, list: [], at: 0 };

export function makeFilter(bar, label) {
	rows.filter = make('input', { type: 'text', placeholder: 'filter', spellcheck: 'false', 'aria-label': label }, bar);
	rows.filter.addEventListener('input', () =>
		apply({ filter: rows.filter.value }, state.filter ? 'replace' : 'push'));
}

/* The page says what the columns are, what a choice of a row does, and which keys it has besides. */
export function makeGrid(panel, { columnsOf, chooseRow, onKey }) {
	rows.columnsOf = columnsOf;
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
			chooseRow(rows.list[row.sectionRowIndex]);
	});
	rows.body.addEventListener('keydown', onKey);
}

function sortBy(key) {
	apply(state.sort === key ? { ascending: !state.ascending } :
		{ sort: key, ascending: key === 'name' }, 'push');
}

export function drawTableHead() {
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
export function stepRow(event) {
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
