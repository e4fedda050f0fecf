<?php
// Functions that are called in every way are running when it sets its umask.
function leaf() {
	umask(022);
}

function generate() {
	leaf();
	yield 1;
}

class Thing {
	function method() {
		usort($GLOBALS["items"], function ($one, $other) {
			foreach (generate() as $ignored);
			return 0;
		});
	}
}

$items = [1, 2];
(new Thing)->method();
