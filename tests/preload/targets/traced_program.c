/* A program that has the variable of OTEP 4947 itself; it is linked with -rdynamic.  Works three
 * times as long under one trace as under another, in the main thread and in a thread. */
#include "tests/preload/targets/traced.h"

__attribute__((visibility("default"))) __thread struct traced_record *otel_thread_ctx_v1;
static __thread char before[40] = "other data of the block"; /* so that it is not at its start */

static void *work(void *argument)
{
	static _Thread_local struct traced_record record;
	int trace = *(int *)argument;

	before[0] = 'O';
	for (int i = 0; i < 10; i++) {
		traced_fill(&record, trace, 1);
		otel_thread_ctx_v1 = &record;
		traced_burn(30);
		otel_thread_ctx_v1 = 0;
		atomic_signal_fence(memory_order_seq_cst);
		traced_fill(&record, trace, 2);
		otel_thread_ctx_v1 = &record;
		traced_burn(10);
		otel_thread_ctx_v1 = 0;
		atomic_signal_fence(memory_order_seq_cst);
	}
	return 0;
}

int main(void)
{
	int traces[] = { 0x11, 0x22 };

	traced_burn(100);
	work(&traces[0]);
	run_threads(1, work, &traces[1]);
	return before[0] != 'O';
}
