#!/bin/sh
# Tell in one line what a build lacks here, by Debian's names of the packages that have it.
#   tests/can_build.sh CC [FLAGS…]
# Asks the compiler and not the package database: a build works wherever its parts come from.
set -eu

cc=$1
shift
lacking=

lacks() { # PACKAGE
	case " $lacking " in
	*" $1 "*) ;;
	*) lacking="$lacking${lacking:+ }$1" ;;
	esac
}

# Without a compiler a header is looked for where distributions put it.
if ! echo 'int main(void) { return 0; }' | $cc "$@" -E -x c - >/dev/null 2>&1; then
	lacks gcc
fi

has_header() { # HEADER [FLAGS…]
	header=$1
	shift
	case $lacking in
	*gcc*) [ -e "/usr/include/$header" ] || [ -e "/usr/include/$(uname -m)-linux-gnu/$header" ] ;;
	*) echo "#include <$header>" | $cc "$@" -E -x c - >/dev/null 2>&1 ;;
	esac
}

while read -r package header; do
	has_header "$header" "$@" || lacks "$package"
done <<EOT
libc6-dev stdlib.h
libdw-dev elfutils/libdwfl.h
libelf-dev gelf.h
libiberty-dev libiberty/demangle.h
zlib1g-dev zlib.h
libunwind-dev libunwind.h
libprotobuf-c-dev protobuf-c/protobuf-c.h
EOT
command -v protoc-gen-c >/dev/null || lacks protobuf-c-compiler
if [ -n "$lacking" ]; then
	echo "flametrap: cannot build without $lacking; tests/setup.sh build installs what is" \
		"missing (Debian, Ubuntu)" >&2
	exit 1
fi
