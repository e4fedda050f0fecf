#!/bin/sh
# Run a command with FLAMETRAP_BUILD naming a build that can be preloaded.
#   tests/elsewhere.sh BUILD COMMAND [ARGUMENT…]
# The loader splits LD_PRELOAD at spaces and colons, so what was built below such a folder is
# copied to one without, which is gone afterwards.
set -eu

build=$1
shift
case $build in
*[[:space:]:]*) ;;
*)
	FLAMETRAP_BUILD=$build exec "$@"
	;;
esac
copy=$(mktemp -d /tmp/flametrap-build-XXXXXX)
trap 'rm -rf "$copy"' EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
cp -a "$build/." "$copy"
FLAMETRAP_BUILD=$copy "$@"
