/*
 * What the scripts of a flame graph and of a page have in common: elements, the state in the URL's
 * fragment, and the search.
 */
import { plain } from './graph_words.js';

export function element(space, name, attributes, parent) {
	const made = document.createElementNS(space, name);
	for (const key in attributes)
		made.setAttribute(key, attributes[key]);
	if (parent)
		parent.appendChild(made);
	return made;
}

/* An element of HTML, in a page or in a picture. */
export function make(tag, attributes, parent, text) {
	const made = element('http://www.w3.org/1999/xhtml', tag, attributes, parent);
	if (text !== undefined)
		made.textContent = text;
	return made;
}

export function makeButton(parent, text, title, act) {
	const made = make('button', { type: 'button', title }, parent, text);
	made.addEventListener('click', act);
	return made;
}

/* The texts in the URL's fragment by their letters; damaged ones are left out. */
export function readLink() {
	const texts = {};
	for (const part of location.hash.slice(1).split('&')) {
		const at = part.indexOf('=');
		try {
			texts[part.slice(0, at)] = decodeURIComponent(part.slice(at + 1));
		} catch (error) {
			// a damaged link: ignore this part
		}
	}
	return texts;
}

/* Store [letter, text] in the URL, as a new step of history ('push') or in place of the last one
 * ('replace'); an empty text stands for the default. */
export function storeLink(list, history) {
	const parts = list.filter(([, text]) => text).map(([letter, text]) => letter + '=' + encodeURIComponent(text));
	const url = location.href.replace(/#.*$/s, '') + '#' + parts.join('&');
	try {
		window.history[history + 'State'](null, '', url);
	} catch (error) {
		location.replace(url); // the document may not change its history
	}
}

/* By name, whether it matches a pattern, as `hits`; null without a pattern, or with one that is wrong as
 * `problem` says. */
export function findNames(names, pattern, ignoreCase) {
	try {
		const expression = new RegExp(pattern, ignoreCase ? 'i' : '');
		const found = name => expression.test(name) || expression.test(plain(name)) ? 1 : 0;
		return { hits: pattern ? Uint8Array.from(names, found) : null, problem: '' };
	} catch (error) {
		return { hits: null, problem: 'Not a regular expression: ' + error.message.replace(/^.*: /, '') };
	}
}
