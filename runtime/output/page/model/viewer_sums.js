/*
 * Sums of the selection by function and by module.
 */
import { profile, sum } from './page_state.js';
import { once, outerBy, sumNodes } from './viewer_model.js';
import { sumKeys } from './viewer_state.js';

export function functionSums() {
	return once('functions', [sumKeys()], () =>
		sumNodes(sum.now, profile.nodes.nodeName, outerBy('function'), profile.head.names.length));
}

export function moduleSums() {
	return once('modules', [sumKeys()], () =>
		sumNodes(sum.now, profile.nodes.nodeModule, outerBy('module'), profile.head.modules.length + 1));
}

/* The function with the largest value of its own. */
export function heaviest() {
	const { self } = functionSums();
	return self.reduce((best, value, i) => value > self[best] ? i : best, 0);
}
