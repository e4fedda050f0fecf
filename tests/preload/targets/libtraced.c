/* An object with the variable of OTEP 4947, as an SDK's native library has it. */
#include "tests/preload/targets/traced.h"

__attribute__((visibility("default"), retain)) __thread struct traced_record *otel_thread_ctx_v1;

void traced_publish(struct traced_record *record)
{
	otel_thread_ctx_v1 = record;
	atomic_signal_fence(memory_order_seq_cst);
}
