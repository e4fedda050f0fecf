/* The elements of the picture, and where they are: the ground of what draws and of what listens. */
export const SVG = 'http://www.w3.org/2000/svg';
export const ROW = 18;          // pixels from one level to the next
export const svg = document.currentScript.closest('svg.flametrap');
export const alone = svg === document.documentElement;
export const layer = svg.querySelector('.frames');
export const legend = svg.querySelector('.legend');
export const heading = svg.querySelector('.heading');
export const notes = svg.querySelector('.notes');
export const place = { top: 0, levels: 1, status: 26, cell: 6.65 };
export const tools = {};        // elements of the bar above
export const status = {};       // and of the bar below

export let drawn = new Map();   // frame -> its element
export let rows = [];           // level -> frames drawn there, from the left
export let current = 0;         // the frame that the keyboard has selected

export function setDrawn(elements, levels) {
	drawn = elements;
	rows = levels;
}

export function setCurrent(frame) {
	current = frame;
}

/* Make a frame the target of the Tab key. */
export function moveTo(frame, focus) {
	drawn.get(current)?.setAttribute('tabindex', -1);
	setCurrent(frame);
	const group = drawn.get(frame);
	group.setAttribute('tabindex', 0);
	if (focus)
		group.focus({ preventScroll: false });
}

export function frameOf(event) {
	const group = event.target.closest('g');
	return group && layer.contains(group) && group.frame !== undefined ? group.frame : null;
}
