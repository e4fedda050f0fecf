/*
 * The elements of the page.  Names come from the profiled program and are never trusted: they
 * reach the page as text content, as values of attributes, or on a canvas.
 */
const MONO = 'ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", "Liberation Mono", monospace';
const SANS = 'system-ui, "Segoe UI", "DejaVu Sans", sans-serif';
const page = {};

function make(tag, attributes, parent, text) {
	const made = document.createElement(tag);
	for (const key in attributes)
		made.setAttribute(key, attributes[key]);
	if (text !== undefined)
		made.textContent = text;
	if (parent)
		parent.appendChild(made);
	return made;
}

function makeButton(parent, text, title, act) {
	const made = make('button', { type: 'button', title }, parent, text);
	made.addEventListener('click', act);
	return made;
}

/* Buttons of which one is pressed; entries are [value, text, title]. */
function makeChoice(parent, label, entries, act) {
	const group = make('div', { role: 'group', 'aria-label': label, class: 'choice' }, parent);
	const buttons = entries.map(([value, text, title]) => {
		const one = makeButton(group, text, title, () => act(value));
		one.dataset.value = value;
		return one;
	});
	return value => buttons.forEach(one => one.setAttribute('aria-pressed', one.dataset.value === value));
}

function makeSelect(parent, label, act) {
	const made = make('select', { 'aria-label': label, title: label }, parent);
	made.addEventListener('change', () => act(made.value));
	return made;
}

/* Entries are [value, text]; the elements are made again only when the entries change. */
function fillSelect(select, entries, value) {
	const key = JSON.stringify(entries);
	if (select.entriesKey !== key) {
		select.entriesKey = key;
		select.replaceChildren(...entries.map(([entry, text]) =>
			make('option', { value: entry }, null, text)));
	}
	select.value = value;
}

/* A canvas that is sharp on every screen; returns its context, cleared. */
function sized(canvas, width, height) {
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

function makeHeader(body) {
	const { head } = profile;
	const header = make('header', {}, body);
	const words = make('div', { class: 'words' }, header);
	make('h1', {}, words, head.title || 'Profile');
	const facts = [head.command, head.host && 'on ' + head.host,
		head.realtimeMs && wallText(0, 1e9, true) + ' UTC', profile.hasTime && durationText(nsAt(profile.length))];
	make('p', { class: 'facts' }, words, facts.filter(Boolean).join(' \u00b7 '));
	for (const note of head.notes || [])
		make('p', { class: 'note' }, words, note);
	page.tools = make('div', { class: 'tools', role: 'toolbar', 'aria-label': 'View and search' }, header);
}

function makeTools() {
	const bar = page.tools;
	page.counter = makeSelect(bar, 'Counter', value =>
		apply({ counter: Number(value), off: true }, 'push'));
	page.ratio = makeSelect(bar, 'Colour', value =>
		apply({ ratio: value ? value.split('.').map(Number) : null }, 'push'));
	page.off = makeButton(bar, 'Off-CPU', 'Count the time off the processor too (O)',
		() => apply({ off: !state.off }, 'push'));
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

function switchTheme() {
	const other = theme() === 'dark' ? 'light' : 'dark';
	apply({ theme: other === (systemDark.matches ? 'dark' : 'light') ? '' : other }, 'replace');
}

function counterEntries() {
	return profile.head.counters.map((one, i) => [String(i), one.name]);
}

function ratioEntries() {
	const { counters } = profile.head;
	const pairs = [['', 'Colour: kind of code']];
	counters.forEach((of, i) => counters.forEach((by, k) => {
		if (i !== k && !of.offCpu && !by.offCpu)
			pairs.push([i + '.' + k, 'Colour: ' + ratioOf([i, k]).title]);
	}));
	return pairs;
}

function drawTools() {
	const several = profile.head.counters.length > 1;
	fillSelect(page.counter, counterEntries(), String(state.counter));
	page.counter.hidden = !several;
	const ratios = ratioEntries();
	fillSelect(page.ratio, ratios, state.ratio ? state.ratio.join('.') : '');
	page.ratio.hidden = ratios.length < 2;
	page.off.hidden = !canHaveOff(state.counter);
	page.off.setAttribute('aria-pressed', state.off);
	if (page.search.value !== state.search)
		page.search.value = state.search;
	page.search.classList.toggle('bad', Boolean(sum.problem));
	page.search.setAttribute('aria-invalid', Boolean(sum.problem));
	page.fold.setAttribute('aria-pressed', state.ignoreCase);
}

/* The line at the bottom: what is under the pointer, and the share of the search. */
function makeStatus(body) {
	const bar = make('footer', { class: 'status' }, body);
	page.details = make('div', { class: 'details' }, bar);
	page.matched = make('div', { class: 'matched', role: 'status' }, bar);
}

function tell(text) {
	page.details.textContent = text;
}

function share(part, whole) {
	return percent(part, whole).toFixed(1) + '%';
}

function drawMatched() {
	let text = sum.problem;
	if (sum.hits)
		text = 'Matched: ' + share(sum.matched, sum.now.all) +
			(everything() ? '' : ' of the selection');
	page.matched.textContent = text;
	page.matched.classList.toggle('problem', Boolean(sum.problem));
}
