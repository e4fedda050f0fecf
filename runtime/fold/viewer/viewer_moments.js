/*
 * Unusual moments: the parts of the run whose stacks or load differ most from the rest.
 *
 * The run is cut into pieces of several lengths.  A piece is unusual if one function has a much
 * larger share of it than of the whole run, or if it has far fewer or far more samples than most
 * pieces.  Neighbours that are unusual in the same way are one moment, and
 * moments of the same kind are one entry of the list.
 */
const FEATURES = 64;     // functions that are told apart; the last stands for all others
const PIECES = [4096, 1024, 256, 64];
const KINDS_SHOWN = 8;
const moments = { list: [], at: -1 };

/* By name, the number of its feature: the largest functions have their own. */
function featuresOf(self) {
	const order = Array.from(self.keys()).filter(name => self[name] > 0).sort((a, b) => self[b] - self[a]);
	const result = new Uint8Array(self.length).fill(FEATURES - 1);
	order.slice(0, FEATURES - 1).forEach((name, i) => {
		result[name] = i;
	});
	return { of: result, names: order };
}

/* Numbers of samples by piece and feature. */
function countPieces(values, feature, count) {
	const { time: times, samples } = profile.samples;
	const { nodeName } = profile.nodes;
	const { of, list } = profile.leaves;
	const byLeaf = Uint8Array.from(list, node => feature[nodeName[node]]);
	const result = new Float64Array(count * FEATURES);
	const scale = count / profile.length;
	for (let i = 0; i < times.length; i++) {
		if (!(values.point[i] > 0))
			continue;
		const piece = Math.min(Math.floor((times[i] - profile.head.from) * scale), count - 1);
		result[piece * FEATURES + byLeaf[of[i]]] += samples[i] || 1;
	}
	return result;
}

/* The same for pieces that are longer by a factor. */
function joined(counts, factor) {
	const result = new Float64Array(counts.length / factor);
	for (let i = 0; i < counts.length; i++)
		result[Math.floor(i / (FEATURES * factor)) * FEATURES + i % FEATURES] += counts[i];
	return result;
}

/* Evidence that k of n samples are more than a share p explains, as a logarithm. */
function evidence(k, n, p) {
	const rest = n - k;
	return k * Math.log(k / (n * p)) + (rest > 0 ? rest * Math.log(rest / (n * (1 - p))) : 0);
}

/* The function whose share of one piece exceeds that of the whole most. */
function mixture(counts, at, all, shares) {
	let feature = 0;
	let most = 0;
	for (let k = 0; k < FEATURES; k++) {
		const excess = counts[at * FEATURES + k] / all - shares[k];
		if (excess > most) {
			most = excess;
			feature = k;
		}
	}
	return { effect: most, feature, count: counts[at * FEATURES + feature], usual: shares[feature] };
}

/* What is unusual in each piece: { kind, effect, samples, … }; null: nothing. */
function judge(counts, count) {
	const load = new Float64Array(count);
	const shares = new Float64Array(FEATURES);
	counts.forEach((value, i) => {
		load[Math.floor(i / FEATURES)] += value;
		shares[i % FEATURES] += value;
	});
	const whole = load.reduce((a, b) => a + b, 0);
	const usual = load.slice().sort()[Math.floor(count / 2)];
	const parts = shares.map(value => value / whole);
	return Array.from(load, (all, at) => {
		const mix = all ? mixture(counts, at, all, parts) : null;
		if (mix && mix.effect > 0.3 && evidence(mix.count, all, mix.usual) > 2)
			return { kind: 'mix' + mix.feature, effect: mix.effect, samples: all, count: mix.count, usual: mix.usual };
		if (usual >= 4 && all < 0.3 * usual)
			return { kind: 'quiet', effect: 1 - all / usual, samples: usual, count: all };
		if (usual >= 1 && all > 2 * usual + 6 * Math.sqrt(usual))
			return { kind: 'busy', effect: Math.min(all / usual / 6, 1), samples: usual, count: all };
		return null;
	});
}

/* Joins neighbours of one kind. */
function joinPieces(judged, count) {
	const length = profile.length / count;
	const found = [];
	let last = null;
	judged.forEach((what, at) => {
		const from = profile.head.from + at * length;
		if (what && last && last.kind === what.kind) {
			last.to = from + length;
			last.samples += what.samples;
			last.count += what.count;
			last.effect = Math.max(last.effect, what.effect);
		} else {
			last = what && { ...what, from, to: from + length, length };
			if (last)
				found.push(last);
		}
	});
	return found;
}

/* Whether a moment is more than chance, which many pieces have to be unusual by.  For loads,
 * `samples` are those that are usual. */
function isCertain({ kind, count, samples, usual }, pieces) {
	if (kind.startsWith('mix'))
		return count >= 4 && evidence(count, samples, usual) > Math.log(pieces * FEATURES) + 1;
	return samples - count + (count ? count * Math.log(count / samples) : 0) > Math.log(pieces) + 2;
}

