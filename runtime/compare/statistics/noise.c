/*
 * Names are those of Linux 5.10 to 6.17 on x86-64 and aarch64.  The outermost frame decides, so the
 * list needs only entry functions, and functions that may appear without their entry.
 */
#include "runtime/compare/statistics/noise.h"

#include "config/text/glob.h"

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
