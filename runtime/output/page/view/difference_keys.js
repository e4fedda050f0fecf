/*
 * The keys of the page, and their list.
 */
import { COMMON_KEYS, undoFirst } from './page_help.js';
import { apply } from '../model/page_link.js';
import { state } from '../model/page_state.js';

export const KEYS = [
	['Anywhere', [
		['/ or Ctrl-F', 'search; Esc leaves'], ['Ctrl-I', 'ignore case'],
		['W', 'widths: after, before'], ['1, 2', 'values of the functions themselves, with callees'],
		['D', 'light or dark'], ['Esc', 'undo, in this order: help, search, zoom, choice of a function'],
		['Tab', 'next part of the page']]],
	['Flame graph', [
		['Arrows', 'move to caller, callee and siblings'], ['Enter', 'zoom in, and choose the function']]],
	['Table', [
		['Arrows, Page Up, Page Down', 'move'], ['Enter', 'choose the function']]],
];

const PLAIN_KEYS = {
	...COMMON_KEYS,
	w: () => apply({ side: state.side === 'after' ? 'before' : 'after' }, 'push'),
	1: () => apply({ by: 'self' }, 'push'),
	2: () => apply({ by: 'total' }, 'push'),
};

export function actionOf(key) {
	return Object.hasOwn(PLAIN_KEYS, key) && PLAIN_KEYS[key];
}

/* Undo the latest kind of narrowing. */
export function escape() {
	return undoFirst([[state.search, { search: '' }], [state.zoom.length, { zoom: [] }], [state.chosen >= 0, { chosen: -1 }]]);
}
