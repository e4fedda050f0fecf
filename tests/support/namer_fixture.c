/* The machine is this one, without files of the kernel's. */
#include "tests/support/namer_fixture.h"

#include "runtime/profile/symbols/machine.h"
#include "tests/support/unit.h"

struct namer_fixture namer_fixture;

void namer_fixture_begin(const struct spool_read *spool)
{
	namer_fixture.machine = machine_new(NULL);
	namer_fixture.namer = namer_new(&namer_fixture.strings, namer_fixture.machine, true, false);
	assert_non_null(namer_fixture.namer);
	assert_int_equal(namer_begin(namer_fixture.namer, spool), 0);
}

int namer_fixture_end(void)
{
	if (!namer_fixture.namer)
		return 0;
	namer_end(namer_fixture.namer);
	namer_free(namer_fixture.namer);
	machine_free(namer_fixture.machine);
	string_table_free(&namer_fixture.strings);
	namer_fixture = (struct namer_fixture){ 0 };
	return 0;
}

UNIT(teardown)
{
	return namer_fixture_end();
}
