#!/bin/sh
# One file through clang-tidy; silent when it is clean.  Run by lint.mk, flags in FLAGS.
#   lint_tidy.sh CLANG_TIDY FILE
eval "set -- \"\$1\" --quiet \"\$2\" -- $FLAGS"
if output=$("$@" 2>/dev/null); then
	exit 0
fi
printf '%s\n' "$output" >&2
exit 1
