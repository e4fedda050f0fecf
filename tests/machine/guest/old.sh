# A kernel from before SIGTRAP on overflow: the next rung of the ladder takes over.
count_exactly
run refused /targets/events refused
profile insisted FLAMETRAP_EVENTS=cycles:u FLAMETRAP_NOTIFY=sigtrap /targets/shares
