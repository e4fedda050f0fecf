#!/bin/sh
# The graph's script through eslint, as it stands in a graph: all its files in one function.
#   tests/lint_js.sh FOLDER      eslint is unpacked there, once
# Findings name the file and the line they are in.
set -eu

eslint=8.57.1
folder=$1/eslint-$eslint
graph=runtime/fold/graph
tool=$folder/node_modules/eslint/bin/eslint.js

for need in node npm; do
	command -v $need >/dev/null || { echo "lint: $need is not installed" >&2; exit 1; }
done
if ! [ -e "$tool" ]; then
	mkdir -p "$folder"
	npm install --silent --no-save --no-audit --no-fund --prefix "$folder" "eslint@$eslint" || {
		echo "lint: npm has no eslint $eslint for us here" >&2
		exit 1
	}
fi

# The order is that in which they are put together.
files=$(sed -n 's/.*FILE_AT("/&/p' $graph/graph_asset.c | grep -o '[a-z_]*\.js')
script=$1/graph.js
(
	echo "(function () { 'use strict';"
	for name in $files; do
		cat "$graph/$name"
	done
	echo '})();'
) >"$script"
found=$(node "$tool" --no-eslintrc --config .eslintrc.json --format unix "$script") && exit 0

# FILE:LINE:COLUMN: text, where FILE is all of them: the line of each.
echo "$found" | (
	while IFS=: read -r _ line rest; do
		case $line in
		'' | *[!0-9]*) continue ;;
		esac
		line=$((line - 1))
		for name in $files; do
			lines=$(wc -l <"$graph/$name")
			[ $line -gt "$lines" ] || break
			line=$((line - lines))
		done
		echo "$graph/$name:$line:$rest"
	done
) >&2
exit 1
