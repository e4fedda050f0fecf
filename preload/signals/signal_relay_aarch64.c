/* Not yet: frames are not made (signal_frame_aarch64.c). */
#include "preload/signals/signal_relay.h"

struct signal_relay_entries signal_relay_entries(void)
{
	return (struct signal_relay_entries){ 0 };
}
