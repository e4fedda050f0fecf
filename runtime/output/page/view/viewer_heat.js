/*
 * The heatmap: columns of time, rows of the time within a column, from the bottom up, as in
 * FlameScope.  What happens at regular intervals forms lines.
 */
import { amount } from '../../graph/graph_words.js';
import { profile, state, sum } from '../model/page_state.js';
import { binned, heatValues, quantileOf } from '../model/viewer_bins.js';
import { firstAt, once, searchKeys, valueKeys } from '../model/viewer_model.js';
import { nsAt, roundUp } from '../model/viewer_times.js';
import { classColour, pageColour, sized, theme } from './page_elements.js';
import { SANS, seen } from './viewer_axis.js';
import { FOUND_RAMP, GREY_RAMP, heatSubtrees, RAMP, stepsOf } from './viewer_colour.js';

export const HEAT_HEIGHT = 200;
export const HEAT_GUTTER = 58;

/* Durations of a column and of a cell, both in units, and the number of rows. */
function heatScale(width) {
	const { unitNs } = profile.head;
	const [from, to] = seen();
	const span = nsAt(to - from);
	const count = Math.max(firstAt(to) - firstAt(from), 1);
	let column = state.column;
	if (!column) {
		const fine = Math.max(span / (width / 5), Math.min(10 * span / count, span / 8));
		column = roundUp(fine);
		if (span >= 10e9 && column < 1e9)
			column = 1e9; // most of what is regular is so by the second
	}
	column = Math.max(column, span / (width / 2), unitNs);
	const rows = [50, 40, 25, 20, 10, 5, 2, 1].find(one =>
		column / one >= Math.min(span / count, column) && column / one >= unitNs) || 1;
	return { column: column / unitNs, rows, cell: column / unitNs / rows };
}

function heatGrid(axis) {
	const scale = heatScale(axis.width);
	const start = Math.floor(axis.from / scale.column) * scale.column;
	const columns = Math.max(Math.ceil((axis.to - start) / scale.column), 1);
	const count = columns * scale.rows;
	const keys = [valueKeys(), start, scale, columns];
	const grid = once('heat', keys, () =>
		binned(heatValues(), start, scale.cell, count, null));
	const waits = sum.values.withOff && once('heat waits', keys, () =>
		binned({ ...sum.values, point: [] }, start, scale.cell, count, null));
	const found = sum.inside && once('heat found', [keys, searchKeys()], () =>
		binned(heatValues(), start, scale.cell, count, sum.inside));
	const most = once('heat most', keys, () => quantileOf(grid, 0.98));
	return { ...scale, start, columns, grid, found, waits, most };
}

function heatColour(heat, i) {
	const value = heat.grid[i];
	const level = v => Math.min(63, Math.floor(Math.sqrt(Math.min(v / heat.most, 1.4) / 1.4) * 63));
	if (!heat.found)
		return stepsOf(RAMP, 'load')[level(value)];
	return heat.found[i] > 0 ? stepsOf(FOUND_RAMP, 'found')[Math.floor(Math.min(heat.found[i] / value, 1) * 63)] :
		stepsOf(GREY_RAMP, 'grey')[level(value)];
}

/* The cells, which are drawn again only when they change. */
function heatPicture(heat, axis) {
	const keys = [valueKeys(), searchKeys(), axis, heat.start, heat.cell, heat.rows, state.paint, theme(),
		window.devicePixelRatio];
	return once('heat picture', keys, () => {
		const canvas = document.createElement('canvas');
		const context = sized(canvas, axis.left + axis.width, HEAT_HEIGHT);
		const subtrees = heat.found ? null : heatSubtrees(heat);
		const high = HEAT_HEIGHT / heat.rows;
		const gap = axis.x(heat.column) - axis.x(0) > 8 ? 1 : 0;
		context.beginPath();
		context.rect(axis.left, 0, axis.width, HEAT_HEIGHT);
		context.clip();
		for (let i = 0; i < heat.grid.length; i++) {
			const waits = heat.waits && heat.waits[i] > 0;
			if (!(heat.grid[i] > 0) && !waits)
				continue;
			const at = Math.floor(i / heat.rows);
			const left = Math.round(axis.x(heat.start + at * heat.column));
			const wide = Math.round(axis.x(heat.start + (at + 1) * heat.column)) - left;
			const upper = Math.round(HEAT_HEIGHT - (i - at * heat.rows + 1) * high);
			if (heat.grid[i] > 0) {
				context.fillStyle = subtrees ? subtrees.colour(i) : heatColour(heat, i);
				context.globalAlpha = subtrees ? subtrees.strength(i) : 1;
			} else {
				context.fillStyle = classColour('o1');
				context.globalAlpha = 0.25;
			}
			context.fillRect(left, upper, wide - gap, high - (high > 5 ? 1 : 0));
		}
		return canvas;
	});
}

export function drawHeat(context, axis, top) {
	const heat = heatGrid(axis);
	context.drawImage(heatPicture(heat, axis), 0, top, axis.left + axis.width, HEAT_HEIGHT);
	drawHeatScale(context, axis, top, heat);
	return heat;
}

function drawHeatScale(context, axis, top, heat) {
	context.font = '11px ' + SANS;
	context.fillStyle = pageColour('faint');
	context.textAlign = 'right';
	context.textBaseline = 'middle';
	for (const share of [0, 0.5, 1]) {
		const y = top + HEAT_HEIGHT * (1 - share) + (share === 0 ? -6 : share === 1 ? 7 : 0);
		context.fillText(share ? '+' + amount(share * nsAt(heat.column), 'ns') : '0', axis.left - 5, y);
	}
	context.textAlign = 'left';
}

/* The cell at a point, as numbers of column and row. */
export function heatCell(heat, axis, top, x, y) {
	const clamp = (value, most) => Math.min(Math.max(value, 0), most);
	const column = clamp(Math.floor((axis.time(x) - heat.start) / heat.column), heat.columns - 1);
	const row = clamp(Math.floor((top + HEAT_HEIGHT - y) / HEAT_HEIGHT * heat.rows), heat.rows - 1);
	return column * heat.rows + row;
}

export function heatTime(heat, cell) {
	return heat.start + cell * heat.cell;
}

/* The outline of a range of time: parts of the first and the last column, all of those between. */
export function outlineHeat(heat, axis, top, from, to) {
	const path = new Path2D();
	const cellAt = at => (at - heat.start) / heat.cell;
	const first = Math.max(Math.floor(cellAt(from) + 1e-6), 0);
	const last = Math.min(Math.ceil(cellAt(to) - 1e-6), heat.columns * heat.rows) - 1;
	const column = cell => Math.floor(cell / heat.rows);
	const edge = at => Math.round(Math.min(Math.max(axis.x(heat.start + at * heat.column), axis.left), axis.left + axis.width));
	const level = row => Math.round(top + HEAT_HEIGHT * (1 - row / heat.rows));
	const [left, right] = [edge(column(first)), edge(column(last) + 1)];
	const [low, high] = [level(first % heat.rows), level(last % heat.rows + 1)];
	if (last < first)
		return path;
	if (column(first) === column(last)) {
		path.rect(left, high, right - left, low - high);
		return path;
	}
	const [inner, outer] = [edge(column(first) + 1), edge(column(last))];
	const corners = [[left, level(heat.rows)], [outer, level(heat.rows)], [outer, high], [right, high],
		[right, level(0)], [inner, level(0)], [inner, low], [left, low]];
	corners.forEach(([x, y]) => path.lineTo(x, y));
	path.closePath();
	return path;
}
