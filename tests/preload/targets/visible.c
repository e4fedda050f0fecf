/*
 * Prints "NAME OBJECT" for names that a profiler might leak: the object that defines each, seen
 * from the global scope.
 */
#include "tests/preload/targets/target.h"

int main(void)
{
	static const char *const names[] = {
		"_Unwind_Backtrace",
		"_Unwind_RaiseException",
		"_Unwind_GetIP",
		"_Unwind_Find_FDE",
		"_Unwind_Resume",
		"unw_step",
		"unw_backtrace",
		"unw_init_local",
		"unw_getcontext",
		"_Ux86_64_getcontext",
		"_ULx86_64_step",
		"backtrace",
		"lzma_code",
		"dwfl_begin",
		"malloc",
		"free",
		"dladdr",
		"dl_iterate_phdr",
		"_Ux86_64_create_addr_space",
	};

	for (unsigned i = 0; i < COUNT(names); i++) {
		void *address = dlsym(RTLD_DEFAULT, names[i]);
		Dl_info info;
		const char *base = "-";

		if (address && dladdr(address, &info)) {
			base = strrchr(info.dli_fname, '/');
			base = base ? base + 1 : info.dli_fname;
		}
		printf("%s %s\n", names[i], base);
	}
	return 0;
}
