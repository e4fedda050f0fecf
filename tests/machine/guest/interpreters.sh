# Functions of interpreted programs: what the interpreters say that they call, and what is sampled.
uname -r
export LD_LIBRARY_PATH=/lib:/usr/lib/aarch64-linux-gnu
python="/usr/bin/python3.11 -B"
ruby="/usr/bin/ruby3.1 --disable=gems"

sampled() { # sampled NAME COMMAND…: its spool, and its stacks with lines
	sampled=$1
	shift
	collect "$sampled" FLAMETRAP_EVENTS=cycles:u FLAMETRAP_PERIOD=400000 "$@"
	run "${sampled}_stacks" flametrap fold --weight samples --lines "/out/$sampled/spool"/*
}

# shellcheck disable=SC2086  # a word for each option
{
	run python_recorded $python /programs/edges.py record /out/python_recorded/seen
	sampled python $python /programs/edges.py sample 1
	run ruby_recorded $ruby /programs/edges.rb record /out/ruby_recorded/seen
	sampled ruby $ruby /programs/edges.rb sample 1
}
sampled php /usr/bin/php8.2 -n /programs/php/calls.php 400
sampled perl /usr/bin/perl /programs/perl/calls.pl 60
