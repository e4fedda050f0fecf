/*
 * The source lines of the chosen function: where on its lines the samples of the selection are that
 * it used itself, with the text of the file where the page has it; or its instructions likewise.
 */
import { make, makeButton } from '../../graph/graph_common.js';
import { amount, percent, plain, share } from '../../graph/graph_words.js';
import { apply, profile, state, sum } from '../model/page_state.js';
import { each, functionSums, once, round, sumKeys, unitOf } from '../model/viewer_model.js';
import { choose, selectedRange } from '../model/viewer_state.js';
import { flame, ROW } from './page_canvas.js';
import { rows } from './page_rows.js';

const LINES_AROUND = 4;  // lines of text above and below those with samples
const STATUS_ROOM = 40;  // pixels at the foot of the window that its line covers
export const source = { instructions: false, reveal: false };

export function makeSource(body) {
	source.panel = make('section', { class: 'source', 'aria-label': 'Source lines' }, body);
	const bar = make('div', { class: 'bar' }, source.panel);
	source.title = make('strong', {}, bar);
	makeButton(bar, 'Callers and callees', 'Of this function (C)', () => choose(state.chosen, 'around'));
	source.button = makeButton(bar, 'Instructions', 'Instructions instead of source lines', () => {
		source.instructions = !source.instructions;
		source.reveal = true;
		drawSource();
	});
	makeButton(bar, 'Close', 'Choose no function (Esc)', () =>
		apply({ chosen: -1, mode: state.mode === 'around' ? 'down' : state.mode }, 'push'));
	source.facts = make('p', {}, source.panel);
	source.list = make('div', { class: 'lines', tabindex: '0', role: 'list', 'aria-label': 'Lines' }, source.panel);
}

/* Values by number of source line or instruction, of samples in the function itself. */
function sumsBy(what, name) {
	return once('by ' + what, [sumKeys(), name], () => {
		const { node, [what]: number } = profile.samples;
		const { nodeName } = profile.nodes;
		const found = new Map();
		each(sum.values, ...selectedRange(), (i, value) => {
			if (nodeName[node[i]] === name)
				found.set(number[i], (found.get(number[i]) || 0) + value);
		});
		return found;
	});
}

/* The functions of the page's code in which the chosen function has samples, with those by place in
 * the list of its instructions. */
function codeWith(found) {
	const result = [];
	let first = 1;
	for (const one of profile.head.code) {
		const places = new Map();
		for (const [number, value] of found)
			if (value > 0 && number >= first && number < first + one.rows.length)
				places.set(number - first, value);
		if (places.size)
			result.push([one, places]);
		first += one.rows.length;
	}
	return result;
}

function drawCode(one, places, self) {
	const most = Math.max(...places.values());
	let last = -1;
	let heading = '';
	make('h3', { title: one.path }, source.list, one.path);
	for (const hot of [...places.keys()].sort((a, b) => a - b)) {
		const first = Math.max(hot - LINES_AROUND, last + 1);
		if (first > last + 1)
			make('div', { class: 'gap' }, source.list, '\u22ee');
		for (last = Math.max(first - 1, last); last < Math.min(hot + LINES_AROUND, one.rows.length - 1);) {
			const [offset, text, file, line] = one.rows[++last];
			if (!text) {
				make('div', { class: 'gap' }, source.list, '\u22ee');
				continue;
			}
			const now = file + ' ' + line;
			if (now !== heading && file !== undefined)
				drawHeading(profile.head.files[file], line);
			heading = now;
			drawLine((one.start + offset).toString(16), text, places.get(last) || 0, most, self);
		}
	}
}

