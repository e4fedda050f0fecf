/*
 * Starts a page: reads the data, builds the page, and draws it again when its state changes.
 */
import { make, makeStatus } from './page_elements.js';
import { listen, makeHelp } from './page_help.js';
import { defineState } from '../model/page_link.js';
import { palettes, readRules, refreshColours } from './page_palette.js';
import { readProfile } from '../model/page_unpack.js';

/* The application of a page: decode() of its data, prepare() for what decode() returned, its state as
 * in defineState(), build() for its elements, keys as in makeHelp() and listen(), and draw(). */
export async function start(application) {
	try {
		application.prepare(await readProfile(application.decode));
		document.getElementById('profile').remove();
	} catch (error) {
		make('p', { class: 'failure', role: 'alert' }, document.body, error.message);
		return;
	}
	const { body } = document;
	const redraw = () => {
		refreshColours();
		application.draw();
		body.dataset.drawn = Number(body.dataset.drawn || 0) + 1;
	};
	readRules(document.getElementById('palette').sheet.cssRules, palettes.light);
	defineState(application.state, redraw);
	application.build(body);
	makeStatus(body);
	makeHelp(body, application.keys);
	listen(application);
	redraw();
	application.ready();
}
