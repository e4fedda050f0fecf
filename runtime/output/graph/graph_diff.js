/* The change of a frame or a function in words, as graph_diff.c writes them into the picture. */
import { amount, percent, short } from './graph_words.js';

/* An amount that need not be whole, such as a mean. */
export function mean(value, unit) {
	if (unit === 'ns' && value >= 999.5)
		return amount(value, unit);
	const text = short(value);
	return text === '1' ? amount(1, unit) : text + ' ' + unit;
}

/* "+25 samples" */
function signed(value, unit) {
	return (value < 0 ? '-' : '+') + mean(Math.abs(value), unit);
}

/* How a frame or a function changed: the means of both sides, the interval, and whether the
 * change is sure. */
export function changeText({ before, after, low, high, sure }, { whole, confidence }, unit) {
	const by = after - before;
	let text = 'before ' + mean(before, unit) + ', ' + percent(before, whole[0]).toFixed(2) + '%; after ' +
		mean(after, unit) + ', ' + percent(after, whole[1]).toFixed(2) + '%; change ' + signed(by, unit) + ', ';
	if (!(before > 0))
		text += 'new';
	else if (!(after > 0))
		text += 'gone';
	else
		text += (by < 0 ? '' : '+') + percent(by, before).toFixed(2) + '%';
	if (confidence && Number.isFinite(low) && Number.isFinite(high))
		text += ', ' + short(confidence) + '% interval ' + signed(low, unit) + ' to ' + signed(high, unit);
	return text + (sure ? '' : ', not significant');
}

/* Returns a change from its record in the data. */
export function changeOf([before, after, low, high, colours]) {
	return { before, after, low: low ?? NaN, high: high ?? NaN, sure: colours !== 'w0', colours };
}
