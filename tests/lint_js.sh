#!/bin/sh
# The modules of the graph and of the pages through eslint, each by itself and each script with all that
# it imports as it stands in the finished files, where no two names may collide.
#   tests/lint_js.sh FOLDER      eslint is unpacked there, once
set -eu

eslint=8.57.1
folder=$1/eslint-$eslint
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

check() {
	node "$tool" --no-eslintrc --config .eslintrc.json --format unix "$@" >&2
}

check --parser-options sourceType:module runtime/output/graph/*.js runtime/output/page/*/*.js tests/page/*.mjs
for script in graph/graph page/view/viewer page/view/difference; do
	joined=$1/${script##*/}.js
	awk -v script=runtime/output/$script.js -f runtime/output/join.awk >"$joined"
	check --rule 'no-shadow: off' "$joined" # a local name may be another module's
done
