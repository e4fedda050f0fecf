#!/bin/sh
# Build the .deb, take away all that building needed, install it, use it, remove it.
#   tests/fresh.sh SUITE packaging/try_deb.sh
# For the minimal roots of tests/fresh.sh: it removes packages.
set -eu

packages() {
	dpkg-query -W -f '${binary:Package}\n' | sort
}

work=$(mktemp -d)
packages >"$work/before"
apt-get -qq update
make deb
cp build/deb/flametrap_*.deb "$work"
packages | comm -13 "$work/before" - >"$work/added"
xargs apt-get -qq -y purge <"$work/added" >/dev/null
if command -v cc || ldconfig -p | grep -E 'lib(dw|unwind|protobuf-c)\.so'; then
	echo "try_deb: what building needed is still there" >&2
	exit 1
fi
apt-get -qq -y install --no-install-recommends "$work"/flametrap_*.deb >/dev/null

cd "$work"
flametrap --format folded,svg,pprof,spool -F 4000 -o run sh -c 'gzip -c /usr/lib/*/libc.so.6 | gzip -dc >out'
grep -q '^gzip;_start;' run.folded || { echo "try_deb: no names in run.folded" >&2; exit 1; }
cmp out /usr/lib/*/libc.so.6
gzip -t run.pb.gz
flametrap report ./run.*spool | sed -n 1,12p
LD_PRELOAD=libflametrap.so FLAMETRAP_OUTPUT=alone gzip -c /usr/lib/*/libc.so.6 >/dev/null
grep -q '^gzip;_start;' alone.folded

dpkg -L flametrap | grep -E '^/usr/share/(bash|zsh|fish)|/man[17]/flametrap\.' >/dev/null
apt-get -qq -y purge flametrap >/dev/null
left=$(find /usr /etc /var/lib -xdev -path /usr/src -prune -o -iname '*flametrap*' -print)
if [ -n "$left" ]; then
	echo "try_deb: left behind: $left" >&2
	exit 1
fi
rm -rf "$work"
echo "try_deb: built, installed, used and removed"
