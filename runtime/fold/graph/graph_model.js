/*
 * The frames of a flame graph, without anything on screen: the data as columns, displayed names,
 * the frames visible at a zoom and a width, the matches of a search.
 *
 * graph_model.js, graph_draw.js, graph_crop.js, graph_walk.js and graph.js are one function in the
 * finished file, in this order; only graph.js runs code at the start.
 */
const NARROWEST = 0.5;   // pixels; narrower neighbours are drawn as one grey block
const WIDE_CELLS = [
	[0x1100, 0x115f], [0x2e80, 0xa4cf], [0xac00, 0xd7a3], [0xf900, 0xfaff], [0xfe30, 0xfe6f],
	[0xff00, 0xff60], [0xffe0, 0xffe6], [0x1f300, 0x1faff], [0x20000, 0x3fffd],
];

/* Frames as columns, parents before their children; end is the first frame after a frame's
 * descendants. */
function decode(packed) {
	const stride = packed.before ? 6 : 4;
	const count = packed.frames.length / stride;
	const result = {
		count,
		name: new Uint32Array(count),
		level: new Uint32Array(count),
		parent: new Int32Array(count),
		end: new Uint32Array(count),
		left: new Float64Array(count),
		total: new Float64Array(count),
		before: new Float64Array(count),
		change: [],
	};
	const path = [];
	const next = [];
	for (let i = 0, at = 0; i < count; i++, at += stride) {
		for (let pop = packed.frames[at]; pop > 0; pop--)
			result.end[path.pop()] = i;
		const level = path.length;
		const left = level ? next[level - 1] + packed.frames[at + 2] : 0;
		result.name[i] = packed.frames[at + 1];
		result.level[i] = level;
		result.parent[i] = level ? path[level - 1] : -1;
		result.left[i] = left;
		result.total[i] = packed.frames[at + 3];
		if (packed.before) {
			result.before[i] = packed.frames[at + 4];
			result.change[i] = packed.frames[at + 5];
		}
		if (level)
			next[level - 1] = left + result.total[i];
		next[level] = left;
		path.push(i);
	}
	for (const open of path)
		result.end[open] = count;
	packed.frames = null;
	return result;
}

function treeOf(packed) {
	return packed.tree ??= decode(packed);
}

/* The frame at a path of names in another counter's tree; 0, the root, if there is none. */
function follow(path, packed) {
	const there = treeOf(packed);
	let at = 0;
	for (const name of path) {
		let child = at + 1;
		while (child < there.end[at] && packed.names[there.name[child]] !== name)
			child = there.end[child];
		if (child >= there.end[at])
			return 0;
		at = child;
	}
	return at;
}

