#!/bin/sh
# Run a command in a clean clone of this project on a minimal Debian that has git and make only.
#   tests/fresh.sh [--user|--bare] SUITE COMMAND      SUITE: bookworm, trixie, sid, …
# The command runs as root; with --user as an ordinary user who may use sudo; with --bare as an
# ordinary user without sudo and without a network.  The clone holds the last commit.  The exit
# status is the command's, or 125 when there is no such Debian to be had.
#   FRESH_CACHE   where roots and packages are kept between runs (/var/cache/flametrap-fresh)
#   FRESH_LIMIT   seconds after which the command and all it started are killed (7200)
# Needs root, and the packages of `tests/setup.sh fresh`.
set -eu

cache=${FRESH_CACHE:-/var/cache/flametrap-fresh}
limit=${FRESH_LIMIT:-7200}
top=$(cd "$(dirname "$0")/.." && pwd)

fail() {
	echo "fresh: $*" >&2
	exit 125
}

# What this machine's apt is told about reaching its servers, as a configuration file.
apt_settings() {
	apt-config dump --no-empty --format '%F "%v";%n' Acquire::http Acquire::https \
		Acquire::Retries Acquire::ForceIPv4 Acquire::Check-Valid-Until Acquire::Check-Date
	echo 'Acquire::Languages "none";'
}

# shellcheck disable=SC2016  # apt replaces these, not the shell
# The servers this machine uses for Debian, else Debian's own.
apt_server() { # LABEL DEFAULT
	found=$(apt-get indextargets --format '$(ORIGIN)|$(LABEL)|$(REPO_URI)' \
		'Created-By: Packages' 2>/dev/null | sed -n "s/^Debian|$1|//p" | head -n 1)
	echo "${found:-$2}"
}

apt_sources() { # SUITE
	debian=$(apt_server Debian http://deb.debian.org/debian)
	security=$(apt_server Debian-Security http://deb.debian.org/debian-security)
	echo "deb $debian $1 main"
	[ "$1" != sid ] || return 0
	echo "deb $debian $1-updates main"
	echo "deb $security $1-security main"
}

# A tarball of the minimal root, made anew when it is a week old.
make_base() { # SUITE TARBALL
	if [ -n "$(find "$2" -mtime -7 2>/dev/null)" ]; then
		return 0
	fi
	echo "fresh: making a minimal $1" >&2
	apt_settings >"$2.conf"
	if apt_sources "$1" | timeout -k 10 1800 mmdebstrap --quiet --variant=minbase \
		--include=git,make --aptopt="$2.conf" "$1" "$2.new.tar" - >"$2.log" 2>&1; then
		mv "$2.new.tar" "$2"
	else
		cat "$2.log" >&2
		rm -f "$2.new.tar"
		[ -e "$2" ] || fail "no minimal $1 can be made here"
	fi
}

# Links between the packages kept and those of a root: neither waits for the other's lock.
link_packages() { # FROM TO
	mkdir -p "$2"
	find "$1" -maxdepth 1 -name '*.deb' -exec cp -ln -t "$2" {} + 2>/dev/null || true
}

# How this machine reaches the network; passwords and tokens stay here.
hand_in_settings() { # ROOT
	cp -L /etc/resolv.conf /etc/hosts "$1/etc/" 2>/dev/null || true
	apt_settings >"$1/etc/apt/apt.conf.d/99handed-in"
	echo force-unsafe-io >"$1/etc/dpkg/dpkg.cfg.d/unsafe-io" # it is thrown away soon
	mkdir -p "$1/usr/local/share/ca-certificates" "$1/etc/ssl/certs"
	cp -rL /usr/local/share/ca-certificates/. "$1/usr/local/share/ca-certificates/" 2>/dev/null || true
	cp -L /etc/ssl/certs/ca-certificates.crt "$1/etc/ssl/certs/" 2>/dev/null || true
	sed -E '/auth|token|password/Id' /etc/npmrc /usr/etc/npmrc "${HOME:-/root}/.npmrc" \
		2>/dev/null >"$1/etc/npmrc" || true
}

as=root
case ${1-} in
--user | --bare)
	as=${1#--}
	shift
	;;
esac
if [ $# -ne 2 ]; then
	sed -n '3p' "$0" | sed 's/^# */usage: /' >&2
	exit 2
fi
suite=$1
command=$2
[ "$(id -u)" -eq 0 ] || fail "needs root"
for tool in mmdebstrap unshare pivot_root git flock timeout; do
	command -v "$tool" >/dev/null || fail "needs $tool: run tests/setup.sh fresh"
done

mkdir -p "$cache/packages-$suite"
exec 9>"$cache/$suite.lock"
flock -w 2400 9 || fail "another run has been making $suite for 40 minutes"
make_base "$suite" "$cache/$suite.tar"
exec 9>&-

root=$(mktemp -d "$cache/root-$suite-XXXXXX")
trap 'rm -rf --one-file-system "$root"' EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
chmod 755 "$root"
tar -C "$root" --numeric-owner --exclude='./dev/*' -xf "$cache/$suite.tar"
hand_in_settings "$root"
link_packages "$cache/packages-$suite" "$root/var/cache/apt/archives"
git clone -q --no-hardlinks "$top" "$root/usr/src/flametrap" || fail "$top cannot be cloned"

net=
[ "$as" != bare ] || net=--net
status=0
# shellcheck disable=SC2086  # one word or none
timeout --foreground -k 10 "$limit" \
	unshare --mount --pid --fork --kill-child --propagation private \
	$net "$top/tests/fresh_root.sh" "$root" "$as" "$command" \
	</dev/null || status=$?
if [ $status -eq 124 ] || [ $status -eq 137 ]; then
	echo "fresh: killed, perhaps for taking longer than $limit s (FRESH_LIMIT)" >&2
fi
link_packages "$root/var/cache/apt/archives" "$cache/packages-$suite"
exit $status
