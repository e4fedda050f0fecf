/*
 * Rows of a table that is sorted by its headings and through which the arrow keys move.
 */
const ROWS_STEP = 50;
const rows = { shown: ROWS_STEP, list: [], at: 0 };

function sortBy(key) {
	apply(state.sort === key ? { ascending: !state.ascending } :
		{ sort: key, ascending: key === 'name' }, 'push');
}

function drawTableHead() {
	const focused = rows.head.contains(document.activeElement) && document.activeElement.dataset.key;
	rows.head.replaceChildren();
	for (const [key, text] of columnsOf()) {
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
