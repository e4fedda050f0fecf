/* Memory and children. */
#include "tests/support/system.h"

#include "tests/support/unit.h"

void *pages_new(size_t bytes)
{
	void *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(pages, MAP_FAILED);
	return pages;
}

int child_end(pid_t child)
{
	int status = 0;

	assert_true(child > 0);
	while (waitpid(child, &status, 0) < 0)
		;
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}
