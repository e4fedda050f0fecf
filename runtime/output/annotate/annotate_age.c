/*
 * Times of files are those of their last change, which copying may make later but not earlier.  So
 * a file that looks old is one, and a file that looks new may be as it was.
 */
#include "runtime/output/annotate/annotate_age.h"

#include <sys/stat.h>

#include "runtime/profile/merge/profile.h"
#include "runtime/profile/merge/profile_summary.h"

#define NS_PER_S 1000000000u

uint64_t annotate_age_changed(const char *path)
{
	struct stat st;

	if (path[0] != '/' || stat(path, &st) || st.st_mtim.tv_sec < 0)
		return 0;
	return (uint64_t)st.st_mtim.tv_sec * NS_PER_S + (uint64_t)st.st_mtim.tv_nsec;
}

uint64_t annotate_age_ended(const struct profile *profile)
{
	const struct profile_summary *summary = profile_summary(profile);

	if (summary->running || !summary->start_realtime_ns || !summary->wall_ns)
		return UINT64_MAX;
	return summary->start_realtime_ns + summary->wall_ns;
}

bool annotate_age_is_newer(const char *path, uint64_t than)
{
	return annotate_age_changed(path) > than;
}
