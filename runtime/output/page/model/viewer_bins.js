/* Values of samples by cell of time, for heatmap, lanes and load. */
import { profile, sum } from './page_state.js';
import { firstAt, spanIn } from './viewer_model.js';

/* Adds the value of a span to all cells that it covers; `steps` has differences. */
function spread(grid, steps, first, last, value) {
	const rate = value / (last - first);
	const low = Math.floor(first);
	const high = Math.min(Math.floor(last), grid.length - 1);
	if (!(last > first) || low === high) {
		if (low >= 0 && low < grid.length)
			grid[low] += value;
		return;
	}
	grid[low] += rate * (low + 1 - first);
	grid[high] += rate * Math.min(last - high, 1);
	steps[low + 1] += rate;
	steps[high] -= rate;
}

/* Values by cell from a time on, one grid for each group of samples: groups[of[sample]], where `of`
 * has their nodes or threads.  `inside`, by node, selects samples of a search. */
export function binnedBy(values, from, cell, count, groups, many, of, inside) {
	const { time: times, node } = profile.samples;
	const { point } = values;
	const key = of || node;
	const all = new Float64Array(many * count);
	const to = from + cell * count;
	const end = point.length ? firstAt(to) : 0;
	for (let i = point.length ? firstAt(from) : 0; i < end; i++) {
		if (!(point[i] > 0) || (inside && !inside[node[i]]))
			continue;
		const at = Math.min(Math.floor((times[i] - from) / cell), count - 1);
		all[(groups ? groups[key[i]] : 0) * count + at] += point[i];
	}
	const grids = Array.from({ length: many }, (_, group) => all.subarray(group * count, (group + 1) * count));
	if (values.spans.length)
		spreadSpans(values, from, cell, grids, i => inside && !inside[node[i]] ? -1 : groups ? groups[key[i]] : 0);
	return grids;
}

/* Adds all spans to the grids of their groups; -1: to none. */
export function spreadSpans(values, from, cell, grids, groupOf) {
	const { time: times, events } = profile.samples;
	const count = grids[0].length;
	const to = from + cell * count;
	const steps = grids.map(() => new Float64Array(count + 1));
	for (const i of values.spans) {
		const value = spanIn(values, i, from, to);
		const group = groupOf(i);
		if (!(value > 0) || group < 0)
			continue;
		const left = Math.max(times[i] - events[i] / profile.head.unitNs, from);
		spread(grids[group], steps[group], (left - from) / cell, (Math.min(times[i], to) - from) / cell, value);
	}
	steps.forEach((list, group) => {
		for (let i = 0, all = 0; i < count; i++) {
			all += list[i];
			grids[group][i] += Math.abs(all) < 1e-6 ? 0 : all;
		}
	});
}

export function binned(values, from, cell, count, inside) {
	return binnedBy(values, from, cell, count, null, 1, null, inside)[0];
}

export function quantileOf(grid, share) {
	const list = grid.filter(value => value > 0).sort();
	return list.length ? list[Math.min(Math.floor(share * list.length), list.length - 1)] : 1;
}

/* What the cells are of: with time off the processor, of the rest, so that threads that wait all the
 * time do not hide the others. */
export function heatValues() {
	return sum.values.withOff ? { ...sum.values, spans: [] } : sum.values;
}
