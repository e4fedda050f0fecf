/* as_user COMMAND…: run the command as the ordinary user 1000.  Linked statically, so that
 * libraries preloaded into the command are not loaded here. */
#include <grp.h>

#include "tests/support/libc.h"

#define USER 1000

int main(int argc, char **argv)
{
	if (argc < 2)
		return 2;
	if (setgroups(0, NULL) || setresgid(USER, USER, USER) || setresuid(USER, USER, USER)) {
		perror("as_user");
		return 125;
	}
	execv(argv[1], argv + 1);
	perror(argv[1]);
	return 127;
}
