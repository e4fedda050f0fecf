#!/bin/sh
# Install what the named parts need, and nothing when it is all there.
#   tests/setup.sh build|demo|test|interpreters|bench|servers|suites|lint|fresh|deb|packaging…
# As root, or through sudo; without either, say what to install and fail.  A name like
# `clang-14|clang` is satisfied by any of its alternatives; `?name` is installed when the
# distribution has it and not missed when it does not; SETUP_OPTIONAL=no leaves those out.
# shellcheck disable=SC2086  # lists of packages are split into words
set -eu

packages() {
	case $1 in
	build) echo 'gcc make libc6-dev libdw-dev libelf-dev libiberty-dev zlib1g-dev libunwind-dev' \
		'libprotobuf-c-dev protobuf-c-compiler protobuf-compiler r-mathlib' ;;
	demo) echo 'sqlite3' ;;
	test) echo 'g++ clang-14|clang libclang-rt-14-dev|libclang-rt-dev|libclang-common-14-dev llvm-14|llvm' \
		'libcmocka-dev python3 python3-pytest binutils elfutils xz-utils sqlite3 perl gzip openssl' \
		'strace gdb procps util-linux tar ?bc ?bzip2 ?file ?git ?gpg ?jq ?make ?mawk ?zstd' \
		'?libpython3.11-testsuite|libpython3.13-testsuite|libpython3.12-testsuite' \
		'?libunwind-14|libunwind-19|libunwind-18 ?musl-tools ?libc6-i386 ?valgrind ?golang-go' \
		'?google-perftools ?graphviz ?npm|nodejs ?chromium ?chromium-driver ?libc6-dbg' \
		'?linux-perf|linux-tools-generic ?ripgrep ?libpfm4 ?pbzip2 ?libcapstone5|libcapstone4' \
		'man-db groff-base ?mandoc ?zsh ?fish' \
		'?qemu-system-arm ?gcc-aarch64-linux-gnu ?libc6-dev-arm64-cross ?cpio' \
		'?default-jdk-headless ?php-cli ?libphp-embed ?x264 ?ruby ?luajit ?libboost-context-dev ?faketime ?systemd-container' \
		'?ocaml-nox ?rustc ?erlang-base' \
		'?python3-numpy ?python3-gevent ?python3-django ?gunicorn ?uwsgi-plugin-python3' ;;
	interpreters) echo 'python3 perl php-cli ruby' ;;
	bench) echo 'g++ python3 python3-pytest libgoogle-perftools-dev google-perftools binutils ?hyperfine' \
		'?linux-perf|linux-tools-generic ?chromium ?chromium-driver' \
		'?qemu-system-arm ?gcc-aarch64-linux-gnu ?libc6-dev-arm64-cross ?cpio' ;;
	servers) echo 'postgresql mariadb-server redis-server redis-tools nginx-light|nginx memcached' \
		'libmemcached-tools apache2-utils' ;;
	suites) echo 'dpkg-dev perl make patch xz-utils bzip2 ?autoconf ?automake ?libtool ?texinfo' \
		'?autopoint ?gperf ?tcl ?tcl-dev ?stress-ng ?busybox ?curl ?php-cli' ;;
	lint) echo 'g++ clang-14|clang clang-format-14|clang-format clang-tidy-14|clang-tidy' \
		'binutils python3 python3-pytest pylint shellcheck npm|nodejs' ;;
	deb) echo 'build-essential debhelper' ;;
	packaging) echo 'build-essential debhelper ?lintian ?rpm ?rpmlint ?patchelf ?python3-yaml' ;;
	fresh) echo 'mmdebstrap git util-linux coreutils debian-archive-keyring' ;;
	*)
		echo "setup: unknown part: $1" >&2
		exit 2
		;;
	esac
}

installed() {
	test "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed
}

available() {
	LC_ALL=C apt-cache policy "$1" 2>/dev/null | grep -q 'Candidate: [^(]'
}

# Print the package to install for one entry; nothing when an alternative is there already.
wanted() {
	names=$(echo "${1#\?}" | tr '|' ' ')
	for name in $names; do
		if installed "$name"; then
			return
		fi
	done
	for name in $names; do
		if available "$name"; then
			echo "$name"
			return
		fi
	done
	case $1 in
	\?*) ;;
	*) echo "$1" ;; # until the package lists are there, all its alternatives
	esac
}

missing() { # of the parts named; without the `?` entries when the first argument is "needed"
	which=$1
	shift
	for part in "$@"; do
		for entry in $(packages "$part"); do
			case $which$entry in
			needed\?*) ;;
			*) wanted "$entry" ;;
			esac
		done
	done
}

unlisted() { # true when a package that is needed is in no list: the lists want updating
	for name in "$@"; do
		if ! available "$name"; then
			return 0
		fi
	done
	return 1
}

for part in "$@"; do
	packages "$part" >/dev/null
done
if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
	echo "setup: no apt-get here; the Debian packages needed are:" >&2
	for part in "$@"; do packages "$part" | tr -d '?' >&2; done
	exit 1
fi
wish=all
if [ "${SETUP_OPTIONAL-}" = no ]; then
	wish=needed
fi
list=$(missing $wish "$@")
if [ -z "$list" ]; then
	exit 0
fi
if [ "$(id -u)" -eq 0 ]; then
	run=
elif command -v sudo >/dev/null; then
	run=sudo
elif [ -z "$(missing needed "$@")" ]; then
	echo "setup: neither root nor sudo; doing without:" $list >&2
	exit 0
else
	echo "setup: neither root nor sudo; install first:" $list >&2
	exit 1
fi
log=$(mktemp)
trap 'rm -f "$log"' EXIT

update() {
	echo "setup: updating the package lists" >&2
	$run apt-get -qq -o DPkg::Lock::Timeout=300 update >"$log" 2>&1 || cat "$log" >&2
	list=$(missing $wish "$@")
}

install() {
	echo "setup: installing" $list >&2
	$run env DEBIAN_FRONTEND=noninteractive apt-get -qq -y -o DPkg::Lock::Timeout=300 \
		install --no-install-recommends $list >"$log" 2>&1
}

# `?` entries are only known to be missing once the package lists are there; old lists name
# packages that the servers no longer have.
fresh=no
if unlisted $list || ! [ -e /var/lib/apt/lists/lock ]; then
	update "$@"
	fresh=yes
fi
if install; then
	exit 0
fi
if [ $fresh = no ]; then
	update "$@"
	if install; then
		exit 0
	fi
fi
cat "$log" >&2
echo "setup: could not install:" $list >&2
exit 1
