#!/bin/sh
# Profile a real program, sqlite3 as the distribution ships it, and show what was found.
#   tests/demo.sh BUILD [FOLDER]      leaves folded stacks and a flame graph in FOLDER
set -eu

flametrap=${FLAMETRAP_BUILD:-$1}/flametrap
out=${2:-$1/demo}
queries=$(dirname "$0")/demo.sql
unset FLAMETRAP_BUILD # it is not a setting of flametrap's

mkdir -p "$out"
rm -f "$out"/sqlite3.*
echo "demo: this profiles $(command -v sqlite3), unmodified, while it fills a table of orders in"
echo "demo: memory, joins it with a second one and updates it.  It takes some seconds."
echo "demo: running  flametrap -o $out/sqlite3 sqlite3 :memory: <$queries"
"$flametrap" -o "$out/sqlite3" sqlite3 -batch :memory: <"$queries" >"$out/answers.txt"
if [ "$(wc -l <"$out/answers.txt")" -ne 2 ]; then
	echo "demo: sqlite3 did not answer both queries, see $out/answers.txt" >&2
	exit 1
fi
for file in "$out/sqlite3.folded" "$out/sqlite3.svg"; do
	if ! [ -s "$file" ]; then
		echo "demo: $file was not written" >&2
		exit 1
	fi
done

# Shares of samples whose innermost frame is the function; what has no name is left out.
echo "demo: sqlite3 spent most of its processor time in"
LC_ALL=C awk '{ value = $NF; sub(/ [0-9]+$/, ""); n = split($0, frame, ";")
	self[frame[n]] += value; total += value }
	END { for (name in self) if (name !~ /@0x|^\[/)
		printf "demo:   %5.1f %%  %s\n", 100 * self[name] / total, name }' "$out/sqlite3.folded" |
	LC_ALL=C sort -k 2 -rn | head -n 3
cat <<EOT
demo: look here next
demo:   $out/sqlite3.svg     the flame graph: open it in a browser, click a frame to zoom
demo:   $out/sqlite3.folded  the same as text, a stack on each line
demo:   $1/flametrap report $out/sqlite3.folded
demo:   $1/flametrap ./app   the same for a program of yours
EOT
