# A kernel from before SIGTRAP on overflow: the next rung of the ladder takes over.
uname -r
group='{cycles,instructions}:u'
run refused /targets/refused
collect raw FLAMETRAP_EVENTS="$group" FLAMETRAP_PERIOD=1000000 /targets/shares
profile group_events FLAMETRAP_EVENTS="$group" FLAMETRAP_PERIOD=1000000 \
	FLAMETRAP_WEIGHT=events /targets/shares
profile group_samples FLAMETRAP_EVENTS="$group" FLAMETRAP_PERIOD=1000000 /targets/shares
collect threads FLAMETRAP_EVENTS=cycles:u FLAMETRAP_PERIOD=1000000 /targets/shares 2
collect frames FLAMETRAP_EVENTS=cycles:u FLAMETRAP_PERIOD=100000 /targets/frames
profile frames_named FLAMETRAP_EVENTS=cycles:u FLAMETRAP_PERIOD=100000 FLAMETRAP_WEIGHT=events \
	/targets/frames
profile default /targets/shares
profile insisted FLAMETRAP_EVENTS=cycles:u FLAMETRAP_NOTIFY=sigtrap /targets/shares
