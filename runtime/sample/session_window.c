/*
 * When samples are wanted: as the settings say, until somebody outside says otherwise in the
 * spool's header.
 */
#include "runtime/sample/session.h"

void session_window_set(const struct settings *settings)
{
	uint64_t now_ns = session_now_ns();

	session.window = (struct session_window){ 0, UINT64_MAX };
	if (settings->start_paused)
		session.window.from_ns = UINT64_MAX;
	else if (settings->start_delay_ns)
		session.window.from_ns = now_ns + settings->start_delay_ns;
	if (settings->stop_after_ns && !settings->start_paused)
		session.window.to_ns = now_ns + settings->start_delay_ns + settings->stop_after_ns;
}

void session_window_keep(void)
{
	const struct spool_header *header = session.store.header;

	session.window.from_ns =
		atomic_load_explicit(&header->window_from_ns, memory_order_relaxed);
	session.window.to_ns = atomic_load_explicit(&header->window_to_ns, memory_order_relaxed);
}

bool session_is_wanted(uint64_t time_ns)
{
	return spool_is_wanted(session.store.header, time_ns);
}

uint64_t session_open_ns(uint64_t time_ns)
{
	const struct spool_header *header = session.store.header;

	return time_ns - atomic_load_explicit(&header->window_from_ns, memory_order_relaxed);
}
