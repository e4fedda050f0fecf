/*
 * The head of the page: its title, and the tools that choose what is shown.
 */
import { share } from '../../graph/graph_words.js';
import { fillSelect, makeButton, makeSelect, page } from './page_elements.js';
import { drawSearch, makeHead, makeSearch, showMatched } from './page_help.js';
import { apply } from '../model/page_link.js';
import { profile, state, sum } from '../model/page_state.js';
import { frameEntries } from '../model/viewer_frames.js';
import { canHaveOff } from '../model/viewer_model.js';
import { ratioOf } from '../model/viewer_ratio.js';
import { everything } from '../model/viewer_state.js';
import { durationText, nsAt, wallText } from '../model/viewer_times.js';

export function makeHeader(body) {
	const { head } = profile;
	const facts = [head.command, head.host && 'on ' + head.host,
		head.realtimeMs && wallText(0, 1e9, true) + ' UTC', profile.hasTime && durationText(nsAt(profile.length))];
	makeHead(body, head.title || 'Profile', [['facts', facts.filter(Boolean).join(' \u00b7 ')],
		...head.notes.map(note => ['note', note])]);
}

export function makeTools() {
	const bar = page.tools;
	page.counter = makeSelect(bar, 'Counter', value =>
		apply({ counter: Number(value), off: true }, 'push'));
	page.ratio = makeSelect(bar, 'Colour', value =>
		apply({ ratio: value ? value.split('.').map(Number) : null }, 'push'));
	page.frames = makeSelect(bar, 'Frames', value => apply({ frames: value, zoom: [] }, 'push'));
	page.off = makeButton(bar, 'Off-CPU', 'Count the time off the processor too (O)',
		() => apply({ off: !state.off }, 'push'));
	makeSearch(bar);
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

export function drawTools() {
	const several = profile.head.counters.length > 1;
	fillSelect(page.counter, counterEntries(), String(state.counter));
	page.counter.hidden = !several;
	const ratios = ratioEntries();
	fillSelect(page.ratio, ratios, state.ratio ? state.ratio.join('.') : '');
	page.ratio.hidden = ratios.length < 2;
	const kinds = frameEntries();
	fillSelect(page.frames, kinds, state.frames);
	page.frames.hidden = kinds.length < 2;
	page.off.hidden = !canHaveOff(state.counter);
	page.off.setAttribute('aria-pressed', state.off);
	drawSearch();
}

export function drawMatched() {
	showMatched(() => share(sum.matched, sum.now.all) + (everything() ? '' : ' of the selection'));
}
