/*
 * The colours of a page: classes of the SVG for light and dark backgrounds, read from its style
 * sheet, and the variables of the page's own.
 */
import { apply, state } from '../model/page_state.js';

export const palettes = { light: {}, dark: {} };
export const look = { theme: '', page: {}, ramps: {} };
export const systemDark = window.matchMedia('(prefers-color-scheme: dark)');

export function readRules(rules, into) {
	for (const rule of rules) {
		if (rule.media)
			readRules(rule.cssRules, palettes.dark);
		else if (rule.selectorText && rule.style.fill)
			into[rule.selectorText.slice(1)] = rule.style.fill;
	}
}

/* Light or dark; colours are looked up once for each. */
export function theme() {
	return look.theme;
}

export function refreshColours() {
	const now = state.theme || (systemDark.matches ? 'dark' : 'light');
	if (now === look.theme)
		return;
	Object.assign(look, { theme: now, page: {}, ramps: {} });
	document.documentElement.dataset.theme = now;
}

export function classColour(name) {
	return palettes[look.theme][name] || palettes.light[name] || '#bbb';
}

/* The colour of the page's style sheet with this name. */
export function pageColour(name) {
	return look.page[name] ??= getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim();
}

export function switchTheme() {
	const other = theme() === 'dark' ? 'light' : 'dark';
	apply({ theme: other === (systemDark.matches ? 'dark' : 'light') ? '' : other }, 'replace');
}
