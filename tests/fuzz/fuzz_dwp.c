/* For any contents of a package of split DWARF: looking its units up ends and stays inside it. */
#include "runtime/profile/debuginfo/dwp.h"
#include "runtime/profile/debuginfo/elfutils.h"
#include "tests/fuzz/fuzz.h"

#define UNITS_MOST 64

/* A unit that can be found is no larger than the file's own bytes allow it to be. */
static void unpack(const struct dwp *dwp, uint64_t id)
{
	struct stat st;
	int fd = dwp_unpack(dwp, id);

	if (fd < 0)
		return;
	CHECK(!fstat(fd, &st) && st.st_size > 0);
	close(fd);
}

/* The numbers of units are among the bytes of the index, somewhere in the file. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct dwp *dwp;
	unsigned units = 0;

	CHECK(!elfutils_open());
	if (dwp_open(fuzz_path(data, size), &dwp))
		return 0;
	for (size_t at = 0; at + sizeof(uint64_t) <= size && units < UNITS_MOST; at++) {
		uint64_t id;

		memcpy(&id, data + at, sizeof(id));
		if (dwp_look(dwp, id))
			continue;
		unpack(dwp, id);
		units++;
	}
	dwp_close(dwp);
	return 0;
}
