/*
 * fork while another thread is in the middle of dlopen(3).  In the child the loader's list stays
 * half changed, and a call that asks the loader to open an object kills the child.  The test
 * simulates the thread by setting the state that it would have left.
 */
#include "tests/preload/targets/target.h"

#define BURN_NS 20000000

/* The loader's own, not a copy that a reference would make. */
static struct r_debug *loader(void)
{
	for (const ElfW(Dyn) *entry = _DYNAMIC; entry->d_tag != DT_NULL; entry++)
		if (entry->d_tag == DT_DEBUG)
			return (struct r_debug *)entry->d_un.d_ptr;
	_exit(2);
}

int main(void)
{
	struct r_debug *debug = loader();
	int status = -1;
	pid_t child;

	work_burn(BURN_NS);
	debug->r_state = RT_ADD;
	child = fork();
	if (!child) {
		work_burn(BURN_NS);
		_exit(5);
	}
	debug->r_state = RT_CONSISTENT;
	if (child != waitpid(child, &status, 0))
		return 1;
	printf("child %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
	return 7;
}
