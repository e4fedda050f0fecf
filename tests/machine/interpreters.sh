#!/bin/sh
# Pick what the guests need of the arm64 interpreters that fetch.sh unpacked.
#   tests/machine/interpreters.sh UNPACKED SYSROOT FILES
# Copies the interpreters, the libraries that they are linked with, as far as FILES/lib lacks them,
# and the modules that the programs of tests/interp import.  A guest unpacks all of it, so what no
# program needs stays out.
set -eu

from=$1
sysroot=$2
files=$3
libdir=usr/lib/aarch64-linux-gnu

copy() { # copy PATH…: files or folders, under the same names
	for path in "$@"; do
		mkdir -p "$files/$(dirname "$path")"
		cp -RL "$from/$path" "$files/$path"
	done
}

library() { # library NAME: its file
	for folder in "$from/$libdir" "$from/lib/aarch64-linux-gnu" "$sysroot/$libdir" \
		"$sysroot/lib/aarch64-linux-gnu"; do
		if [ -e "$folder/$1" ]; then
			echo "$folder/$1"
			return
		fi
	done
	echo "interpreters: $1 is not there" >&2
	return 1
}

needed() { # needed FILE: copy the libraries that it and they are linked with
	for name in $(aarch64-linux-gnu-readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'); do
		if [ ! -e "$files/lib/$name" ]; then
			cp -L "$(library "$name")" "$files/lib/$name"
			needed "$files/lib/$name"
		fi
	done
}

python=$(cd "$from" && ls -d usr/lib/python3.*[0-9])
ruby=$(cd "$from" && ls -d usr/lib/ruby/[0-9]*)
modules=$libdir/ruby/${ruby##*/}

mkdir -p "$files/lib"
copy usr/bin/"${python##*/}" usr/bin/ruby3.1 usr/bin/php8.2 usr/bin/perl "$python" \
	"$libdir/perl-base" "$ruby/set.rb" "$ruby/set" "$modules/enc/encdb.so" \
	"$modules/enc/trans/transdb.so" "$modules/rbconfig.rb"
rm -rf "$files/$python/test" "$files/$python/pydoc_data" "$files/$libdir/perl-base/unicore"
for file in "$files/$python"/lib-dynload/*; do
	case ${file##*/} in
	_asyncio.* | _contextvars.* | _ctypes.* | _json.* | _queue.*) ;;
	*) rm "$file" ;;
	esac
done
find "$files/usr" -name '*.so' -o -path "$files/usr/bin/*" | while read -r file; do
	needed "$file"
done
