/*
 * The elements of a page and its colours.  Names come from the profiled program and are never trusted:
 * they reach the page as text content, as values of attributes, or on a canvas.  Colours are classes of
 * the SVG for light and dark backgrounds, read from its style sheet, and variables of the page's own.
 */
import { make, makeButton } from '../../graph/graph_common.js';
import { apply, state } from '../model/page_state.js';

export const MONO = 'ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", "Liberation Mono", monospace';
export const page = {};

/* Buttons of which one is pressed; entries are [value, text, title]. */
export function makeChoice(parent, label, entries, act) {
	const group = make('div', { role: 'group', 'aria-label': label, class: 'choice' }, parent);
	const buttons = entries.map(([value, text, title]) => {
		const one = makeButton(group, text, title, () => act(value));
		one.dataset.value = value;
		return one;
	});
	return value => buttons.forEach(one => one.setAttribute('aria-pressed', one.dataset.value === value));
}

export function makeSelect(parent, label, act) {
	const made = make('select', { 'aria-label': label, title: label }, parent);
	made.addEventListener('change', () => act(made.value));
	return made;
}

/* Entries are [value, text]; the elements are made again only when the entries change. */
export function fillSelect(select, entries, value) {
	const key = JSON.stringify(entries);
	if (select.entriesKey !== key) {
		select.entriesKey = key;
		select.replaceChildren(...entries.map(([entry, text]) =>
			make('option', { value: entry }, null, text)));
	}
	select.value = value;
}

/* An entry of a legend. */
export function makeEntry(parent, name, colour, text) {
	const entry = make('span', { class: name }, parent);
	make('i', {}, entry).style.background = colour;
	make('span', {}, entry, text);
}

/* A canvas that is sharp on every screen; returns its context, cleared. */
export function sized(canvas, width, height) {
	const ratio = window.devicePixelRatio || 1;
	const [wide, high] = [Math.round(width * ratio), Math.round(height * ratio)];
	if (canvas.width !== wide || canvas.height !== high) {
		canvas.width = wide;
		canvas.height = high;
		canvas.style.width = width + 'px';
		canvas.style.height = height + 'px';
	}
	const context = canvas.getContext('2d');
	context.setTransform(ratio, 0, 0, ratio, 0, 0);
	context.clearRect(0, 0, width, height);
	return context;
}

/* The line at the bottom: what is under the pointer, and the share of the search. */
export function makeStatus(body) {
	const bar = make('footer', { class: 'status' }, body);
	page.details = make('div', { class: 'details' }, bar);
	page.matched = make('div', { class: 'matched', role: 'status' }, bar);
}

export function tell(text) {
	page.details.textContent = text;
}

export function place(event, canvas) {
	const box = canvas.getBoundingClientRect();
	return [event.clientX - box.left, event.clientY - box.top];
}

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
