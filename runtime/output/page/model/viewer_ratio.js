/* Ratios of two counters: their titles, and the steps by which frames are coloured. */
import { profile, state } from './page_state.js';
import { once } from './viewer_model.js';

export const RATIO_STEPS = 8;

/* A ratio of two counters: its unit, and the factor for events of one by those of the other. */
export function ratioOf([of, by]) {
	const { counters } = profile.head;
	const time = counters[by].unit === 'ns';
	return {
		of, by, scale: time ? 1e6 : 1,
		title: counters[of].name + (counters[of].unit === 'ns' ? ' (ns)' : '') + ' per ' +
			(time ? 'ms of ' : '') + counters[by].name,
	};
}

export function ratioIn(sums) {
	return sums[3] > 0 ? currentRatio().scale * sums[2] / sums[3] : -1;
}

export function currentRatio() {
	return once('ratio', [state.ratio], () => ratioOf(state.ratio));
}

function niceBelow(value) {
	const power = 10 ** Math.floor(Math.log10(value));
	return [5, 2, 1].find(one => one * power <= value * (1 + 1e-9)) * power;
}

/* Bounds between the steps of a ratio: round numbers between the ratios of nearly all frames. */
export function ratioBounds(items) {
	const list = items.map(item => [ratioIn(item.frame.sums), item.width]).filter(one => one[0] > 0)
		.sort((a, b) => a[0] - b[0]);
	const whole = list.reduce((sum, one) => sum + one[1], 0);
	const quantile = share => {
		let sum = 0;
		return list.find(one => (sum += one[1]) >= share * whole)[0];
	};
	if (!list.length)
		return [];
	const low = quantile(0.01);
	const high = quantile(0.99);
	const bounds = [];
	if (high / low < 1.1)
		return bounds; // they show the same digits
	if (high / low <= 4) {
		const step = niceBelow(Math.max((high - low) / RATIO_STEPS, low / 100)) * 2;
		for (let k = Math.floor(low / step) + 1; k * step < high; k++)
			bounds.push(Number((k * step).toPrecision(6)));
	} else {
		const factor = (high / low) ** (1 / RATIO_STEPS);
		for (let k = 1; k < RATIO_STEPS; k++)
			bounds.push(Number((low * factor ** k).toPrecision(2)));
	}
	return [...new Set(bounds)].slice(0, RATIO_STEPS - 1);
}

export function ratioStep(bounds, value) {
	let step = 0;
	while (step < bounds.length && value >= bounds[step])
		step++;
	return Math.round(step * (RATIO_STEPS - 1) / Math.max(bounds.length, 1));
}
