/*
 * The source lines of the chosen function: where on its lines the samples of the selection are that
 * it used itself, with the text of the file where the page has it.
 */
const LINES_AROUND = 4;  // lines of text above and below those with samples
const source = {};

function makeSource(body) {
	source.panel = make('section', { class: 'source', 'aria-label': 'Source lines' }, body);
	const bar = make('div', { class: 'bar' }, source.panel);
	source.title = make('strong', {}, bar);
	makeButton(bar, 'Callers and callees', 'Of this function (C)', () => choose(state.chosen, 'around'));
	makeButton(bar, 'Close', 'Choose no function (Esc)', () =>
		apply({ chosen: -1, mode: state.mode === 'around' ? 'down' : state.mode }, 'push'));
	source.facts = make('p', {}, source.panel);
	source.list = make('div', { class: 'lines', tabindex: '0', role: 'list', 'aria-label': 'Lines' }, source.panel);
}

/* Values by source line, of samples in the function itself. */
function lineSums(name) {
	return once('lines', [sumKeys(), name], () => {
		const { node, line } = profile.samples;
		const { nodeName } = profile.nodes;
		const byLine = new Float64Array(profile.lines.count + 1);
		const [from, to] = selectedRange();
		each(sum.values, from, to, (i, value) => {
			if (nodeName[node[i]] === name)
				byLine[line[i]] += value;
		});
		return byLine;
	});
}

function drawSource() {
	const name = state.chosen;
	source.panel.hidden = name < 0;
	if (name < 0)
		return;
	const byLine = lineSums(name);
	const { self, total } = functionSums();
	const unit = unitOf(state.counter, state.off);
	source.title.textContent = plain(profile.head.names[name]);
	source.facts.textContent = 'Self ' + amount(round(self[name]), unit) + ' (' + share(self[name], sum.now.all) +
		'), total ' + amount(round(total[name]), unit) + ' (' + share(total[name], sum.now.all) + ')';
	source.list.replaceChildren();
	const files = new Map();
	for (let i = 1; i < byLine.length; i++) {
		const file = profile.lines.lineFile[i - 1];
		if (!(byLine[i] > 0))
			continue;
		if (!files.has(file))
			files.set(file, new Map());
		const number = profile.lines.lineNumber[i - 1];
		files.get(file).set(number, (files.get(file).get(number) || 0) + byLine[i]);
	}
	for (const [file, found] of files)
		drawFile(profile.head.files[file], found, self[name]);
	if (byLine[0] > 0 && profile.lines.count)
		make('p', {}, source.list, share(byLine[0], self[name]) + ' of its own samples have no line.');
	if (!files.size)
		make('p', {}, source.list, self[name] > 0 ? 'Its lines are not known.' : 'It has no samples of its own here.');
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
