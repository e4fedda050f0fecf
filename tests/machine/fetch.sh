#!/bin/sh
# Fetch what the emulated machine is made of: arm64 kernels, libraries and headers.
#   tests/machine/fetch.sh DIR
# Leaves DIR/sysroot (headers and libraries, unpacked), DIR/interpreters (unpacked, too) and
# DIR/kernel/VERSION for each of 5.10, 6.1 and 6.12 that the mirror has; a second run looks at the
# stamps and does nothing.  apt works
# on state, cache and sources of its own below DIR, so the machine's package database does not
# learn of arm64.  Ends with status 77 and a reason when the packages cannot be had.
set -eu

dir=$(mkdir -p "$1" && cd "$1" && pwd)
apt=$dir/apt
log=$dir/fetch.log
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
libraries='libc6 libgcc-s1 libunwind8 libunwind-dev liblzma5 liblzma-dev libdw1 libdw-dev libelf1
	libelf-dev zlib1g zlib1g-dev libiberty-dev libbz2-1.0 libprotobuf-c1
	libprotobuf-c-dev libpfm4 busybox-static'
interpreters='python3.11-minimal libpython3.11-minimal libpython3.11-stdlib ruby3.1 libruby3.1
	php8.2-cli perl-base libcrypt1 libgmp10 libexpat1 libffi8 libxml2 libicu72 libssl3
	libpcre2-8-0 libsodium23 libargon2-1 libstdc++6'

cannot() {
	echo "machine: $*"
	exit 77
}

# The mirror this machine takes its own packages from, if that is a Debian mirror.
mirror() { # mirror NAME: debian or debian-security
	# shellcheck disable=SC2016  # apt replaces it, not the shell
	found=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' 2>/dev/null |
		grep "/$1/*\$" | head -n 1)
	echo "${found:-http://deb.debian.org/$1}"
}

private() { # private TOOL ARGUMENT…
	tool=$1
	shift
	"$tool" -qq -o Dir::State="$apt/state" -o Dir::Cache="$apt/cache" \
		-o Dir::State::status="$apt/status" -o Dir::Etc::sourcelist="$apt/sources" \
		-o Dir::Etc::sourceparts=/dev/null -o Dir::Etc::preferences=/dev/null \
		-o Dir::Etc::preferencesparts=/dev/null \
		-o APT::Architecture=arm64 -o 'APT::Architectures::=arm64' -o Acquire::Languages=none \
		-o Acquire::Retries=2 -o Acquire::http::Timeout=20 -o APT::Sandbox::User= \
		-o Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false "$@"
}

lists() {
	mkdir -p "$apt/state/lists/partial" "$apt/cache/archives/partial"
	: >"$apt/status"
	main=$(mirror debian)
	security=$(mirror debian-security)
	cat >"$apt/sources" <<-END
		deb [arch=arm64 signed-by=$keyring] $main bookworm main
		deb [arch=arm64 signed-by=$keyring] $main bullseye main
		deb [arch=arm64 signed-by=$keyring] $security bookworm-security main
	END
	# A suite that is gone must not take the others with it.
	private apt-get update >>"$log" 2>&1 || true
	private apt-cache show libc6 2>/dev/null | grep -q '^Version' ||
		cannot "no arm64 packages from $main: $(grep -m 1 -E '^[EW]:' "$log" || echo no answer)"
}

unpack() { # unpack PLACE PACKAGE…: download and unpack, installing nothing
	place=$1
	shift
	mkdir -p "$dir/deb" "$place"
	(cd "$dir/deb" && private apt-get download "$@" >>"$log" 2>&1) || return 1
	for deb in "$dir"/deb/*.deb; do
		dpkg-deb -x "$deb" "$place"
	done
	rm -rf "$dir/deb"
}

sysroot() {
	# shellcheck disable=SC2086  # a word for each package
	unpack "$dir/sysroot" $libraries ||
		cannot "arm64 libraries cannot be downloaded: $(tail -n 1 "$log")"
	echo "$libraries" >"$dir/sysroot.done"
}

# Without them, the tests of interpreters are skipped.
interpreters() {
	rm -rf "$dir/interpreters" "$dir/interpreters.absent"
	# shellcheck disable=SC2086  # a word for each package
	if unpack "$dir/interpreters" $interpreters; then
		echo "$interpreters" >"$dir/interpreters.done"
	else
		rm -rf "$dir/deb" "$dir/interpreters"
		echo "arm64 interpreters cannot be downloaded: $(tail -n 1 "$log")" \
			>"$dir/interpreters.absent"
	fi
}

interpreters_are_there() {
	[ "$(cat "$dir/interpreters.done" 2>/dev/null)" = "$interpreters" ] ||
		absent_today interpreters
}

sysroot_is_there() { # all of what is wanted today
	[ "$(cat "$dir/sysroot.done" 2>/dev/null)" = "$libraries" ]
}

# The newest cloud kernel of a series: linux-image-5.10.0-35-cloud-arm64.
kernel_package() {
	private apt-cache pkgnames linux-image- |
		grep -E "^linux-image-$1(\.[0-9]+)?[.+-].*-cloud-arm64\$" | grep -v -- -dbg | sort -V | tail -n 1
}

kernel() { # kernel SERIES
	rm -f "$dir/kernel/$1" "$dir/kernel/$1.absent"
	package=$(kernel_package "$1")
	mkdir -p "$dir/kernel"
	if [ -z "$package" ] || ! unpack "$dir/unpacked" "$package"; then
		echo "no arm64 cloud kernel $1 could be had from the mirror" >"$dir/kernel/$1.absent"
		return
	fi
	cp "$dir"/unpacked/boot/vmlinuz-* "$dir/kernel/$1"
	rm -rf "$dir/unpacked"
}

# A mirror that lacked something is not asked again for a day.
absent_today() { # absent_today NAME, below DIR
	[ -n "$(find "$dir/$1.absent" -mtime -1 2>/dev/null)" ]
}

main() {
	missing=
	for series in 5.10 6.1 6.12; do
		[ -e "$dir/kernel/$series" ] || absent_today "kernel/$series" || missing="$missing $series"
	done
	if sysroot_is_there && interpreters_are_there && [ -z "$missing" ]; then
		return
	fi
	: >"$log"
	[ -r $keyring ] || cannot "no Debian keyring ($keyring)"
	lists
	sysroot_is_there || sysroot
	interpreters_are_there || interpreters
	for series in $missing; do
		kernel "$series"
	done
	rm -rf "$apt/cache"
}

if ! command -v apt-get >/dev/null || ! command -v dpkg-deb >/dev/null; then
	cannot 'no apt-get here'
fi
main