/* Moves the ends of a moment from those of its pieces to those of its samples. */
function trim(moment, feature) {
	const { time: times, node } = profile.samples;
	const { nodeName } = profile.nodes;
	let { from, to } = moment;
	if (moment.kind === 'quiet') {
		const next = firstAt((from + to) / 2);
		const [low, high] = [times[next - 1] ?? profile.head.from, times[next] ?? profile.head.to];
		if (high - low > 0.7 * (to - from))
			[from, to] = [low + 1, high];
	} else if (moment.kind !== 'busy') {
		const own = Number(moment.kind.slice(3));
		const inside = [];
		const end = firstAt(to + moment.length);
		for (let i = firstAt(from - moment.length); i < end; i++)
			if (feature[nodeName[node[i]]] === own)
				inside.push(times[i]);
		[from, to] = [inside[0] ?? from, (inside[inside.length - 1] ?? to) + 1];
	}
	return { ...moment, from: Math.floor(from), to: Math.max(Math.ceil(to), Math.floor(from) + 1) };
}

function scoreOf(list) {
	return list.reduce((all, one) => all + one.effect ** 2 * Math.log1p(one.samples), 0) / Math.sqrt(list.length);
}

/* The kinds of moments, the most unusual first. */
function findMoments() {
	const values = valuesOf(state.counter, false, null, null);
	const sums = sumsOf(values, -Infinity, Infinity);
	const { self } = sumNodes(sums, profile.nodes.nodeName, outerBy('function'), profile.head.names.length);
	const features = featuresOf(self);
	const best = new Map();
	const most = PIECES.find(pieces => pieces <= profile.length);
	const counts = most && countPieces(values, features.of, most);
	for (const count of PIECES.filter(pieces => pieces <= most)) {
		const found = joinPieces(judge(joined(counts, most / count), count), count)
			.filter(one => isCertain(one, count));
		for (const kind of new Set(found.map(one => one.kind))) {
			const list = found.filter(one => one.kind === kind);
			const score = scoreOf(list);
			if (!best.has(kind) || best.get(kind).score < score)
				best.set(kind, { kind, list, score });
		}
	}
	return [...best.values()].sort((a, b) => b.score - a.score).slice(0, KINDS_SHOWN)
		.map(entry => explain(entry.list.map(one => trim(one, features.of)), values, sums));
}

/* The interval of moments that come at regular times, or 0. */
function interval(list) {
	const steps = list.slice(1).map((one, i) => one.from - list[i].from).sort((a, b) => a - b);
	const middle = steps[Math.floor(steps.length / 2)];
	const near = steps.filter(step => Math.abs(step - middle) < 0.1 * middle).length;
	return steps.length >= 3 && near >= 0.6 * steps.length ? middle : 0;
}

/* The node whose share grew most; of nodes with nearly the same growth the outermost. */
function mostGrown(now, before) {
	let best = 0;
	let most = 0;
	for (let i = 1; i < now.total.length; i++) {
		const grown = now.total[i] / now.all - before.total[i] / before.all;
		if (grown > most + 0.02) {
			most = grown;
			best = i;
		}
	}
	return best;
}

function explain(list, values, before) {
	const typical = list.slice().sort((a, b) => b.effect * b.samples - a.effect * a.samples)[0];
	const now = sumsOf(values, typical.from, typical.to);
	const every = interval(list);
	const length = list.reduce((all, one) => all + one.to - one.from, 0) / list.length;
	const times = (list.length > 1 ? list.length + ' times ' : '') + durationText(nsAt(length)) +
		(every ? ', every ' + durationText(nsAt(every)) : '');
	let what = list[0].kind === 'quiet' ? 'Nearly no samples' : 'Unusually many samples';
	let name = -1;
	if (list[0].kind.startsWith('mix') && now.all > 0) {
		const node = mostGrown(now, before);
		name = profile.nodes.nodeName[node];
		what = plain(profile.head.names[name]) + ' ' + share(now.total[node], now.all) +
			' instead of ' + share(before.total[node], before.all);
	}
	return { list: list.slice().sort((a, b) => a.from - b.from), typical, what, times, name, next: -1 };
}

function makeMoments() {
	moments.list = findMoments();
	moments.counter = state.counter;
	time.moments.replaceChildren();
	if (!moments.list.length)
		return;
	make('strong', {}, time.moments, 'Unusual moments:');
	moments.list.forEach((entry, i) => {
		const chip = makeButton(time.moments, '', 'Select; again: the next one of the same kind',
			() => showMoment(i, 1));
		make('bdi', {}, chip, fit(entry.what, 60));
		make('span', {}, chip, entry.times);
		entry.chip = chip;
	});
}

/* Select the next moment of a kind. */
function showMoment(i) {
	const entry = moments.list[i];
	entry.next = entry.next < 0 ? entry.list.indexOf(entry.typical) : (entry.next + 1) % entry.list.length;
	moments.at = i;
	const { from, to } = entry.list[entry.next];
	const [seenFrom, seenTo] = seen();
	if (from < seenFrom || to > seenTo)
		seeRange(from - (seenTo - seenFrom) / 2, from + (seenTo - seenFrom) / 2, '');
	selectTime(from, to, 'push');
}

function nextMoment() {
	if (moments.list.length)
		showMoment((moments.at + 1) % moments.list.length);
}

/* Moments are of the counter that is shown. */
function updateMoments() {
	if (moments.counter !== undefined && moments.counter !== state.counter)
		makeMoments();
	moments.list.forEach(entry => {
		const { from, to } = entry.list[Math.max(entry.next, 0)];
		entry.chip.setAttribute('aria-pressed', state.from >= 0 && Math.abs(state.from - from) <= 1 &&
			Math.abs(state.to - to) <= 1);
	});
}
