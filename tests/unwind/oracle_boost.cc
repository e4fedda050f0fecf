// Boost's fibers under the oracle: its switch is assembly without unwind information.
//   oracle_boost
#include <cstdio>

#if __has_include(<boost/context/detail/fcontext.hpp>)
#include <sys/mman.h>

#include <boost/context/detail/fcontext.hpp>

#include "tests/unwind/oracle.h"

namespace fcontext = boost::context::detail;

extern "C" void oracle_shapes_below(unsigned levels, void (*function)(void));

namespace
{

constexpr unsigned FIBERS = 3, ROUNDS = 3, LEVELS = 30;
constexpr size_t STACK_BYTES = 1 << 20;

fcontext::transfer_t from;
char text[64];

void back()
{
	snprintf(text, sizeof(text), "%p", from.fctx);
	from = fcontext::jump_fcontext(from.fctx, nullptr);
}

void first(fcontext::transfer_t transfer)
{
	from = transfer;
	for (;;)
		oracle_shapes_below(LEVELS, back);
}

void run(void *)
{
	fcontext::fcontext_t fibers[FIBERS];

	for (auto &fiber : fibers) {
		char *stack = static_cast<char *>(mmap(nullptr, STACK_BYTES, PROT_READ | PROT_WRITE,
						       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));

		oracle_stack(stack, STACK_BYTES, reinterpret_cast<void (*)()>(first));
		fiber = fcontext::make_fcontext(stack + STACK_BYTES, STACK_BYTES, first);
	}
	for (unsigned i = 0; i < ROUNDS * FIBERS; i++)
		fibers[i % FIBERS] = fcontext::jump_fcontext(fibers[i % FIBERS], nullptr).fctx;
}

} // namespace

int main()
{
	if (oracle_start())
		return 99;
	oracle_run(run, nullptr, 400000);
	oracle_print_counts(stdout);
	oracle_print_wrong(stdout, 40);
	puts("oracle_boost: end");
	return 0;
}
#else
int main()
{
	puts("Boost's headers are not installed");
	return 77;
}
#endif
