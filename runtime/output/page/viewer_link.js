/*
 * The state of a page in the URL's fragment.  Only apply() changes the state, and the screen is drawn
 * from it.  A damaged part of a link is ignored.
 */
import { setState, state } from './page_state.js';

const link = { start: {}, parts: [], consistent: null, draw: null, pending: 0 };

/* The page says what its state is before anything is chosen, how its parts are written in a link,
 * which states there are, and how it is drawn. */
export function defineState(start, parts, consistent, draw) {
	Object.assign(link, { start, parts, consistent, draw });
	setState(recall());
}

/* Draw the page once for all changes until the next frame. */
export function drawSoon() {
	link.pending ||= requestAnimationFrame(() => {
		link.pending = 0;
		link.draw();
	});
}

export function natural(text, limit) {
	const number = /^\d+$/.test(text) ? Number(text) : -1;
	return number < limit ? number : -1;
}

export function oneOf(list, otherwise) {
	return text => list.includes(text) ? text : otherwise;
}

function fragment() {
	const parts = [];
	for (const [letter, , write] of link.parts) {
		const text = write(state);
		if (text)
			parts.push(letter + '=' + encodeURIComponent(text));
	}
	return '#' + parts.join('&');
}

export function recall() {
	const result = Object.assign({}, link.start);
	for (const part of location.hash.slice(1).split('&')) {
		const at = part.indexOf('=');
		const known = link.parts.find(one => one[0] === part.slice(0, at));
		if (!known)
			continue;
		try {
			const values = known[3](decodeURIComponent(part.slice(at + 1)));
			known[1].forEach((key, i) => {
				result[key] = values[i];
			});
		} catch (error) {
			// a damaged link: ignore this part
		}
	}
	return link.consistent(result);
}

/* Change the state: store it in the URL as a new step of history or in place of the last one
 * ('push', 'replace'), or leave the URL as it is (''). */
export function apply(change, history) {
	setState(link.consistent(Object.assign({}, state, change)));
	if (history) {
		const url = location.href.replace(/#.*$/s, '') + fragment();
		try {
			window.history[history + 'State'](null, '', url);
		} catch (error) {
			location.replace(url); // the document may not change its history
		}
	}
	drawSoon();
}
