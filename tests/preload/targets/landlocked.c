/*
 * Work, then give up all files by landlock(7), as xz does, and work on.
 *   landlocked MILLISECONDS
 * Ends with 7, or with 77 where the kernel has no Landlock.
 */
#include <linux/landlock.h>

#include "tests/preload/targets/target.h"

static int enter(void)
{
	struct landlock_ruleset_attr all = {
		.handled_access_fs = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE |
				     LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR |
				     LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_REG
	};
	long rules = syscall(SYS_landlock_create_ruleset, &all, sizeof(all), 0);

	if (rules < 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -1;
	return (int)syscall(SYS_landlock_restrict_self, rules, 0);
}

int main(int argc, char **argv)
{
	uint64_t burn_ns = argc > 1 ? strtoull(argv[1], NULL, 10) * 1000000 : 0;

	work_burn(burn_ns);
	if (enter())
		return 77;
	work_burn(burn_ns);
	puts("ok");
	return 7;
}
