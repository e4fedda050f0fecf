# Programs of interpreters, sampled by an exact number of instructions.
uname -r
export HOME=/tmp

both() { # both NAME COMMAND…: its folded stacks, and its spool
	name=$1
	shift
	for how in "profile $name" "collect ${name}_raw"; do
		# shellcheck disable=SC2086  # two words
		$how FLAMETRAP_EVENTS=instructions:u FLAMETRAP_PERIOD=100000 \
			FLAMETRAP_WEIGHT=samples "$@"
	done
}

both python /usr/bin/python3.11 -B -S -E /guest/chains.py 60000
both perl /usr/bin/perl /guest/chains.pl 60000
both ruby /usr/bin/ruby3.1 --disable=gems /guest/chains.rb 200000
both php /usr/bin/php8.2 -n -d display_startup_errors=0 /guest/chains.php 200000
