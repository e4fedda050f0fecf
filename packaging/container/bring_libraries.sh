#!/bin/sh
# Copy what libflametrap.so and the command load at run time beside the library, so that they need
# nothing of the image that they are put into but its C library.
#   packaging/container/bring_libraries.sh FOLDER
set -eu

command -v patchelf >/dev/null || { echo "bring_libraries: needs patchelf" >&2; exit 1; }

folder=$1
wanted="libdw.so.1 libelf.so.1 libprotobuf-c.so.1 libRmath.so.1 libz.so.1 libunwind-$(uname -m).so.8"

place_of() { # SONAME
	ldconfig -p | sed -n "s,^[[:space:]]$1 (libc6\,[^)]*) => ,,p" | head -n 1
}

for soname in $wanted; do
	place=$(place_of "$soname")
	[ -n "$place" ] || { echo "bring_libraries: there is no $soname here" >&2; exit 1; }
	cp -L "$place" "$folder/$soname"
	ldd "$place" | sed -n 's/^\t\(lib[^ ]*\) => \(\/[^ ]*\) .*/\1 \2/p' |
		grep -vE '^lib(c|m|dl|pthread|rt)\.so' | while read -r needed file; do
		cp -L "$file" "$folder/$needed"
	done
done
# Each finds those that it needs in turn beside itself.
for file in "$folder"/lib*.so.*; do
	# shellcheck disable=SC2016  # the loader's, not the shell's
	patchelf --set-rpath '$ORIGIN' "$file"
done
