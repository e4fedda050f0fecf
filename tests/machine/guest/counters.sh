# The hardware counters: groups, exact periods, both ways of being told, threads.
count_exactly
collect finer FLAMETRAP_EVENTS=cycles:u FLAMETRAP_PERIOD=250000 /targets/shares
run command flametrap -e cycles:u -c 1000000 -o /out/command/p /targets/shares
run recipe flametrap -e '{cycles,instructions,cache-misses}:u' --weight events -c 1000000 \
	-o /out/recipe/p /targets/shares
run own_names flametrap -e '{CPU_CYCLES,INST_RETIRED}:u' -c 1000000 --weight events \
	-o /out/own_names/p /targets/shares
run own_list flametrap events '*RETIRED*'
# shellcheck disable=SC2154  # count_exactly sets it
collect sigio FLAMETRAP_EVENTS="$group" FLAMETRAP_PERIOD=1000000 FLAMETRAP_NOTIFY=sigio \
	/targets/shares
start_helper ticker
collect instructions FLAMETRAP_EVENTS=instructions:u FLAMETRAP_PERIOD=1000000 /targets/shares
stop_helper
collect crowded FLAMETRAP_EVENTS="$(many 9 cycles),task-clock" FLAMETRAP_PERIOD=1000000 \
	/targets/shares
start_helper hog 4
collect starved FLAMETRAP_EVENTS="$(many 4 instructions),task-clock" /targets/shares
profile starved_said FLAMETRAP_EVENTS="$(many 4 instructions),task-clock" /targets/shares
collect fitting FLAMETRAP_EVENTS="$(many 2 instructions),task-clock" /targets/shares
stop_helper
for access in 0 1; do
	setting perf_user_access $access
	collect reads_$access FLAMETRAP_EVENTS="$group" FLAMETRAP_PERIOD=1000000 /targets/shares
	report reads_$access
done
for period in 7001 8009 9001; do
	collect lazy_$period FLAMETRAP_EVENTS=cycles:u FLAMETRAP_PERIOD=$period /targets/lazy
	report lazy_$period
done
