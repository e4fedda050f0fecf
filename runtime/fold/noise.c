/*
 * Names are those of Linux 5.10 to 6.17 on x86-64 and aarch64.  The outermost frame decides, so
 * only entries need to be listed, and what may also be met without its entry.
 */
#include "runtime/fold/noise.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "config/glob.h"
#include "runtime/fold/stacks.h"

bool noise_is(const char *name)
{
	static const char *const patterns[] = {
		"asm_sysvec_*_[[]k]",
		"sysvec_*_[[]k]",
		"__sysvec_*_[[]k]",
		"asm_common_interrupt_[[]k]",
		"common_interrupt_[[]k]",
		"*apic_timer_interrupt_[[]k]",
		"hrtimer_interrupt_[[]k]",
		"ret_from_intr_[[]k]",
		"do_IRQ_[[]k]",
		"irq_e[nx]*_[[]k]",
		"__irq_exit*_[[]k]",
		"*softirq*_[[]k]",
		"asm_exc_nmi*_[[]k]",
		"exc_nmi*_[[]k]",
		"el*_irq*_[[]k]",
		"el*_interrupt*_[[]k]",
		"gic_handle_irq*_[[]k]",
		"preempt_schedule_irq_[[]k]",
		"perf_*_[[]k]",
		"__perf_*_[[]k]",
		"*_pmu_*_[[]k]",
		"[[]preempted]",
		"[[]flametrap]",
	};

	for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++)
		if (glob_match(patterns[i], name))
			return true;
	return false;
}

/* How many of a stack's frames are the program's; the first is its command. */
static size_t own_depth(const char *const *names, size_t depth)
{
	for (size_t i = 1; i < depth; i++)
		if (noise_is(names[i]))
			return i;
	return depth;
}

int noise_cut(struct stacks *stacks, struct stacks **rest, uint64_t *noise)
{
	const char **names = calloc(stacks_depth(stacks) + 1, sizeof(*names));
	struct stacks *made = stacks_new();
	int err = names && made ? 0 : -ENOMEM;

	*noise = 0;
	for (struct stacks_frame *frame = stacks_root(stacks); frame && !err;
	     frame = stacks_next(frame)) {
		size_t depth = frame->self ? stacks_path(frame, names) : 0;

		if (depth && own_depth(names, depth) == depth)
			err = stacks_add(made, names, depth, frame->self);
		else
			*noise += frame->self;
	}
	free(names);
	if (err) {
		stacks_free(made);
		return err;
	}
	stacks_sort(made);
	*rest = made;
	return 0;
}
