/*
 * Frames of a kind may be left out: those of the kernel, or all but a script's.  What was in them belongs
 * to their callers then.
 */
import { apply, profile, state, sum } from './page_state.js';
import { forget, index, once } from './viewer_model.js';

export const FRAMES = {
	user: { title: 'Without the kernel', kind: 'kernel', keeps: kind => kind !== 'kernel' },
	script: { title: 'Script only', kind: 'interpreted', keeps: kind => kind === 'interpreted' },
};
const frames = { shown: '', whole: null };

function kindOf(name) {
	const { kinds, kindNames } = profile.head;
	return kindNames[kinds[name]];
}

/* Kinds that are in the profile, as entries of a menu. */
export function frameEntries() {
	const found = once('frame kinds', [], () => new Set(profile.head.names.map((_, name) => kindOf(name))));
	return [['', 'All frames'], ...Object.entries(FRAMES).filter(([, one]) => found.has(one.kind))
		.map(([key, one]) => [key, one.title])];
}

export function nextFrames() {
	const keys = frameEntries().map(([key]) => key);
	apply({ frames: keys[(keys.indexOf(state.frames) + 1) % keys.length], zoom: [] }, 'push');
}

/* Nodes and samples with the frames that stay; the command's always does. */
function reduced({ nodes, samples }, keeps) {
	const { count, nodeParent, nodeName, nodeModule } = nodes;
	const number = new Uint32Array(count);
	const kept = [0];
	for (let i = 1; i < count; i++) {
		number[i] = number[nodeParent[i]];
		if (nodeParent[i] === 0 || keeps(kindOf(nodeName[i])))
			number[i] = kept.push(i) - 1;
	}
	const isKept = i => kept[number[i]] === i;
	return {
		nodes: {
			count: kept.length,
			nodeParent: Uint32Array.from(kept, i => number[nodeParent[i]]),
			nodeName: Uint32Array.from(kept, i => nodeName[i]),
			nodeModule: Uint32Array.from(kept, i => nodeModule[i]),
		},
		samples: {
			...samples,
			node: samples.node.map(i => number[i]),
			// places of the frames that were left out
			line: samples.line.map((line, i) => isKept(samples.node[i]) ? line : 0),
			instruction: samples.instruction.map((at, i) => isKept(samples.node[i]) ? at : 0),
		},
	};
}

/* Bring the frames that the state wants into the profile; all that was computed of others goes. */
export function chooseFrames() {
	if (frames.shown === state.frames)
		return;
	frames.whole ??= { nodes: profile.nodes, samples: profile.samples };
	frames.shown = state.frames;
	Object.assign(profile, state.frames ? reduced(frames.whole, FRAMES[state.frames].keeps) : frames.whole);
	index();
	forget();
	sum.now = sum.whole = null;
}

/* By sample, the row of waits that it is in, whatever frames are shown; 0: none. */
export function waitOf(i) {
	const { nodes, samples } = frames.whole ?? profile;
	return nodes.nodeWait[samples.node[i]];
}
