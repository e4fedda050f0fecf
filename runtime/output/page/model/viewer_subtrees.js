/*
 * Subtrees of the tree of calls, for the colours of the heatmap: a few that each hold much of the time of
 * the whole run.  A subtree is a function with its callees on one path; the largest one is split into its
 * callees until there are enough.  One that does the same all the time stays whole: its callees would be
 * a pattern of chance in the heatmap.
 */
import { fit, isolated, plain, share } from '../../graph/graph_words.js';
import { profile, state, sum } from './page_state.js';
import { binnedBy, heatValues } from './viewer_bins.js';
import { once, valueKeys } from './viewer_model.js';

const SUBTREES_MOST = 10;
const STARTS = /^(_start|__libc_start_main|__libc_start_call_main|(__)?clone3?|start_thread)(@.*)?$/;
const SUBTREE_LEAST = 0.004; // share of all
const CHANGE_SAMPLES = 30000;
const CHANGE_TIMES = 100;   // equal intervals of the run
const CHANGE_LEAST = 0.01;  // 0: the same all the time, 1: something else each time
const CHANGE_NAMES = 32;

/* Callees of a group of nodes by function, those with enough weight, largest first. */
function calleesBy(group, total, least) {
	const { first, list } = profile.children;
	const found = new Map();
	for (const node of group) {
		for (let at = first[node]; at < first[node + 1]; at++) {
			const name = profile.nodes.nodeName[list[at]];
			if (!(total[list[at]] > 0))
				continue;
			if (!found.has(name))
				found.set(name, { nodes: [], value: 0 });
			found.get(name).nodes.push(list[at]);
			found.get(name).value += total[list[at]];
		}
	}
	const { rank } = profile;
	return [...found].filter(([, subtree]) => subtree.value >= least)
		.sort(([one, a], [other, b]) => b.value - a.value || rank[one] - rank[other]).map(entry => entry[1]);
}

/* The callees of a subtree, if they go different ways, now or later; else none. */
function kidsOfSubtree(subtree, total, least) {
	const kids = calleesBy(subtree.nodes, total, least);
	let at = kids;
	while (at.length === 1)
		at = calleesBy(at[0].nodes, total, least);
	return at.length ? kids : [];
}

/* By node, the number of the last group of nodes that it is one of or below; 0: none. */
function groupsBelow(groups) {
	const { count, nodeParent } = profile.nodes;
	const own = new Uint32Array(count);
	groups.forEach((nodes, i) => nodes.forEach(node => {
		own[node] = i + 1;
	}));
	for (let i = 1; i < count; i++)
		own[i] ||= own[nodeParent[i]];
	return own;
}

/* How much the shares of groups differ from one time to another, beyond what chance makes: the square
 * of Cramer's V.  groupOf() gives that of a node, from 1; 0: not counted. */
function changeOf(groupOf, many) {
	const { time: times, node, counter } = profile.samples;
	const step = Math.max(Math.ceil(times.length / CHANGE_SAMPLES), 1);
	const counts = new Float64Array(CHANGE_TIMES * many);
	const [byTime, byGroup] = [new Float64Array(CHANGE_TIMES), new Float64Array(many)];
	let all = 0;
	for (let i = 0; i < times.length; i += step) {
		const group = counter[i] === state.counter ? groupOf(node[i]) : 0;
		if (!group)
			continue;
		const at = Math.min(Math.floor((times[i] - profile.head.from) / profile.length * CHANGE_TIMES), CHANGE_TIMES - 1);
		counts[at * many + group - 1]++;
		byTime[at]++;
		byGroup[group - 1]++;
		all++;
	}
	const [rows, columns] = [byTime, byGroup].map(list => list.filter(value => value > 0).length - 1);
	let squares = 0;
	counts.forEach((value, i) => {
		const usual = byTime[Math.floor(i / many)] * byGroup[i % many] / all;
		squares += usual > 0 ? (value - usual) ** 2 / usual : 0;
	});
	return rows > 0 && columns > 0 ? (squares - rows * columns) / all / Math.min(rows, columns) : 0;
}

/* Whether a subtree does something else from time to time: other callees, where they go different ways, or
 * other functions below them. */
function isChanging(subtree, total, least) {
	const { nodeName } = profile.nodes;
	let kids = calleesBy(subtree.nodes, total, least);
	while (kids.length === 1)
		kids = calleesBy(kids[0].nodes, total, least);
	const own = groupsBelow([subtree.nodes, ...kids.map(kid => kid.nodes)]);
	return changeOf(node => own[node], kids.length + 1) > CHANGE_LEAST ||
		changeOf(node => own[node] && nodeName[node] % CHANGE_NAMES + 1, CHANGE_NAMES) > CHANGE_LEAST;
}

