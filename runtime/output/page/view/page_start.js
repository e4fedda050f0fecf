/*
 * What every page has: its start, the search, the switch for light and dark, the list of keys, the keys
 * themselves, which the page names, and the drawing when something changes.
 */
import { make, makeButton } from '../../graph/graph_common.js';
import { apply, defineState, drawSoon, recall, setState, state, sum } from '../model/page_state.js';
import { readProfile } from '../model/page_unpack.js';
import { makeStatus, page, palettes, readRules, refreshColours, switchTheme, systemDark } from './page_elements.js';

export function makeSearch(bar) {
	page.search = make('input', {
		type: 'text', placeholder: 'regular expression', spellcheck: 'false',
		'aria-label': 'Search functions by regular expression', title: 'Search (Ctrl-F or /)',
	}, bar);
	page.search.addEventListener('input', () =>
		apply({ search: page.search.value }, state.search ? 'replace' : 'push'));
	page.fold = makeButton(bar, 'ic', 'Ignore case (Ctrl-I)',
		() => apply({ ignoreCase: !state.ignoreCase }, 'push'));
	page.fold.setAttribute('aria-label', 'Ignore case');
	page.theme = makeButton(bar, '\u25d0', 'Light or dark (D)', switchTheme);
	page.theme.setAttribute('aria-label', 'Light or dark');
	makeButton(bar, '?', 'Keys and hints (?)', showHelp).setAttribute('aria-label', 'Help');
}

export function drawSearch() {
	if (page.search.value !== state.search)
		page.search.value = state.search;
	page.search.classList.toggle('bad', Boolean(sum.problem));
	page.search.setAttribute('aria-invalid', Boolean(sum.problem));
	page.fold.setAttribute('aria-pressed', state.ignoreCase);
}

/* The share of the search, or what is wrong with it. */
export function showMatched(text) {
	page.matched.textContent = sum.hits && text ? 'Matched: ' + text() : sum.problem;
	page.matched.classList.toggle('problem', Boolean(sum.problem));
}

/* The head of a page: its title, paragraphs of a class each, and a bar for tools. */
export function makeHead(body, title, paragraphs) {
	const header = make('header', {}, body);
	const words = make('div', { class: 'words' }, header);
	make('h1', {}, words, title);
	for (const [name, text] of paragraphs)
		make('p', { class: name }, words, text);
	page.tools = make('div', { class: 'tools', role: 'toolbar', 'aria-label': 'View and search' }, header);
	return header;
}

/* Keys are [title, [[keys, what they do], …]] of each part of the page. */
function makeHelp(body, keys) {
	page.help = make('dialog', { class: 'help', 'aria-label': 'Keys' }, body);
	make('h2', {}, page.help, 'Keys');
	for (const [title, entries] of keys) {
		make('h3', {}, page.help, title);
		const list = make('dl', {}, page.help);
		for (const [key, meaning] of entries) {
			make('dt', {}, list, key);
			make('dd', {}, list, meaning);
		}
	}
	makeButton(page.help, 'Close', 'Close (Esc)', () => page.help.close());
}

function showHelp() {
	if (page.help.open)
		page.help.close();
	else
		page.help.showModal();
}

function onKey(event, { narrowings, actions }) {
	const control = event.ctrlKey || event.metaKey;
	const typing = event.target.tagName === 'INPUT';
	if (page.help.open && event.key !== '?')
		return;
	if (event.key === 'F3' || control && event.key === 'f') {
		page.search.focus();
		page.search.select();
	} else if (control && event.key === 'i') {
		apply({ ignoreCase: !state.ignoreCase }, 'push');
	} else if (event.key === 'Escape' && typing) {
		apply(event.target === page.search ? { search: '' } : { filter: '' }, 'push');
		event.target.blur();
	} else if (event.key === 'Escape') {
		const found = narrowings().find(([there]) => there);
		if (!found)
			return;
		apply(found[1], 'push');
	} else {
		const plain = !typing && !control && !event.altKey && event.target.tagName !== 'SELECT';
		const acts = plain ? { ...COMMON_KEYS, ...actions() } : {};
		if (!Object.hasOwn(acts, event.key))
			return;
		acts[event.key]();
	}
	event.preventDefault();
}

function onHistory() {
	setState(recall());
	drawSoon();
}

/* Draw again whenever something outside the page changes.  Of a page, narrowings() are what Esc undoes, the
 * first one that there is: whether it is there, and what the state is without it.  actions() are what keys
 * do by themselves. */
function listen(keys) {
	window.addEventListener('keydown', event => onKey(event, keys));
	window.addEventListener('popstate', onHistory);
	window.addEventListener('hashchange', onHistory);
	window.addEventListener('resize', drawSoon);
	systemDark.addEventListener('change', drawSoon);
}

/* Keys that do the same in every page. */
const COMMON_KEYS = { '/': () => page.search.focus(), '?': showHelp, d: switchTheme };

/* The application of a page: decode() of its data, prepare() for what decode() returned, its state as
 * in defineState(), build() for its elements, keys as in makeHelp() and listen(), and draw(). */
export async function start(application) {
	try {
		application.prepare(await readProfile(application.decode));
		document.getElementById('profile').remove();
	} catch (error) {
		make('p', { class: 'failure', role: 'alert' }, document.body, error.message);
		return;
	}
	const { body } = document;
	const redraw = () => {
		refreshColours();
		application.draw();
		body.dataset.drawn = Number(body.dataset.drawn || 0) + 1;
	};
	readRules(document.getElementById('palette').sheet.cssRules, palettes.light);
	defineState(application.state, redraw);
	application.build(body);
	makeStatus(body);
	makeHelp(body, application.keys);
	listen(application);
	redraw();
	application.ready();
}
