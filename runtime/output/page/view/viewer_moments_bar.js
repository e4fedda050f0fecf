/* The buttons of unusual moments, above the picture of time. */
import { make, makeButton } from '../../graph/graph_common.js';
import { fit } from '../../graph/graph_words.js';
import { state } from '../model/page_state.js';
import { trackName } from '../model/viewer_model.js';
import { findMoments } from '../model/viewer_moments.js';
import { seen, seeRange, selectTime, time } from './viewer_axis.js';

const MOMENTS_DELAY = 200; // ms after the latest choice of other threads

const moments = { list: [], at: -1, timer: 0 };

function momentKey() {
	return JSON.stringify([state.counter, state.tracks, state.label, state.frames]);
}

function momentTitle() {
	const { tracks, label } = state;
	const whose = tracks ? tracks.length === 1 ? ' of ' + trackName(tracks[0]) : ' of the selected threads' :
		label ? ' of the selected label' : '';
	return 'Unusual moments' + whose + ':';
}

export function makeMoments() {
	clearTimeout(moments.timer);
	moments.key = moments.wanted = momentKey();
	moments.list = findMoments();
	moments.at = -1;
	time.moments.replaceChildren();
	time.moments.removeAttribute('aria-busy');
	if (!moments.list.length)
		return;
	make('strong', {}, time.moments, momentTitle());
	moments.list.forEach((entry, i) => {
		const chip = makeButton(time.moments, '', 'Select; again: the next one of the same kind',
			() => showMoment(i));
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

export function nextMoment() {
	if (moments.key !== momentKey())
		makeMoments();
	if (moments.list.length)
		showMoment((moments.at + 1) % moments.list.length);
}

/* Moments are of the counter and the threads that are shown: those of others are looked for a little
 * after the picture is drawn. */
export function updateMoments() {
	const wanted = momentKey();
	if (moments.key !== undefined && moments.wanted !== wanted) {
		clearTimeout(moments.timer);
		moments.wanted = wanted;
		time.moments.setAttribute('aria-busy', 'true');
		moments.timer = setTimeout(() => {
			makeMoments();
			pressMoments();
		}, MOMENTS_DELAY);
	}
	pressMoments();
}

/* The button of a moment that is selected is pressed. */
function pressMoments() {
	moments.list.forEach(entry => {
		const { from, to } = entry.list[Math.max(entry.next, 0)];
		entry.chip.setAttribute('aria-pressed', state.from >= 0 && Math.abs(state.from - from) <= 1 &&
			Math.abs(state.to - to) <= 1);
	});
}
