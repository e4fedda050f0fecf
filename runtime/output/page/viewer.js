/*
 * Starts the page: reads the data, builds the page, and draws it again when the state changes.
 */
const sum = {};          // what is computed from the state: sums of the selection and of the search

function valueKeys() {
	return [state.counter, state.off, state.tracks, state.label];
}

function sumKeys() {
	return [valueKeys(), state.from, state.to];
}

function searchKeys() {
	return [state.search, state.ignoreCase];
}

function compute() {
	chooseFrames();
	const { counter, off, tracks, label } = state;
	const [from, to] = selectedRange();
	sum.values = once('values', [valueKeys()], () => valuesOf(counter, off, tracks, label));
	const before = sum.now;
	sum.now = once('sums', [sumKeys()], () => sumsOf(sum.values, from, to));
	if (before && before !== sum.now && before !== sum.whole)
		recycle(before);
	sum.whole = once('whole', [counter, off], () =>
		everything() ? sum.now : sumsOf(valuesOf(counter, off, null, null), -Infinity, Infinity));
	sum.ratio = state.ratio && once('ratio sums', [sumKeys(), state.ratio], () => ({
		of: eventsOf(state.ratio[0], tracks, label, from, to),
		by: eventsOf(state.ratio[1], tracks, label, from, to),
	}));
	const search = once('search', searchKeys(), compileSearch);
	sum.hits = search.hits;
	sum.problem = search.problem;
	sum.inside = sum.hits && once('inside', searchKeys(), () => matchedNodes(sum.hits));
	sum.matched = sum.hits && once('matched', [sumKeys(), searchKeys()], () =>
		matchedValue(sum.now.self, sum.inside));
}

function draw() {
	drawSoon.pending = 0;
	refreshColours();
	compute();
	drawTools();
	drawTime();
	drawFlame();
	drawTable();
	drawSource();
	updateMoments();
	drawMatched();
	document.body.dataset.drawn = Number(document.body.dataset.drawn || 0) + 1;
}

function build() {
	const { body } = document;
	readRules(document.getElementById('palette').sheet.cssRules, palettes.light);
	state = recall();
	makeHeader(body);
	makeTools();
	const main = make('main', {}, body);
	makeTime(main);
	const lower = make('div', { class: 'lower' }, main);
	makeFlame(lower);
	const side = make('div', { class: 'side' }, lower);
	makeTable(side);
	makeSource(side);
	makeStatus(body);
	makeHelp(body);
	listen();
	draw();
	if (profile.hasTime)
		setTimeout(makeMoments);
}

async function begin() {
	try {
		prepare(await readProfile());
		document.getElementById('profile').remove();
	} catch (error) {
		make('p', { class: 'failure', role: 'alert' }, document.body, error.message);
		return;
	}
	build();
}

begin();
