/*
 * The keyboard, and the list of keys.
 */
const KEYS = [
	['Anywhere', [
		['/ or Ctrl-F', 'search; Esc leaves'], ['Ctrl-I', 'ignore case'], ['H, L', 'heatmap, lanes'],
		['+, \u2212', 'zoom the time in and out'], ['[, ]', 'move to earlier and later times'],
		['0', 'show the whole run'], ['Z', 'zoom to the selected time'],
		['1, 2, 3', 'flame graph, inverted, callers and callees'],
		['O', 'count the time off the processor too'], ['D', 'light or dark'],
		['M', 'select the next unusual moment'],
		['Esc', 'undo, in this order: help, search, zoom, choice of a function, selection'],
		['Tab', 'next part of the page']]],
	['Heatmap and lanes', [
		['Arrows', 'move the cursor'], ['Shift-Arrows', 'select from where the cursor was'],
		['Enter', 'select the column, or the thread; Space opens a group of threads'],
		['Home, End', 'start and end of what is shown']]],
	['Flame graph', [
		['Arrows', 'move to caller, callee and siblings'], ['Enter', 'zoom in'],
		['C', 'callers and callees of the frame']]],
	['Table', [
		['Arrows, Page Up, Page Down', 'move'], ['Enter', 'choose the row'],
		['C', 'callers and callees of the function']]],
	['Mouse', [
		['Drag', 'select a range of time'], ['Click', 'select a column, a thread or a frame'],
		['Wheel', 'zoom the time; with Ctrl over lanes'],
		['Right button on a frame', 'callers and callees']]],
];

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

/* Undo the latest kind of narrowing. */
function escape() {
	if (state.search)
		apply({ search: '' }, 'push');
	else if (state.mode === 'around')
		apply({ mode: 'down' }, 'push');
	else if (state.zoom.length)
		apply({ zoom: [] }, 'push');
	else if (state.chosen >= 0)
		apply({ chosen: -1 }, 'push');
	else if (!everything())
		selectEverything();
	else
		return false;
	return true;
}

const PLAIN_KEYS = {
	'/': () => page.search.focus(),
	'?': showHelp,
	h: () => apply({ time: 'heat' }, 'push'),
	l: () => apply({ time: 'lanes' }, 'push'),
	o: () => apply({ off: !state.off }, 'push'),
	d: switchTheme,
	z: zoomToSelection,
	m: () => nextMoment(1),
	0: () => apply({ seenFrom: -1, seenTo: -1 }, 'push'),
	1: () => setMode('down'),
	2: () => setMode('up'),
	3: () => setMode('around'),
	'+': () => zoomTime(0.5, null, 'push'),
	'=': () => zoomTime(0.5, null, 'push'),
	'-': () => zoomTime(2, null, 'push'),
	'[': () => panTime(-0.25, 'push'),
	']': () => panTime(0.25, 'push'),
};

const TIME_KEYS = 'hlzm0+=-[]';

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
		Object.hasOwn(PLAIN_KEYS, event.key) && (profile.hasTime || !TIME_KEYS.includes(event.key))) {
		PLAIN_KEYS[event.key]();
	} else {
		return;
	}
	event.preventDefault();
}

/* Keys of the flame graph: the neighbour of the marked frame in a direction. */
function neighbour(key) {
	const { at, byRow } = flame;
	const row = byRow[at.row] || [];
	const i = row.indexOf(at);
	if (key === 'ArrowLeft')
		return row[i - 1];
	if (key === 'ArrowRight')
		return row[i + 1];
	const other = (byRow[at.row + (key === 'ArrowDown' ? 1 : -1)] || []).filter(item =>
		item.left < at.left + at.width - 0.01 && item.left + item.width > at.left + 0.01);
	return other.reduce((best, item) => !best || item.width > best.width ? item : best, undefined);
}

function onFlameKey(event) {
	if (event.ctrlKey || event.metaKey || event.altKey || !flame.at)
		return;
	if (event.key.startsWith('Arrow')) {
		const item = neighbour(event.key);
		if (item)
			moveMarker(item, true);
		flame.marker.scrollIntoView({ block: 'nearest' });
	} else if (event.key === 'Enter' || event.key === ' ') {
		clickFrame(flame.at);
	} else if (event.key === 'c') {
		choose(flame.at.frame.name, 'around');
	} else {
		return;
	}
	event.preventDefault();
	event.stopPropagation();
}

/* Keys of heatmap and lanes. */
function onTimeKey(event) {
	if (event.ctrlKey || event.metaKey || event.altKey)
		return;
	const used = state.time === 'lanes' ? onLaneKey(event) : onHeatKey(event);
	if (!used)
		return;
	event.preventDefault();
	event.stopPropagation();
}

function onHeatKey(event) {
	const { heat } = time;
	const count = heat.columns * heat.rows;
	const step = {
		ArrowLeft: -heat.rows, ArrowRight: heat.rows, ArrowUp: 1, ArrowDown: -1, Home: -count, End: count,
	}[event.key];
	const at = time.cursor ?? Math.max(state.from, heat.start);
	const cell = Math.min(Math.max(Math.floor((at - heat.start) / heat.cell + 1e-6), 0), count - 1);
	if (step) {
		const next = time.cursor === null ? cell : Math.min(Math.max(cell + step, 0), count - 1);
		time.anchor = event.shiftKey ? time.anchor ?? cell : null;
		time.cursor = heatTime(heat, next);
		hoverTime('body', time.axis.x(time.cursor + heat.cell / 2), cellMiddle(heat, next));
		if (event.shiftKey)
			selectTime(heatTime(heat, Math.min(time.anchor, next)),
				heatTime(heat, Math.max(time.anchor, next) + 1), 'replace');
		else
			drawSoon();
	} else if (event.key === 'Enter') {
		selectColumn(cell);
	} else {
		return false;
	}
	return true;
}

function cellMiddle(heat, cell) {
	return 1 + HEAT_HEIGHT - (cell % heat.rows + 0.5) * HEAT_HEIGHT / heat.rows;
}
