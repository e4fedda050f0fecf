/*
 * The marks of a run: events of its processes and threads, which the axis shows.
 */
import { isolated } from '../../graph/graph_words.js';
import { profile } from '../model/page_state.js';
import { seen } from './viewer_axis.js';
import { trackName } from '../model/viewer_model.js';
import { nsAt, timeText } from '../model/viewer_times.js';

export function marksSeen() {
	const [from, to] = seen();
	return (profile.head.marks || []).filter(mark => mark.time >= from && mark.time <= to);
}

export function markText(mark) {
	const process = profile.head.processes[mark.process];
	const track = profile.head.tracks[mark.track];
	return [timeText(nsAt(mark.time), 1e6), mark.kind, isolated(mark.text || ''),
		track ? trackName(mark.track) : process ? process.name + ' (' + process.pid + ')' : ''].filter(Boolean).join(' \u00b7 ');
}

/* The marks of a piece of time, for the line that tells what is at the cursor. */
export function marksText(from, to) {
	return marksSeen().filter(mark => mark.time >= from && mark.time < to).slice(0, 3)
		.map(mark => '; ' + markText(mark)).join('');
}
