/* Owners: threads of processes, and on request each set of labels and each trace of a thread. */
#include <stdio.h>
#include <string.h>

#include "runtime/profile/tree/call_tree.h"
#include "runtime/profile/tree/label_split.h"
#include "runtime/profile/tree/locations.h"
#include "runtime/profile/spool/spool_read.h"

static uint32_t intern(struct locations *locations, const char *text, size_t bytes)
{
	return string_table_intern(locations->strings, text, bytes);
}

/* Returns 0 for the empty text. */
static uint32_t intern_text(struct locations *locations, struct spool_text text)
{
	return text.bytes ? intern(locations, locations->spool->texts + text.at, text.bytes) : 0;
}

static bool has_key(const struct location_label *list, size_t count, uint32_t key)
{
	for (size_t i = 0; i < count; i++)
		if (list[i].key == key)
			return true;
	return false;
}

/* Lists the labels of a set; of several with one key, the latest one counts.  Returns how many. */
static size_t list_labels(struct locations *locations, uint32_t set,
			  struct location_label list[LOCATIONS_LABELS_MAX])
{
	const struct spool_read *spool = locations->spool;
	size_t count = 0, kept = 0;

	for (; set && count < SPOOL_LABEL_SET_MAX; set = spool->labels[set - 1].below) {
		const struct spool_label *label = &spool->labels[set - 1];
		struct location_label made = {
			.key = intern_text(locations, label->key),
			.value = intern_text(locations, label->value),
		};

		if (made.key && !has_key(list, count, made.key))
			list[count++] = made;
	}
	for (size_t i = 0; i < count; i++)
		if (list[i].value)
			list[kept++] = list[i];
	return kept;
}

static void add_id(struct locations *locations, const char *key, const uint8_t *bytes, size_t count,
		   struct location_label *label)
{
	char text[2 * sizeof(((struct spool_read_trace *)NULL)->trace) + 1];

	for (size_t i = 0; i < count; i++)
		snprintf(text + 2 * i, 3, "%02x", bytes[i]);
	*label = (struct location_label){ intern(locations, key, strlen(key)),
					  intern(locations, text, 2 * count) };
}

/* Returns the number of the part's labels; 0: it has none, or memory is out. */
static uint32_t labels_of(struct locations *locations, const struct label_part *part)
{
	struct location_label list[LOCATIONS_LABELS_MAX];
	size_t count = list_labels(locations, part->labels, list);

	if (part->trace) {
		add_id(locations, "trace_id", part->trace->trace, sizeof(part->trace->trace),
		       &list[count++]);
		add_id(locations, "span_id", part->trace->span, sizeof(part->trace->span),
		       &list[count++]);
	}
	return count ? string_table_intern(&locations->labels, (const char *)list,
					   count * sizeof(*list))
		     : 0;
}

uint32_t locations_thread(struct locations *locations, const struct spool_read_thread *thread,
			  const struct label_part *part)
{
	const struct spool_header *header = &locations->spool->header;
	struct location_owner owner = {
		.pid = header->pid,
		.tid = thread->slot.tid,
		.command = intern(locations, header->command, strlen(header->command)),
		.thread = intern(locations, thread->name, strlen(thread->name)),
		.labels = part ? labels_of(locations, part) : 0,
	};
	uint32_t number;

	if (!owner.command || !owner.thread)
		return CALL_TREE_NONE;
	number = string_table_intern(&locations->owners, (const char *)&owner, sizeof(owner));
	return number ? call_tree_child(locations->calls, CALL_TREE_ROOT, number) : CALL_TREE_NONE;
}

size_t locations_labels(const struct locations *locations, uint32_t labels,
			struct location_label list[LOCATIONS_LABELS_MAX])
{
	size_t bytes = labels ? string_table_length(&locations->labels, labels) : 0;

	memcpy(list, labels ? string_table_text(&locations->labels, labels) : "", bytes);
	return bytes / sizeof(list[0]);
}

struct location_owner locations_owner(const struct locations *locations, uint32_t owner)
{
	struct location_owner found;

	memcpy(&found, string_table_text(&locations->owners, owner), sizeof(found));
	return found;
}
