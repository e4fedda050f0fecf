/*
 * How names and numbers are written, in a flame graph and in a page: names without their suffixes,
 * names cut to the room there is, numbers with their units.
 */
const WIDE_CELLS = [
	[0x1100, 0x115f], [0x2e80, 0xa4cf], [0xac00, 0xd7a3], [0xf900, 0xfaff], [0xfe30, 0xfe6f],
	[0xff00, 0xff60], [0xffe0, 0xffe6], [0x1f300, 0x1faff], [0x20000, 0x3fffd],
];

/* The displayed name: without the suffix that denotes its kind. */
export function plain(name) {
	return /._\[[kjpio]\]$/s.test(name) ? name.slice(0, -4) : name;
}

/* "map<string, vector<int>>::find" as "map<…>::find": the distinctive part comes after the template
 * arguments.  An operator's own brackets are no pair. */
function collapse(name, open, close, instead) {
	const operator = /operator *(<=>|<<=?|>>=?|->\*?|[<>]=?|\(\))|->/y;
	let result = '';
	let depth = 0;
	for (let i = 0; i < name.length; i++) {
		operator.lastIndex = i;
		const whole = operator.exec(name);
		if (whole) {
			result += depth ? '' : whole[0];
			i = operator.lastIndex - 1;
		} else if (name[i] === open) {
			result += depth++ ? '' : instead;
		} else if (name[i] === close) {
			if (--depth < 0)
				return name;
		} else if (depth === 0) {
			result += name[i];
		}
	}
	return depth === 0 ? result : name;
}

/* "libsqlite3.so.0@0x1a2b0" as "libsq\u2026@0x1a2b0": its end is the distinctive part. */
function cutModule(name, room) {
	const at = name.lastIndexOf('@0x');
	const kept = room - 1 - (name.length - at);
	return at > 0 && kept > 0 && at > kept ? name.slice(0, kept) + '\u2026' + name.slice(at) : name;
}

/* The name as it fits into its frame: whole, without arguments, or cut. */
export function labelFor(name, room) {
	let text = cellsOf(name) > room ? cutModule(name, room) : name;
	if (room >= 3 && cellsOf(text) > room && /[<(]./.test(text)) {
		text = collapse(text, '<', '>', '<\u2026>');
		if (cellsOf(text) > room)
			text = collapse(text, '(', ')', '(\u2026)');
	}
	return fit(text, room);
}

export function percent(part, whole) {
	return whole ? 100 * part / whole : 0;
}

export function share(part, whole) {
	return percent(part, whole).toFixed(1) + '%';
}

export const grouped = new Intl.NumberFormat('en-US', { maximumFractionDigits: 12 });

/* 1,234 or 0.0123: three significant digits below 1000. */
export function short(number) {
	return grouped.format(number >= 999.5 ? Math.round(number) : Number(number.toPrecision(3)));
}

/* "1,234 samples", "1 sample", "1.23 ms" */
export function amount(value, unit) {
	if (unit === 'ns')
		for (const [size, name] of [[1e9, 's'], [1e6, 'ms'], [1e3, '\u00b5s']])
			if (value >= 0.9995 * size) // else short() would round to 1,000 of the smaller unit
				return short(value / size) + ' ' + name;
	const one = value === 1 && unit.endsWith('s') && unit !== 'ns';
	return grouped.format(value) + ' ' + (one ? unit.slice(0, -1) : unit);
}

/* A right-to-left name must not change the direction of the text after it. */
export function isolated(name) {
	return /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u.test(name) ?
		'\u2068' + name + '\u2069' : name;
}

function cells(code) {
	return WIDE_CELLS.some(range => code >= range[0] && code <= range[1]) ? 2 : 1;
}

export function cellsOf(text) {
	if (!/[^\x00-\x7f]/.test(text))
		return text.length;
	let used = 0;
	for (const character of text)
		used += cells(character.codePointAt(0));
	return used;
}

/* The part of a text that fits into the cells, with ".." in place of the rest. */
export function fit(text, room) {
	if (room < 3)
		return '';
	if (text.length <= room && !/[^\x00-\x7f]/.test(text))
		return text;
	let used = 0;
	let kept = '';
	let cut = '';
	for (const character of text) {
		used += cells(character.codePointAt(0));
		if (used > room)
			return cut + '..';
		kept += character;
		if (used <= room - 2)
			cut = kept;
	}
	return text;
}
