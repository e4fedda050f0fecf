/* Not yet: the target's handler is called from ours, on the alternate stack. */
#include "preload/signals/signal_relay.h"

bool signal_frame_is_able(void)
{
	return false;
}

bool signal_frame_enter(ucontext_t *context, const struct signal_frame_call *call)
{
	(void)context;
	(void)call;
	return false;
}

struct signal_relay_entries signal_relay_entries(void)
{
	return (struct signal_relay_entries){ 0 };
}
