/*
 * Frames and functions of a comparison in words.
 */
import { absoluteInterval, LINE_CELL, relativeInterval } from '../model/difference_data.js';
import { changeText } from '../../graph/graph_diff.js';
import { isolated, labelFor, plain } from '../../graph/graph_words.js';
import { page } from './page_elements.js';
import { profile, state, sum } from '../model/page_state.js';

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
export function describeRow(row) {
	const { whole, unit } = sum.counter;
	const relative = relativeInterval(row);
	const words = (state.by === 'self' ? ', itself (' : ', with callees (') +
		changeWords(row, [whole.before, whole.after], profile.head.confidence, unit) +
		(relative && ', ' + relative) + sureWords(row) + ')';
	return nameBeside(row.name, words) + words;
}