/* The displayed name: without the suffix that denotes its kind. */
function plain(name) {
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
function labelFor(name, room) {
	let text = cellsOf(name) > room ? cutModule(name, room) : name;
	if (room >= 3 && cellsOf(text) > room && /[<(]./.test(text)) {
		text = collapse(text, '<', '>', '<\u2026>');
		if (cellsOf(text) > room)
			text = collapse(text, '(', ')', '(\u2026)');
	}
	return fit(text, room);
}

function label(frame) {
	return plain(data.names[tree.name[frame]]);
}

function percent(part, whole) {
	return whole ? 100 * part / whole : 0;
}

/* The entries of the menu: each counter's widths with the colours of code, then with those of each
 * ratio. */
function viewsOf(list) {
	const widths = list.map((packed, counter) =>
		({ counter, ratio: null, label: packed.counter || '' }));
	const coloured = list.flatMap((packed, counter) => packed.ratios.map(ratio => {
		const elsewhere = list.some((other, i) =>
			i < counter && other.ratios.some(known => known.title === ratio.title));
		return { counter, ratio, label: ratio.title + (elsewhere ? ', width: ' + packed.counter : '') };
	}));
	return widths.concat(coloured);
}

const grouped = new Intl.NumberFormat('en-US', { maximumFractionDigits: 12 });

/* 1,234 or 0.0123: three significant digits below 1000. */
function short(number) {
	return grouped.format(number >= 999.5 ? Math.round(number) : Number(number.toPrecision(3)));
}

/* ", 1.53 instructions per cycle", or why there is no ratio. */
function describeRatio(frame) {
	const [of, by, step] = ratio.values.slice(3 * frame, 3 * frame + 3);
	if (step < 0)
		return ', no ratio: ' + ratio.reasons[-1 - step];
	return ', ' + short(ratio.scale * of / by) + ' ' + ratio.title;
}

/* "1,234 samples", "1 sample", "1.23 ms" */
function amount(value, unit) {
	if (unit === 'ns' && value >= 1000)
		for (const [size, name] of [[1e9, 's'], [1e6, 'ms'], [1e3, '\u00b5s']])
			if (value >= size)
				return short(value / size) + ' ' + name;
	const one = value === 1 && unit.endsWith('s') && unit !== 'ns';
	return grouped.format(value) + ' ' + (one ? unit.slice(0, -1) : unit);
}

/* A right-to-left name must not change the direction of the text after it. */
function isolated(name) {
	return /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u.test(name) ?
		'\u2068' + name + '\u2069' : name;
}

/* "name (1,234 samples, 12.34%), kernel" */
function describe(frame) {
	const share = percent(tree.total[frame], data.total);
	const kind = frame ? data.kindNames[data.kinds[tree.name[frame]]] : '';
	let text = isolated(label(frame)) + ' (' + amount(tree.total[frame], data.unit) + ', ' +
		share.toFixed(2) + '%';
	if (data.before) {
		const was = percent(tree.before[frame], data.before);
		text += ', was ' + was.toFixed(2) + '%, ' + (share < was ? '' : '+') +
			(share - was).toFixed(2);
	}
	return text + ')' + (ratio ? describeRatio(frame) : '') + (kind ? ', ' + kind : '');
}

function cells(code) {
	return WIDE_CELLS.some(range => code >= range[0] && code <= range[1]) ? 2 : 1;
}

function cellsOf(text) {
	if (!/[^\x00-\x7f]/.test(text))
		return text.length;
	let used = 0;
	for (const character of text)
		used += cells(character.codePointAt(0));
	return used;
}

/* The part of a text that fits into the cells, with ".." in place of the rest. */
function fit(text, room) {
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

function isAncestor(frame, other) {
	return frame < other && tree.end[frame] > other;
}

/* Visible frames: those that are wide enough, and runs of neighbours that are not. */
function visible(zoom, left, width) {
	const scale = width / tree.total[zoom];
	const items = [];
	const runs = [];
	const open = [];
	for (let frame = tree.parent[zoom]; frame >= 0; frame = tree.parent[frame])
		items.unshift({ frame, level: tree.level[frame], left, width });
	for (let i = zoom; i < tree.end[zoom];) {
		const level = tree.level[i];
		const start = left + (tree.left[i] - tree.left[zoom]) * scale;
		const wide = tree.total[i] * scale;
		if (wide >= NARROWEST) {
			items.push({ frame: i, level, left: start, width: wide });
			i++;
			continue;
		}
		let run = open[level];
		if (!run || start - run.right > NARROWEST) {
			run = open[level] = { level, left: start, right: start, frames: 0 };
			runs.push(run);
		}
		run.right = start + wide;
		run.frames += tree.end[i] - i;
		i = tree.end[i];
	}
	return { items, runs: runs.filter(run => run.right - run.left >= NARROWEST) };
}

/* Value of all matching frames from top downwards; nested ones count once. */
function matchedValue(top) {
	let sum = 0;
	for (let i = top; i < tree.end[top];) {
		const hit = hits[tree.name[i]] === 1;
		sum += hit ? tree.total[i] : 0;
		i = hit ? tree.end[i] : i + 1;
	}
	return sum;
}

/* By name, whether it matches; null without a pattern.  Throws for an invalid pattern. */
function find(pattern, ignoreCase) {
	if (!pattern)
		return null;
	const expression = new RegExp(pattern, ignoreCase ? 'i' : '');
	return Uint8Array.from(data.names, name =>
		expression.test(name) || expression.test(plain(name)) ? 1 : 0);
}
