# What one sample costs in user-side instructions: the same loop without the shim, and with it
# at two periods, of which the difference leaves out what only the first samples cost.  By
# depth, at depth 20 without a timeline, and by the number of counters in the group.
setting randomize_va_space 0

cost() { # cost NAME DEPTH EVENTS [TIMELINE]
	for period in 1000000 250000; do
		collect "cost_$1_$period" FLAMETRAP_EVENTS="$3" FLAMETRAP_PERIOD=$period \
			FLAMETRAP_TIMELINE="${4:-yes}" /targets/depth "$2" 60000000
	done
}

for depth in 5 20 60 127; do
	run plain_depth_$depth /targets/depth $depth 60000000
	cost depth_$depth $depth cycles:u
done
cost again 20 cycles:u
cost timeless 20 cycles:u no
cost members_2 20 '{cycles,instructions}:u'
cost members_3 20 '{cycles,instructions,page-faults}:u'
cost members_4 20 '{cycles,instructions,page-faults,task-clock}:u'
