/*
 * What every page has: the search, the switch for light and dark, the list of keys, the keys
 * themselves, which KEYS and PLAIN_KEYS of the page name, and the drawing when something changes.
 */
function makeSearch(bar) {
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

function drawSearch() {
	if (page.search.value !== state.search)
		page.search.value = state.search;
	page.search.classList.toggle('bad', Boolean(sum.problem));
	page.search.setAttribute('aria-invalid', Boolean(sum.problem));
	page.fold.setAttribute('aria-pressed', state.ignoreCase);
}

function makeHelp(body) {
	page.help = make('dialog', { class: 'help', 'aria-label': 'Keys' }, body);
	make('h2', {}, page.help, 'Keys');
	for (const [title, entries] of KEYS) {
		make('h3', {}, page.help, title);
		const list = make('dl', {}, page.help);
		for (const [keys, meaning] of entries) {
			make('dt', {}, list, keys);
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

function onKey(event) {
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
		if (!escape())
			return;
	} else if (!typing && !control && !event.altKey && event.target.tagName !== 'SELECT' &&
		isKey(event.key)) {
		PLAIN_KEYS[event.key]();
	} else {
		return;
	}
	event.preventDefault();
}

function drawSoon() {
	drawSoon.pending ||= requestAnimationFrame(draw);
}

function onHistory() {
	state = recall();
	drawSoon();
}

/* Draw again whenever something outside the page changes. */
function listen() {
	window.addEventListener('keydown', onKey);
	window.addEventListener('popstate', onHistory);
	window.addEventListener('hashchange', onHistory);
	window.addEventListener('resize', drawSoon);
	systemDark.addEventListener('change', drawSoon);
}
