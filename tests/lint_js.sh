#!/bin/sh
# The scripts of the graph and of the pages through eslint, as they stand in the finished files: all
# files of each in one function.
#   tests/lint_js.sh FOLDER      eslint is unpacked there, once
# Findings name the file and the line they are in.
set -eu

eslint=8.57.1
folder=$1/eslint-$eslint
graph=runtime/output/graph
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

# The files of one script, as lines FOLDER/NAME, in the order in which they are put together.
files_of() {
	for name in $(grep -o '"[a-z_]*\.js"' "$1/$2" | tr -d '"'); do
		[ -e "$1/$name" ] && echo "$1/$name" || echo "$graph/$name"
	done
}

# FILE:LINE:COLUMN: text, where FILE is all of them: the line of each.
place() {
	while IFS=: read -r _ line rest; do
		case $line in
		'' | *[!0-9]*) continue ;;
		esac
		line=$((line - 1))
		for name in $1; do
			lines=$(wc -l <"$name")
			[ $line -gt "$lines" ] || break
			line=$((line - lines))
		done
		echo "$name:$line:$rest"
	done
}

status=0
for asset in graph/graph page/viewer page/difference; do
	files=$(files_of runtime/output/${asset%/*} "${asset#*/}_asset.c")
	script=$1/${asset#*/}.js
	{
		echo "(function () { 'use strict';"
		# shellcheck disable=SC2086 # the files are words
		cat $files
		echo '})();'
	} >"$script"
	found=$(node "$tool" --no-eslintrc --config .eslintrc.json --format unix "$script") && continue
	echo "$found" | place "$files" >&2
	status=1
done
exit $status
