/*
 * Names are those of Linux 5.10 to 6.17 on x86-64 and aarch64.  The outermost frame decides, so the
 * list needs only entry functions, and functions that may appear without their entry.
 */
#include "runtime/fold/report/noise.h"

#include <string.h>

#include "config/text/glob.h"
#include "runtime/fold/profile/frame_tree.h"

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

struct cut {
	struct frame_tree_remaking remaking;
	uint64_t noise;
};

static int add_own(void *context, const char **names, size_t depth, uint64_t value)
{
	struct cut *cut = context;

	for (size_t i = 1; i < depth; i++) /* the first is the command */
		if (noise_is(names[i])) {
			cut->noise += value;
			return 0;
		}
	return frame_tree_add(cut->remaking.made, names, depth, value);
}

int noise_cut(struct frame_tree *tree, struct frame_tree **rest, uint64_t *noise)
{
	struct cut cut = { .noise = 0 };
	int err = frame_tree_remake(tree, add_own, &cut.remaking, rest);

	*noise = cut.noise;
	return err;
}
