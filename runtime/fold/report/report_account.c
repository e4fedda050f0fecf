/*
 * A multiplexed counter has counted for running_ns of enabled_ns.
 */
#include "runtime/fold/report/report_account.h"

#include "runtime/fold/profile/profile.h"

bool report_account_is_scaled(const struct profile_total *total)
{
	return total->running_ns && total->running_ns < total->enabled_ns;
}

/* Estimates the count of the counter without multiplexing. */
static uint64_t scaled(const struct profile_total *total)
{
	if (!report_account_is_scaled(total))
		return total->counted;
	return (uint64_t)((double)total->counted * (double)total->enabled_ns /
			  (double)total->running_ns);
}

struct report_account report_account_of(const struct profile_total *total)
{
	struct report_account account = {
		.counts = total->counted != 0,
		.counted = scaled(total),
		.in_stacks = total->events,
	};
	uint64_t accounted = total->events + total->dropped + total->paused;

	if (!account.counts)
		return account;
	account.paused = total->paused;
	account.lost = total->dropped;
	account.unsampled = account.counted > accounted ? account.counted - accounted : 0;
	return account;
}
