# What one sample costs in user-side instructions, by depth: the same loop without the shim,
# and with it at two periods.
for depth in 5 20 60 127; do
	run plain_$depth /targets/depth $depth 60000000
	for period in 1000000 250000; do
		collect cost_${depth}_$period FLAMETRAP_EVENTS=cycles:u FLAMETRAP_PERIOD=$period \
			/targets/depth $depth 60000000
	done
done
