# An ordinary user under each setting of perf_event_paranoid that Debian knows.
uname -r
cat /proc/sys/kernel/perf_event_paranoid >/out/paranoid
for level in 3 2 1; do
	setting perf_event_paranoid $level
	collect user_$level FLAMETRAP_EVENTS=cycles FLAMETRAP_PERIOD=1000000 \
		/targets/as_user /targets/shares
	collect kernel_$level FLAMETRAP_EVENTS=cycles FLAMETRAP_PERIOD=100000 \
		/targets/as_user /targets/zeroes
done
profile named_1 FLAMETRAP_EVENTS=cycles FLAMETRAP_PERIOD=100000 /targets/as_user /targets/zeroes
setting perf_event_paranoid 2
profile silent_2 FLAMETRAP_EVENTS=cycles FLAMETRAP_PERIOD=4000000000 /targets/as_user /targets/zeroes
setting perf_event_paranoid 3
setting kptr_restrict 0
collect root FLAMETRAP_EVENTS=cycles FLAMETRAP_PERIOD=100000 /targets/zeroes
profile root_named FLAMETRAP_EVENTS=cycles FLAMETRAP_PERIOD=100000 /targets/zeroes
collect insisted FLAMETRAP_EVENTS=cycles FLAMETRAP_PERIOD=100000 FLAMETRAP_KERNEL=yes \
	/targets/zeroes

# A watchpoint would never get past the first write.
collect watched FLAMETRAP_EVENTS=mem:watched/8:w timeout 20 /targets/watched
run watch flametrap watch watched:w /targets/watched

# The kernel lowers this by itself on a slow machine.
setting perf_event_max_sample_rate 500
collect fast FLAMETRAP_EVENTS=task-clock FLAMETRAP_FREQUENCY=4000 /targets/lowered /dev/null 0
setting perf_event_max_sample_rate 100000
collect lowered FLAMETRAP_EVENTS=task-clock FLAMETRAP_FREQUENCY=4000 \
	/targets/lowered /proc/sys/kernel/perf_event_max_sample_rate 500
setting perf_event_max_sample_rate 100000
