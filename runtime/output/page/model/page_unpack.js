/* Unpacks the data of a page: base64, deflate, and the checks of its parts that pages share. */
export const DAMAGED = 'The data in this page is damaged, or was cut off on its way.';

function fromBase64(text) {
	if (Uint8Array.fromBase64)
		return Uint8Array.fromBase64(text);
	const raw = atob(text.trim());
	const bytes = new Uint8Array(raw.length);
	for (let i = 0; i < raw.length; i++)
		bytes[i] = raw.charCodeAt(i);
	return bytes;
}

function inflate(bytes) {
	const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
	return new Response(stream).arrayBuffer();
}

export function areTexts(list, count) {
	return Array.isArray(list) && list.every(one => typeof one === 'string') &&
		(count === undefined || list.length === count);
}

/* Whether all elements of a list have texts and numbers under these names. */
export function have(list, texts, counts) {
	return Array.isArray(list) && list.every(one => one && texts.every(key => typeof one[key] === 'string') &&
		counts.every(key => Number.isFinite(one[key])));
}

/* Whether the tables of functions, which every page has, are whole. */
function areFunctions({ format, names, kinds, kindNames, classes }) {
	return format === 1 && areTexts(names) && names.length > 0 && areTexts(kindNames) && areTexts(classes, names.length) &&
		Array.isArray(kinds) && kinds.length === names.length &&
		kinds.every(kind => kind >= 0 && kind < kindNames.length);
}

/* The JSON text at the start of the data, which has to pass a check, and where the columns begin. */
export function unpackHead(buffer, check) {
	const length = new DataView(buffer).getUint32(0, true);
	const head = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
	if (!areFunctions(head) || !check(head))
		throw new Error(DAMAGED);
	return { head, start: Math.ceil((4 + length) / 8) * 8 };
}

/* Returns what decode() of the page makes of the data, or throws an Error with a text for the reader. */
export async function readProfile(decode) {
	if (typeof DecompressionStream === 'undefined')
		throw new Error('This browser cannot unpack the data of this page: it lacks ' +
			'DecompressionStream, which Chromium 103, Firefox 113 and Safari 16.4 have.');
	try {
		return decode(await inflate(fromBase64(document.getElementById('profile').textContent)));
	} catch (error) {
		throw new Error(DAMAGED, { cause: error });
	}
}
