/*
 * Frames and functions of a comparison in words, and the line at the bottom: the frame or the function
 * under the pointer, else the one that the keyboard is at, else the chosen function.
 */
import { changeText } from '../../graph/graph_diff.js';
import { isolated, labelFor, plain } from '../../graph/graph_words.js';
import { absoluteInterval, LINE_CELL, relativeInterval, rowsOf } from '../model/difference_data.js';
import { profile, state, sum } from '../model/page_state.js';
import { flame, itemAt } from './page_canvas.js';
import { page, place, tell } from './page_elements.js';
import { rows } from './page_rows.js';

const LINE_HEIGHT = 15;

/* As much of a name as there is room for beside the words. */
function nameBeside(name, words) {
	const { clientWidth, clientHeight } = page.details;
	const lines = Math.max(Math.round(clientHeight / LINE_HEIGHT), 1);
	const line = Math.floor(clientWidth / LINE_CELL) - (lines > 1 ? 12 : 0); // lines end at spaces
	return isolated(labelFor(plain(name) || '(empty)', Math.max(lines * line - words.length, 24)));
}

/* "before 50 samples, …", with a sign as wide as the plus, and whether it is sure. */
function changeWords(change, whole, confidence, unit) {
	const words = changeText({ ...change, sure: true }, { whole, confidence }, unit);
	return words.replace(/ -(?=\d)/g, ' \u2212');
}

function sureWords(change) {
	return (absoluteInterval(change, '') ? '' : ', no interval is known') + (change.sure ? ', significant' : ', not significant');
}

/* "name (before 50 samples, …), kernel" */
export function describe(frame) {
	const { head } = profile;
	const { diff, unit } = sum.counter;
	const kind = head.kindNames[head.kinds[frame.name]];
	const words = ' (' + changeWords(frame.change, diff.whole, diff.confidence, unit) + sureWords(frame.change) + ')' +
		(kind && frame.parent ? ', ' + kind : '');
	return nameBeside(head.names[frame.name], words) + words;
}

/* "name, itself (before 50 samples, …)" */
function describeRow(row) {
	const { whole, unit } = sum.counter;
	const relative = relativeInterval(row);
	const words = (state.by === 'self' ? ', itself (' : ', with callees (') +
		changeWords(row, [whole.before, whole.after], profile.head.confidence, unit) +
		(relative && ', ' + relative) + sureWords(row) + ')';
	return nameBeside(row.name, words) + words;
}

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
