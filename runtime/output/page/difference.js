/*
 * Starts the page of a comparison: reads the data, builds the page, and draws it again when the
 * state changes.
 */
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
	drawSoon.pending = 0;
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
	state = recall();
	makeHeader(body);
	makeTools();
	const main = make('main', {}, body);
	const upper = make('div', { class: 'upper' }, main);
	makeMeasures(upper);
	makeTable(upper);
	makeFlame(main);
	makeStatus(body);
	makeHelp(body);
	listen();
	draw();
}

async function begin() {
	try {
		profile = await readProfile();
		document.getElementById('profile').remove();
	} catch (error) {
		make('p', { class: 'failure', role: 'alert' }, document.body, error.message);
		return;
	}
	build();
}

begin();