/* The source line that the instructions below belong to. */
function drawHeading(file, line) {
	const text = file.text === undefined ? '' : (file.text.split('\n', line)[line - 1] ?? '').trim();
	make('div', { class: 'origin', title: file.path }, source.list, file.path.replace(/.*\//, '') + ':' + line + '  ' + text);
}

/* After a row of the table was chosen, or instructions: bring them into view, and keep the row there. */
function revealSource() {
	const row = rows.body.querySelector('[aria-selected="true"]');
	const under = source.panel.getBoundingClientRect().bottom + STATUS_ROOM - window.innerHeight;
	source.reveal = false;
	if (row && under > 0)
		window.scrollBy(0, Math.min(under, Math.max(row.getBoundingClientRect().top - ROW * 2, 0)));
}

export function drawSource() {
	const name = state.chosen;
	source.panel.hidden = flame.source.hidden = name < 0;
	if (name < 0)
		return;
	fillSource(name);
	if (source.reveal)
		revealSource();
}

function fillSource(name) {
	const instructions = sumsBy('instruction', name);
	const code = codeWith(instructions);
	const { self, total } = functionSums();
	const unit = unitOf(state.counter, state.off);
	source.title.textContent = plain(profile.head.names[name]);
	source.facts.textContent = 'Self ' + amount(round(self[name]), unit) + ' (' + share(self[name], sum.now.all) +
		'), total ' + amount(round(total[name]), unit) + ' (' + share(total[name], sum.now.all) + ')';
	source.list.replaceChildren();
	source.button.hidden = !code.length;
	source.button.setAttribute('aria-pressed', String(source.instructions));
	if (code.length && source.instructions) {
		for (const [one, places] of code)
			drawCode(one, places, self[name]);
		if (instructions.get(0) > 0)
			make('p', {}, source.list, share(instructions.get(0), self[name]) +
				' of its own samples have no instruction in this page.');
		return;
	}
	drawLines(sumsBy('line', name), self[name]);
}

function drawLines(byLine, self) {
	const files = new Map();
	for (const [line, value] of [...byLine].filter(one => one[0] && one[1] > 0).sort((a, b) => a[0] - b[0])) {
		const file = profile.lines.lineFile[line - 1];
		const number = profile.lines.lineNumber[line - 1];
		if (!files.has(file))
			files.set(file, new Map());
		files.get(file).set(number, (files.get(file).get(number) || 0) + value);
	}
	for (const [file, found] of files)
		drawFile(profile.head.files[file], found, self);
	if (byLine.get(0) > 0 && profile.lines.count)
		make('p', {}, source.list, share(byLine.get(0), self) + ' of its own samples have no line.');
	if (!files.size)
		make('p', {}, source.list, self > 0 ? 'Its lines are not known.' : 'It has no samples of its own here.');
}

function drawFile(file, found, self) {
	const most = Math.max(...found.values());
	const numbered = [...found.keys()].sort((a, b) => a - b);
	make('h3', { title: file.path }, source.list, file.path);
	if (file.text === undefined) {
		numbered.sort((a, b) => found.get(b) - found.get(a));
		for (const number of numbered)
			drawLine(number, '', found.get(number), most, self);
		return;
	}
	const lines = file.text.split('\n');
	let last = 0;
	for (const number of numbered) {
		const first = Math.max(number - LINES_AROUND, last + 1);
		if (last && first > last + 1)
			make('div', { class: 'gap' }, source.list, '\u22ee');
		for (last = Math.max(first - 1, last); last < Math.min(number + LINES_AROUND, lines.length) || last < number;)
			drawLine(++last, lines[last - 1] ?? '', found.get(last) || 0, most, self);
	}
}

function drawLine(number, text, value, most, self) {
	const line = make('div', { class: 'line', role: 'listitem' }, source.list);
	const count = make('span', { class: 'count' }, line, value > 0 ? share(value, self) : '');
	make('span', { class: 'number' }, line, String(number));
	make('span', { class: 'text' }, line, text);
	if (!(value > 0))
		return;
	count.title = amount(round(value), unitOf(state.counter, state.off));
	line.style.backgroundSize = percent(value, most) + '% 100%';
	line.classList.add('hot');
}