/* Groups of nodes that begin a subtree.  All commands begin as one, so that processes that do the same
 * have the same subtrees.  With `steady`, subtrees that do not change stay whole. */
function splitSubtrees(total, steady) {
	const { first, list } = profile.children;
	const least = Math.max(SUBTREE_LEAST * total[0], Number.MIN_VALUE);
	const commands = Array.from(list.slice(first[0], first[1])).sort((a, b) => total[b] - total[a]);
	let subtrees = commands.length ? [{ nodes: commands, value: total[0] }] : [];
	for (;;) {
		const largest = subtrees.filter(subtree => !subtree.whole).sort((a, b) => b.value - a.value)[0];
		if (!largest)
			return subtrees;
		const kids = kidsOfSubtree(largest, total, least);
		const chosen = kids.slice(0, Math.max(SUBTREES_MOST - subtrees.length, 0));
		const rest = chosen.reduce((value, kid) => value - kid.value, largest.value);
		largest.whole = true;
		if (chosen.length < Math.min(kids.length, 2) || !chosen.length)
			continue;
		if (steady && !largest.changing && !isChanging(largest, total, least))
			continue;
		chosen[0].changing = kids.length === 1; // that was just found out
		subtrees = subtrees.filter(subtree => subtree !== largest || rest >= least).concat(chosen);
		largest.value = rest;
		largest.split = true;
	}
}

/* The first node of a subtree whose name says something: not one that every thread starts with. */
function tellingNode(node, weight) {
	const { first, list } = profile.children;
	const nameOf = at => profile.head.names[profile.nodes.nodeName[at]];
	let at = node;
	while (STARTS.test(nameOf(at))) {
		const kid = list.slice(first[at], first[at + 1]).find(one => weight[one] > 0.9 * weight[at]);
		if (kid === undefined)
			return node;
		at = kid;
	}
	return at;
}

/* The subtrees, of which those of one function are one, and the number of the subtree of each node, and of
 * each function that is named for one; 0: none. */
export function partition() {
	return once('subtrees', [state.counter, state.off], () => {
		const { nodes } = profile;
		const { total, off } = sum.whole;
		const own = new Uint8Array(nodes.count);
		const weight = off && sum.values.withOff ? total.map((value, i) => value - off.total[i]) : total;
		const found = new Map();
		const subtrees = profile.hasTime ? splitSubtrees(weight, true) : [];
		for (const subtree of subtrees.length > 1 ? subtrees : splitSubtrees(weight, false)) {
			const name = nodes.nodeName[tellingNode(subtree.nodes[0], weight)];
			if (!found.has(name))
				found.set(name, { name, value: 0, nodes: [] });
			found.get(name).value += subtree.value;
			found.get(name).split ||= subtree.split;
			found.get(name).nodes = found.get(name).nodes.concat(subtree.nodes);
		}
		const list = [...found.values()].sort((a, b) => b.value - a.value);
		list.forEach((subtree, at) => {
			for (const node of subtree.nodes)
				own[node] = at + 1;
		});
		for (let i = 1; i < nodes.count; i++)
			own[i] ||= own[nodes.nodeParent[i]];
		return { list, own, all: weight[0], numbers: new Map(list.map(({ name }, i) => [name, i + 1])) };
	});
}

/* The subtree with the largest value of each cell, and that value. */
export function largestSubtrees(heat) {
	const { list, own } = partition();
	const keys = [valueKeys(), heat.start, heat.cell, heat.columns];
	return once('heat subtrees', keys, () => {
		const grids = binnedBy(heatValues(), heat.start, heat.cell, heat.grid.length, own, list.length + 1);
		const subtree = Uint8Array.from(heat.grid, (_, i) =>
			grids.reduce((best, grid, at) => grid[i] > grids[best][i] ? at : best, 0));
		return { subtree, value: Float64Array.from(subtree, (at, i) => grids[at][i]) };
	});
}

/* ", B 95.0%": the subtree with the largest value of all that is at one place; '' for nothing. */
export function subtreeText(subtree, value, all) {
	if (!(value > 0))
		return '';
	const entry = partition().list[subtree - 1];
	return ', ' + (entry ? isolated(fit(plain(profile.head.names[entry.name]), 60)) : 'other code') + ' ' +
		share(value, all);
}
