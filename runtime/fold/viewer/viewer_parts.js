/*
 * Parts of the program, for the colours of the heatmap: a few parts of the tree of calls, each of
 * which holds much of the time.
 */
function heatParts() {
	return null;
}

function drawKeys() {
	time.keys.replaceChildren();
}
