/*
 * What every module of a page reads: the profile, the state, and what is computed from both.  The state is
 * in the URL's fragment.  Only apply() changes it, and the screen is drawn from it.  A damaged part of a
 * link is ignored.
 */
import { readLink, storeLink } from '../../graph/graph_common.js';

export let profile = null;      // what readProfile() returned, with the tables that the page adds
export let state = {};          // what the reader chose
export const sum = {};          // what compute() of the page made of them

export function setProfile(read) {
	profile = read;
}

export function setState(wanted) {
	state = wanted;
}

const link = { start: {}, parts: [], consistent: null, draw: null, pending: 0 };

/* A page has a state at the start, before anything is chosen, parts of it as they are in a link, and
 * consistent(), which makes of a state one that there is; draw() draws it. */
export function defineState(page, draw) {
	Object.assign(link, page, { draw });
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

/* What the state of every page begins with, and how these parts are in a link: the letter, what it sets,
 * how it is written ('' if it stands for the default) and read. */
export const COMMON_START = { counter: 0, zoom: [], chosen: -1, ascending: false, filter: '', search: '', ignoreCase: false, theme: '' };
export const COMMON = {
	counter: ['c', ['counter'], s => s.counter ? profile.head.counters[s.counter].name : '',
		text => [Math.max(profile.head.counters.findIndex(one => one.name === text), 0)]],
	chosen: ['f', ['chosen'], s => s.chosen < 0 ? '' : String(s.chosen),
		text => [natural(text, profile.head.names.length)]],
	zoom: ['z', ['zoom'], s => s.zoom.join('.'), text => [text.split('.').map(Number).filter(Number.isInteger)]],
	texts: [
		['q', ['filter'], s => s.filter, text => [text]],
		['s', ['search'], s => s.search, text => [text]],
		['i', ['ignoreCase'], s => s.ignoreCase ? '1' : '', text => [text === '1']],
		['p', ['theme'], s => s.theme, text => [oneOf(['light', 'dark'], '')(text)]],
	],
};

/* How the sorting of a table by one of its columns is in a link. */
export function sortPart(columns, first) {
	return ['d', ['sort', 'ascending'], s => s.sort === first && !s.ascending ? '' : s.sort + (s.ascending ? '.a' : ''),
		text => [oneOf(columns, first)(text.split('.')[0]), text.endsWith('.a')]];
}

export function recall() {
	const texts = readLink();
	const result = { ...link.start };
	for (const [letter, keys, , read] of link.parts) {
		if (texts[letter] === undefined)
			continue;
		try {
			const values = read(texts[letter]);
			keys.forEach((key, i) => {
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
	if (history)
		storeLink(link.parts.map(([letter, , write]) => [letter, write(state)]), history);
	drawSoon();
}
