/*
 * A picture that is higher than the window shows its lower end first: the rows that fit, and a
 * button for those above.  The page is not scrolled instead: a browser without a window that takes
 * a screenshot of the page would give an empty image.
 */
import { alone, button, element, place, ROW, SVG, svg, XHTML } from './graph_elements.js';
import { data, state, tree } from './graph_model.js';

const MORE = 30;         // pixels of the button's row
const LEGEND = 34;       // pixels of one line of legend
const ROWS_LEAST = 12;   // with fewer rows the picture is not cropped

const more = {};         // elements of the row
let cropped = true;      // until the user asks for more

export function keepWhole() {
	cropped = false;
}

/* Number of rows that fit into the window below `top`. */
export function roomBelow(top) {
	return Math.floor((window.innerHeight - top - place.status - LEGEND) / ROW);
}

/* Leave out the rows that do not fit, unless the zoomed frame is, or could be, among them. */
export function crop(outer) {
	const room = roomBelow(place.top + MORE);
	const whole = !alone || !cropped || data.inverted || place.levels <= roomBelow(place.top) ||
		room < ROWS_LEAST || tree.level[state.zoom] > room / 2;
	place.above = whole ? 0 : place.levels - room;
	more.holder.style.display = whole ? 'none' : '';
	if (whole)
		return;
	more.holder.setAttribute('y', place.top);
	more.holder.setAttribute('width', outer);
	more.button.textContent = '\u25b2 ' + place.above + (place.above === 1 ? ' more row' : ' more rows');
	place.top += MORE;
	place.levels = room;
}

export function makeMore(act) {
	const holder = element(SVG, 'foreignObject', { class: 'chrome', x: 0, height: MORE }, svg);
	const bar = element(XHTML, 'div', { class: 'bar more' }, holder);
	Object.assign(more, { holder, button: button('', 'Show the whole picture (scroll up)', bar) });
	more.button.addEventListener('click', act);
}
