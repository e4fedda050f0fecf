# A machine without counters.
uname -r
collect default /targets/shares
profile default_named /targets/shares
collect asked FLAMETRAP_EVENTS=cycles /targets/shares
profile strict FLAMETRAP_EVENTS=cycles FLAMETRAP_NOTIFY=sigtrap /targets/shares
collect timer FLAMETRAP_NOTIFY=timer /targets/shares
