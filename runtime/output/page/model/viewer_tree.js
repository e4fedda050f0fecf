/*
 * The frames of a flame graph of a selection: from the root, inverted, or callers and callees of
 * one function.  A frame joins the nodes of one name that have the same path.  Children are made
 * when they are wide enough to be drawn, so the cost is that of the picture, not of the profile.
 *
 * An origin is the node whose weight counts.  Towards the callers it is the one from which the path
 * started; towards the callees it is the node itself.
 */
import { profile } from './page_state.js';
import { outerBy } from './viewer_model.js';

function makeFrame(name, parent, up) {
	return { name, parent, up, nodes: [], origins: up ? [] : null, sums: [0, 0, 0, 0], kids: null };
}

/* Weights of a frame: value, its part off the processor, and the two sides of a ratio. */
function addTo(frame, node, origin, weights) {
	const { sums } = frame;
	frame.nodes.push(node);
	if (frame.up)
		frame.origins.push(origin);
	sums[0] += weights[0][origin];
	for (let k = 1; k < 4; k++)
		if (weights[k])
			sums[k] += weights[k][origin];
}

/* Joins nodes by name into the children of a frame. */
function joiner(frame, weights) {
	const { scratch, nodes } = profile;
	const kids = [];
	return {
		add(node, origin) {
			const name = nodes.nodeName[node];
			if (scratch[name] < 0) {
				scratch[name] = kids.length;
				kids.push(makeFrame(name, frame, frame.up));
			}
			addTo(kids[scratch[name]], node, origin, weights);
		},
		end(compare) {
			for (const kid of kids)
				scratch[kid.name] = -1;
			return kids.sort(compare);
		},
	};
}

function byName(a, b) {
	return profile.rank[a.name] - profile.rank[b.name];
}

function byValue(a, b) {
	return b.sums[0] - a.sums[0] || byName(a, b);
}

function callees(frame, weights) {
	const join = joiner(frame, weights);
	const { first, list } = profile.children;
	for (const node of frame.nodes)
		for (let at = first[node]; at < first[node + 1]; at++)
			if (weights[0][list[at]] > 0)
				join.add(list[at], list[at]);
	return join.end(byName);
}

function callers(frame, weights) {
	const join = joiner(frame, weights);
	const { nodeParent } = profile.nodes;
	for (let i = 0; i < frame.nodes.length; i++)
		if (nodeParent[frame.nodes[i]])
			join.add(nodeParent[frame.nodes[i]], frame.origins[i]);
	return join.end(byValue);
}

/* Functions by their own weight: the first level of an inverted graph. */
function functions(frame, weights) {
	const join = joiner(frame, weights);
	for (let node = 1; node < profile.nodes.count; node++)
		if (weights[0][node] > 0)
			join.add(node, node);
	return join.end(byValue);
}

function kidsOf(picture, frame) {
	if (!frame.kids)
		frame.kids = !frame.up ? callees(frame, picture.weights) :
			frame === picture.root && !picture.around ? functions(frame, picture.weights) :
				callers(frame, picture.weights);
	return frame.kids;
}

/* All outermost nodes of a function, as one frame. */
export function gather(name, up, weights) {
	const frame = makeFrame(name, null, up);
	const { nodes } = profile;
	const outer = outerBy('function');
	for (let node = 0; node < nodes.count; node++)
		if (nodes.nodeName[node] === name && outer[node] && weights[0][node] > 0)
			addTo(frame, node, node, weights);
	return frame;
}

/* A picture to be laid out: its root, and whether callers are above it. */
export function pictureOf(root, weights, around) {
	const picture = { root, weights, around, kidsOf: frame => kidsOf(picture, frame) };
	return picture;
}

/* The flame graph of everything; `sums` are arrays by node of value, off-CPU, of, by. */
export function pictureDown(totals) {
	const root = makeFrame(profile.nodes.nodeName[0], null, false);
	addTo(root, 0, 0, totals);
	return pictureOf(root, totals, false);
}

export function pictureUp(selves, totals) {
	const root = makeFrame(profile.nodes.nodeName[0], null, true);
	for (let k = 0; k < 4; k++)
		root.sums[k] = totals[k] ? totals[k][0] : 0;
	return pictureOf(root, selves, false);
}

/* By node, whether it or a caller of it matches. */
export function matchedNodes(hits) {
	const { nodes } = profile;
	const inside = new Uint8Array(nodes.count);
	inside[0] = hits[nodes.nodeName[0]];
	for (let i = 1; i < nodes.count; i++)
		inside[i] = inside[nodes.nodeParent[i]] | hits[nodes.nodeName[i]];
	return inside;
}

/* Value of all samples with a match on their stack. */
export function matchedValue(self, inside) {
	let sum = 0;
	for (let i = 0; i < self.length; i++)
		if (inside[i])
			sum += self[i];
	return sum;
}
