/*
 * Colours that the style sheet lacks: ramps for the heatmap, parts of the program, steps of a ratio.
 */
const RAMP = {
	light: [[255, 240, 214], [253, 196, 120], [240, 122, 62], [190, 40, 44], [88, 10, 42]],
	dark: [[58, 36, 34], [116, 46, 36], [196, 80, 40], [240, 160, 66], [255, 240, 190]],
};
const FOUND_RAMP = {
	light: [[250, 205, 250], [230, 0, 230], [140, 0, 140]],
	dark: [[80, 24, 80], [190, 20, 190], [255, 130, 255]],
};
const GREY_RAMP = {
	light: [[240, 240, 243], [206, 207, 213], [168, 170, 178]],
	dark: [[40, 41, 46], [62, 64, 71], [92, 95, 104]],
};
const PARTS_COLOURS = {
	light: ['#e8743b', '#3f7fd1', '#4fa35a', '#b565c9', '#d9a514', '#29a5a8', '#d24b6a', '#7d74d6',
		'#8b9a2e', '#9a6b4f'],
	dark: ['#e07a45', '#5b95e0', '#58ab66', '#bd77d0', '#d3a72c', '#37acae', '#dd6480', '#9189e2',
		'#9aa843', '#ab7f64'],
};
const SANS = 'system-ui, "Segoe UI", "DejaVu Sans", sans-serif';
const RATIO_STEPS = 8;

/* 64 steps of a ramp as text. */
function stepsOf(ramp, name) {
	return look.ramps[name] ??= Array.from({ length: 64 }, (_, i) => {
		const stops = ramp[theme()];
		const at = i / 63 * (stops.length - 1);
		const low = Math.min(Math.floor(at), stops.length - 2);
		const mixed = stops[low].map((value, k) =>
			Math.round(value + (at - low) * (stops[low + 1][k] - value)));
		return 'rgb(' + mixed.join(',') + ')';
	});
}

/* A ratio of two counters: its unit, and the factor for events of one by those of the other. */
function ratioOf([of, by]) {
	const { counters } = profile.head;
	const time = counters[by].unit === 'ns';
	return {
		of, by, scale: time ? 1e6 : 1,
		title: counters[of].name + (counters[of].unit === 'ns' ? ' (ns)' : '') + ' per ' +
			(time ? 'ms of ' : '') + counters[by].name,
	};
}

function ratioIn(sums) {
	return sums[3] > 0 ? currentRatio().scale * sums[2] / sums[3] : -1;
}

function currentRatio() {
	return once('ratio', [state.ratio], () => ratioOf(state.ratio));
}

function niceBelow(value) {
	const power = 10 ** Math.floor(Math.log10(value));
	return [5, 2, 1].find(one => one * power <= value * (1 + 1e-9)) * power;
}

/* Bounds between the steps of a ratio: round numbers between the ratios of nearly all frames. */
function ratioBounds(items) {
	const list = items.map(item => [ratioIn(item.frame.sums), item.width]).filter(one => one[0] > 0)
		.sort((a, b) => a[0] - b[0]);
	const whole = list.reduce((sum, one) => sum + one[1], 0);
	const quantile = part => {
		let sum = 0;
		return list.find(one => (sum += one[1]) >= part * whole)[0];
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

function ratioStep(bounds, value) {
	let step = 0;
	while (step < bounds.length && value >= bounds[step])
		step++;
	return Math.round(step * (RATIO_STEPS - 1) / Math.max(bounds.length, 1));
}
