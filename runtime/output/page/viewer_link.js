/*
 * The state of a page in the URL's fragment, as PARTS of the page lists it.  Only apply() changes
 * the state, and the screen is drawn from it.  A damaged part of a link is ignored.
 */
function natural(text, limit) {
	const number = /^\d+$/.test(text) ? Number(text) : -1;
	return number < limit ? number : -1;
}

function oneOf(list, otherwise) {
	return text => list.includes(text) ? text : otherwise;
}

function fragment() {
	const parts = [];
	for (const [letter, , write] of PARTS) {
		const text = write(state);
		if (text)
			parts.push(letter + '=' + encodeURIComponent(text));
	}
	return '#' + parts.join('&');
}

function recall() {
	const result = Object.assign({}, START);
	for (const part of location.hash.slice(1).split('&')) {
		const at = part.indexOf('=');
		const known = PARTS.find(one => one[0] === part.slice(0, at));
		if (!known)
			continue;
		try {
			const values = known[3](decodeURIComponent(part.slice(at + 1)));
			known[1].forEach((key, i) => {
				result[key] = values[i];
			});
		} catch (error) {
			// a damaged link: ignore this part
		}
	}
	return consistent(result);
}

/* Change the state: store it in the URL as a new step of history or in place of the last one
 * ('push', 'replace'), or leave the URL as it is (''). */
function apply(change, history) {
	state = consistent(Object.assign({}, state, change));
	if (history) {
		const url = location.href.replace(/#.*$/s, '') + fragment();
		try {
			window.history[history + 'State'](null, '', url);
		} catch (error) {
			location.replace(url); // the document may not change its history
		}
	}
	drawSoon();
}
