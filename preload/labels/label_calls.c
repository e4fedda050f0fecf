/*
 * The functions behind flametrap.h.  What a thread asks for again and again takes one system call
 * and no lock.  A signal handler of the program that interrupts one of them in the same thread may
 * call them, too: new labels are made with all signals blocked.
 */
#include <errno.h>
#include <stddef.h>

#include "preload/labels/flametrap.h"
#include "preload/labels/label_text.h"
#include "runtime/sample/session/session.h"
#include "runtime/sample/labels/labels.h"
#include "runtime/sample/sys/sys.h"
#include "runtime/sample/sys/thread_pointer.h"
#include "runtime/sample/session/thread.h"
#include "runtime/spool/format_log.h"

static struct labels *carried(void)
{
	return thread_self ? &thread_self->labels : NULL;
}

/* In a task whose thread pointer is not libc's there are no labels. */
static bool is_used(void)
{
	return atomic_load_explicit(&session.active, memory_order_acquire) &&
	       label_table_is_used() && thread_pointer_is_known();
}

/* True if the spool may be written to now. */
static bool may_write(void)
{
	return !sys_is_quiet() && !atomic_load_explicit(&session.stopping, memory_order_relaxed) &&
	       session_is_here();
}

static void change(const char *key, const char *value)
{
	char key_bytes[SPOOL_LABEL_KEY_MAX + 1], value_bytes[SPOOL_LABEL_VALUE_MAX + 1];
	const struct label_source from_key = { key, SPOOL_LABEL_KEY_MAX, key_bytes };
	const struct label_source from_value = { value ? value : "", SPOOL_LABEL_VALUE_MAX,
						 value_bytes };
	struct label_text key_text, value_text;

	if (!key || !label_text_read(&from_key, &from_value, &key_text, &value_text) ||
	    !key_text.count)
		return;
	if (!labels_change(carried(), &key_text, &value_text) && may_write())
		labels_make(carried(), &key_text, &value_text);
}

unsigned flametrap_label_v1(const char *key, const char *value)
{
	unsigned before;
	int saved;

	if (!is_used())
		return 0;
	before = labels_own;
	saved = errno;
	change(key, value);
	errno = saved;
	return before;
}

void flametrap_labels_v1(unsigned labels)
{
	int saved;

	if (!is_used() || labels_restore(carried(), labels))
		return;
	saved = errno;
	if (label_table_has(labels) && may_write())
		labels_store(carried(), labels);
	errno = saved;
}
