/*
 * What the line at the bottom tells: the frame or the function under the pointer, else the one that
 * the keyboard is at, else the chosen function.
 */
import { rowsOf } from '../model/difference_data.js';
import { describe, describeRow } from './difference_words.js';
import { flame, itemAt } from './page_canvas.js';
import { place, tell } from './page_elements.js';
import { rows } from './page_rows.js';
import { state, sum } from '../model/page_state.js';

const pointed = { place: null, name: -1 };

/* The pointer is at a place in the graph, at the row of a function, or at neither. */
function point(where) {
	Object.assign(pointed, { place: null, name: -1 }, where);
	tellWhere();
}

export function watchFrames() {
	flame.canvas.addEventListener('pointermove', event => point({ place: place(event, flame.canvas) }));
	flame.canvas.addEventListener('pointerleave', () => point({}));
	flame.box.addEventListener('keydown', () => point({}));
	flame.box.addEventListener('focus', tellWhere);
	flame.box.addEventListener('blur', tellWhere);
}

export function watchRows() {
	rows.body.addEventListener('pointermove', event => {
		const row = event.target.closest('tr');
		point({ name: row ? rows.list[row.sectionRowIndex].function : -1 });
	});
	rows.body.addEventListener('pointerleave', () => point({}));
	rows.body.addEventListener('focusin', () => point({}));
	rows.body.addEventListener('focusout', tellWhere);
}

function pointedText() {
	const item = pointed.place && !flame.panel.hidden && itemAt(...pointed.place);
	const row = pointed.name >= 0 && rows.list.find(one => one.function === pointed.name);
	if (item)
		return describe(item.frame);
	return row ? describeRow(row) : '';
}

function focusedText() {
	const focused = document.activeElement;
	if (!focused.matches(':focus-visible'))
		return '';
	if (focused === flame.box && flame.at)
		return describe(flame.at.frame);
	const row = rows.body.contains(focused) && rows.list[focused.sectionRowIndex];
	return row ? describeRow(row) : '';
}

function chosenText() {
	const row = state.chosen >= 0 && rowsOf().find(one => one.function === state.chosen);
	return row ? describeRow(row) : '';
}

export function tellWhere() {
	tell(sum.counter ? pointedText() || focusedText() || chosenText() : '');
}
