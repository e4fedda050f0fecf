#!/bin/sh
# Profile a real program that nobody here wrote: pbzip2 with two threads, on what lies in this
# machine's own folders.  Leaves folded stacks and a flame graph, and prints their paths.
#   tests/demo.sh BUILD
set -eu

build=$1
out=$build/demo
mkdir -p "$out"
rm -f "$out"/*
ticker=

finish() {
	if [ -n "$ticker" ]; then
		kill "$ticker" 2>/dev/null || true
		wait "$ticker" 2>/dev/null || true
		ticker=
		echo
	fi
}
trap finish EXIT

# One dot a second while something works, so that waiting looks like waiting.
tick() {
	(while sleep 1; do printf .; done) &
	ticker=$!
}

printf 'demo: collecting 60 MB of headers, scripts and libraries '
tick
tar -cf - -C / --ignore-failed-read usr/include usr/share/perl usr/lib 2>/dev/null |
	head -c 60000000 >"$out/input.tar" || true
finish
echo "demo: flametrap pbzip2 -9 -p2 (unmodified $(command -v pbzip2))"
printf 'demo: compressing '
tick
status=0
"${FLAMETRAP_BUILD:-$build}/flametrap" -o "$out/pbzip2" pbzip2 -k -9 -p2 "$out/input.tar" \
	2>"$out/summary.txt" || status=$?
finish
cat "$out/summary.txt"
if [ $status -ne 0 ]; then
	echo "demo: pbzip2 ended with status $status" >&2
	exit 1
fi
pbzip2 -dc "$out/input.tar.bz2" | cmp - "$out/input.tar"
rm -f "$out/input.tar" "$out/input.tar.bz2"
for file in "$out/pbzip2.folded" "$out/pbzip2.svg"; do
	if ! [ -s "$file" ]; then
		echo "demo: $file was not written" >&2
		exit 1
	fi
done
echo "demo: the busiest functions (samples, function):"
awk '{ value = $NF; sub(/ [0-9]+$/, ""); n = split($0, frame, ";"); self[frame[n]] += value }
	END { for (name in self) print self[name], name }' "$out/pbzip2.folded" | sort -rn | head -n 5 |
	sed 's/^/    /'
echo "demo: folded stacks  $out/pbzip2.folded"
echo "demo: flame graph    $out/pbzip2.svg"
