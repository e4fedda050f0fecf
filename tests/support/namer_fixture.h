/* A namer of the functions of a spool, for tests; unit_teardown() frees it. */
#ifndef TESTS_SUPPORT_NAMER_FIXTURE_H
#define TESTS_SUPPORT_NAMER_FIXTURE_H

#include "runtime/profile/base/string_table.h"
#include "runtime/profile/spool/spool_read.h"
#include "runtime/profile/symbols/namer.h"

extern struct namer_fixture {
	struct string_table strings;
	struct machine *machine;
	struct namer *namer; /* of one spool, which must outlive the case */
} namer_fixture;

void namer_fixture_begin(const struct spool_read *spool);
int namer_fixture_end(void);

#endif
