/*
 * A picture that is higher than the window begins at its foot: with the rows that fit, and a
 * button for those above.  The page is not scrolled there instead: a browser that is asked for a
 * picture of the page and has no window would give an empty sheet.
 */
const MORE = 30;         // pixels of the button's row
const LEGEND = 34;       // of one line of legend
const ROWS_LEAST = 12;   // a window too low for so many is not worth it

let cropped = true;      // until the reader asks for more

/* Rows that the window has room for, below `top`. */
function roomBelow(top) {
	return Math.floor((window.innerHeight - top - place.status - LEGEND) / ROW);
}

/* Leave out the rows that do not fit, unless the zoomed frame is, or could be, among them. */
function crop(outer) {
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

/* The whole picture; what is seen of it stays where it is.  False if it was there already. */
function uncrop() {
	if (!place.above)
		return false;
	cropped = false;
	draw();
	return true;
}

function makeMore() {
	const holder = element(SVG, 'foreignObject', { class: 'chrome', x: 0, height: MORE }, svg);
	const bar = element(XHTML, 'div', { class: 'bar more' }, holder);
	const made = button('', 'Show the whole picture (scroll up)', bar);
	made.addEventListener('click', uncrop);
	return { holder, button: made };
}
