# What the tours share.

# run NAME [VARIABLE=value…] COMMAND…: run it and keep what it said and left in /out/NAME.
run() {
	name=$1
	shift
	mkdir -p "/out/$name"
	chmod 777 "/out/$name"
	env FLAMETRAP_OUTPUT="/out/$name/p" FLAMETRAP_LOG=info "$@" \
		>"/out/$name/stdout" 2>"/out/$name/stderr"
	echo $? >"/out/$name/status"
}

# profile NAME [VARIABLE=value…] COMMAND…: under the shim, as a user would.
profile() {
	name=$1
	shift
	run "$name" LD_PRELOAD=/lib/libflametrap.so "$@"
}

# collect NAME [VARIABLE=value…] COMMAND…: the same, but keep the raw spool.
collect() {
	name=$1
	shift
	mkdir -p "/out/$name/spool"
	chmod 777 "/out/$name/spool"
	run "$name" LD_PRELOAD=/lib/libflametrap.so FLAMETRAP_COLLECT=yes \
		FLAMETRAP_SPOOL="/out/$name/spool" "$@"
}

# report NAME: the table of what collect NAME left.
report() {
	run "$1_report" flametrap report --rows 0 "/out/$1/spool"/*
}

# Spools are sparse; used_bytes of the header (runtime/spool/format.h) says how much was written.
shorten_spools() {
	for spool in /out/*/spool/*; do
		truncate -s "$(od -An -t u8 -j 40 -N 8 "$spool" | tr -d ' ')" "$spool"
	done
}

setting() { # setting NAME VALUE, below /proc/sys/kernel
	echo "$2" >"/proc/sys/kernel/$1"
}

start_helper() { # start_helper ARGUMENT…: /targets/events, which says "…ing" when ready
	: >/tmp/helper
	/targets/events "$@" >/tmp/helper &
	helper=$!
	until grep -q ing /tmp/helper; do
		kill -0 "$helper" || return 1
		usleep 1000
	done
}

stop_helper() {
	kill "$helper"
	wait "$helper" 2>/dev/null
}

many() { # many N EVENT: a group of N times the event, user side, named 1, 2, …
	list=
	for i in $(seq "$1"); do
		list="$list,$2/name=$i/u"
	done
	echo "{${list#,}}"
}

# What every kernel counts, by whichever way it tells of overflows.
count_exactly() {
	uname -r
	group='{cycles,instructions}:u'
	collect raw FLAMETRAP_EVENTS="$group" FLAMETRAP_PERIOD=1000000 /targets/shares
	profile group_events FLAMETRAP_EVENTS="$group" FLAMETRAP_PERIOD=1000000 \
		FLAMETRAP_WEIGHT=events /targets/shares
	profile group_samples FLAMETRAP_EVENTS="$group" FLAMETRAP_PERIOD=1000000 /targets/shares
	collect threads FLAMETRAP_EVENTS=cycles:u FLAMETRAP_PERIOD=1000000 /targets/shares 2
	collect frames FLAMETRAP_EVENTS=cycles:u FLAMETRAP_PERIOD=100000 /targets/frames
	profile frames_named FLAMETRAP_EVENTS=cycles:u FLAMETRAP_PERIOD=100000 \
		FLAMETRAP_WEIGHT=events /targets/frames
	profile default /targets/shares
}
