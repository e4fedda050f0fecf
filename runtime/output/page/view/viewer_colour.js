/*
 * Colours that the style sheet lacks: ramps for the heatmap, parts of the program.
 */
import { classColour, look, theme } from './page_palette.js';
import { profile, state } from '../model/page_state.js';
import { partition } from '../model/viewer_parts.js';

export const RAMP = {
	light: [[255, 240, 214], [253, 196, 120], [240, 122, 62], [190, 40, 44], [88, 10, 42]],
	dark: [[58, 36, 34], [116, 46, 36], [196, 80, 40], [240, 160, 66], [255, 240, 190]],
};
export const FOUND_RAMP = {
	light: [[250, 205, 250], [230, 0, 230], [140, 0, 140]],
	dark: [[80, 24, 80], [190, 20, 190], [255, 130, 255]],
};
export const GREY_RAMP = {
	light: [[240, 240, 243], [206, 207, 213], [168, 170, 178]],
	dark: [[40, 41, 46], [62, 64, 71], [92, 95, 104]],
};
const PARTS_COLOURS = {
	light: ['#e8743b', '#3f7fd1', '#4fa35a', '#b565c9', '#d9a514', '#29a5a8', '#d24b6a', '#7d74d6',
		'#8b9a2e', '#9a6b4f'],
	dark: ['#e07a45', '#5b95e0', '#58ab66', '#bd77d0', '#d3a72c', '#37acae', '#dd6480', '#9189e2',
		'#9aa843', '#ab7f64'],
};
export const SANS = 'system-ui, "Segoe UI", "DejaVu Sans", sans-serif';

/* 64 steps of a ramp as text. */
export function stepsOf(ramp, name) {
	return look.ramps[name] ??= Array.from({ length: 64 }, (_, i) => {
		const stops = ramp[theme()];
		const at = i / 63 * (stops.length - 1);
		const low = Math.min(Math.floor(at), stops.length - 2);
		const mixed = stops[low].map((value, k) =>
			Math.round(value + (at - low) * (stops[low + 1][k] - value)));
		return 'rgb(' + mixed.join(',') + ')';
	});
}

export function partColour(number) {
	const colours = PARTS_COLOURS[theme()];
	return colours[(number - 1) % colours.length];
}

/* Whether the pictures of time have the colours of parts. */
export function hasParts() {
	return profile.hasTime && state.paint === 'parts';
}

/* Whether a function is named for a part that they show. */
export function isPart(name) {
	return hasParts() && partition().numbers.has(name);
}

/* The colour of a function, in all of the page: that of its part, else that of its kind of code. */
export function functionColour(name) {
	return isPart(name) ? partColour(partition().numbers.get(name)) : classColour(profile.head.classes[name]);
}
