/*
 * Starts the page of a comparison: reads the data, builds the page, and draws it again when the
 * state changes.
 */
import { compute, decode, PARTS, START } from './difference_data.js';
import { drawFlame, makeFlame } from './difference_flame.js';
import { actionOf, escape, KEYS } from './difference_keys.js';
import { makeHeader, makeMeasures, makeTools } from './difference_measures.js';
import { drawTable, makeTable } from './difference_table.js';
import { tellWhere, watchFrames, watchRows } from './difference_told.js';
import { setProfile, state, sum } from './page_state.js';
import { make, makeStatus, page, share } from './viewer_elements.js';
import { drawSearch, listen, makeHelp } from './viewer_help.js';
import { defineState } from './viewer_link.js';
import { palettes, readRules, refreshColours } from './viewer_palette.js';
import { readProfile } from './viewer_unpack.js';

function drawMatched() {
	const root = sum.counter && sum.counter.root;
	let text = sum.problem;
	if (sum.hits && root)
		text = 'Matched: ' + ['before', 'after'].map(side =>
			share(matchedIn(root, side), root.change[side]) + ' ' + side).join(', ');
	page.matched.textContent = text;
	page.matched.classList.toggle('problem', Boolean(sum.problem));
}

/* Value of all matching frames on a side; nested ones count once. */
function matchedIn(root, side) {
	const open = [root];
	let matched = 0;
	while (open.length) {
		const frame = open.pop();
		if (sum.hits[frame.name])
			matched += frame.change[side];
		else
			for (const kid of frame.kids)
				open.push(kid);
	}
	return matched;
}

function draw() {
	refreshColours();
	compute();
	page.counter.value = String(state.counter);
	drawSearch();
	drawFlame();
	drawTable();
	drawMatched();
	tellWhere();
	document.body.dataset.drawn = Number(document.body.dataset.drawn || 0) + 1;
}

function build() {
	const { body } = document;
	body.classList.add('difference');
	readRules(document.getElementById('palette').sheet.cssRules, palettes.light);
	defineState(START, PARTS, wanted => wanted, draw);
	makeHeader(body);
	makeTools();
	const main = make('main', {}, body);
	const upper = make('div', { class: 'upper' }, main);
	makeMeasures(upper);
	makeTable(upper);
	makeFlame(main);
	makeStatus(body);
	watchFrames();
	watchRows();
	makeHelp(body, KEYS);
	listen({ escape, actionOf });
	draw();
}

async function begin() {
	try {
		setProfile(await readProfile(decode));
		document.getElementById('profile').remove();
	} catch (error) {
		make('p', { class: 'failure', role: 'alert' }, document.body, error.message);
		return;
	}
	build();
}

begin();
