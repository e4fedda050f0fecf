/*
 * The functions behind flametrap.h.  What a thread asks for again and again takes one system call
 * and no lock.  A signal handler of the program that interrupts one of them in the same thread may
 * call them, too: new labels are made with all signals blocked.
 */
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/uio.h>

#include "preload/labels/flametrap.h"
#include "runtime/sample/elf/memory.h"
#include "runtime/sample/labels/label_table.h"
#include "runtime/sample/labels/labels.h"
#include "runtime/sample/session/session.h"
#include "runtime/sample/session/thread.h"
#include "runtime/sample/store/script_table.h"
#include "runtime/sample/sys/sys.h"
#include "runtime/sample/sys/thread_pointer.h"
#include "runtime/spool/format_log.h"

#define PAGE_BYTES 4096UL

/* A text of the program, and where a copy goes, which has room for max + 1 bytes.  Without us
 * nobody would read it, so a pointer that leads nowhere must not crash.  The kernel copies the
 * texts, both of a label by one call: the program, or another thread of it, may unmap or protect
 * their pages at any instant.  Nothing that is known of a page outlives a call. */
struct source {
	const char *from;
	uint32_t max; /* bytes; a cut never splits a character of UTF-8 */
	char *into;
};

/* The bytes up to the end of the page, at most what a text and its NUL may have. */
static size_t part_of(const struct source *source, size_t from)
{
	size_t page = PAGE_BYTES - ((uintptr_t)source->from + from) % PAGE_BYTES;
	size_t left = source->max + 1 - from;

	return page < left ? page : left;
}

/* Returns the start of the character that `at` is in, or an earlier place if it is no UTF-8. */
static uint32_t cut(const char *text, uint32_t at)
{
	for (unsigned i = 0; i < 3 && at && ((unsigned char)text[at] & 0xc0) == 0x80; i++)
		at--;
	return at;
}

/* Goes on behind the first `had` bytes, which were copied, to the end of the text. */
static bool finish(const struct source *source, size_t had, struct label_text *text)
{
	size_t count = strnlen(source->into, had), part;

	while (count == had && had <= source->max) {
		part = part_of(source, had);
		if (!memory_copy(source->into + had, (uintptr_t)source->from + had, part))
			return false;
		had += part;
		count += strnlen(source->into + count, part);
	}
	if (count > source->max)
		count = cut(source->into, source->max);
	*text = (struct label_text){ source->into, (uint32_t)count,
				     script_table_hash(source->into, count) };
	return true;
}

/* Copies both texts; the results refer to the copies.  False: not all of them is readable.  Makes
 * one system call, and another one for a text that goes on in the next page. */
static bool read_texts(const struct source *key, const struct source *value,
		       struct label_text *key_text, struct label_text *value_text)
{
	size_t key_part = part_of(key, 0), value_part = part_of(value, 0);
	const struct iovec to[] = { { key->into, key_part }, { value->into, value_part } };
	const struct iovec from[] = { { (void *)(uintptr_t)key->from, key_part },
				      { (void *)(uintptr_t)value->from, value_part } };
	size_t copied = memory_copy_vector(to, from, 2);

	return finish(key, copied < key_part ? 0 : key_part, key_text) &&
	       finish(value, copied < key_part + value_part ? 0 : value_part, value_text);
}

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

static bool may_write(void)
{
	return !sys_is_quiet() && !atomic_load_explicit(&session.stopping, memory_order_relaxed) &&
	       session_is_here();
}

static void change(const char *key, const char *value)
{
	char key_bytes[SPOOL_LABEL_KEY_MAX + 1], value_bytes[SPOOL_LABEL_VALUE_MAX + 1];
	const struct source from_key = { key, SPOOL_LABEL_KEY_MAX, key_bytes };
	const struct source from_value = { value ? value : "", SPOOL_LABEL_VALUE_MAX, value_bytes };
	struct label_text key_text, value_text;

	if (!key || !read_texts(&from_key, &from_value, &key_text, &value_text) || !key_text.count)
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
