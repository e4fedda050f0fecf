/*
 * One line for each node with a weight.  Nothing is merged or sorted, which readers of folded
 * stacks accept.  Nothing is allocated: there is one static line buffer.
 */
#include "preload/process/fallback.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "config/text/text.h"
#include "preload/process/fallback_code.h"
#include "runtime/sample/session.h"
#include "runtime/sample/sys/sys.h"
#include "runtime/spool/format_code.h"
#include "runtime/spool/spool_settings.h"

#define DEPTH_MAX      1024
#define LINE_MAX_BYTES 65536

struct writer {
	int fd;
	int err;
	unsigned counter;
	bool orderly;
	struct text line;
};

static void add_frame_text(struct text *line, const char *name)
{
	for (; *name; name++) {
		char byte = *name == ';' ? ':' : *name;

		text_add_bytes(line, &byte, 1);
	}
}

static void add_module(struct text *line, const struct spool_module *module, uint64_t pc)
{
	const char *slash = strrchr(module->path, '/');

	text_add(line, ";");
	add_frame_text(line, slash ? slash + 1 : module->path);
	text_add(line, "@0x");
	text_hex(line, pc - module->bias);
}

/* The chunk at an offset, or NULL past the end of a list. */
static const struct spool_chunk *chunk_at(uint64_t offset)
{
	return offset ? spool_alloc_at(&session.spool, offset) : NULL;
}

static const void *content(const struct spool_chunk *chunk)
{
	return (const char *)chunk + SPOOL_CHUNK_HEAD;
}

static const struct spool_module *module_of(uint64_t pc)
{
	const struct spool_chunk *chunk = chunk_at(session.spool.header->first_module);

	for (; chunk; chunk = chunk_at(chunk->next)) {
		const struct spool_module *entries = content(chunk);

		for (uint32_t i = 0; i < chunk->count; i++)
			if (pc >= entries[i].start && pc < entries[i].end)
				return &entries[i];
	}
	return NULL;
}

static void add_frame(struct writer *writer, uint64_t pc)
{
	const struct spool_module *module = module_of(pc);
	Dl_info info;

	if (pc == SPOOL_PC_TRUNCATED)
		text_add(&writer->line, ";[truncated]");
	else if (pc == SPOOL_PC_OVERFLOW)
		text_add(&writer->line, ";[overflow]");
	else if ((int64_t)pc < 0)
		text_add(&writer->line, ";[kernel]_[k]");
	else if (fallback_code_is(pc)) {
		text_add(&writer->line, ";");
		fallback_code_add(&writer->line, pc);
	} else if (module && writer->orderly && dladdr((void *)pc, &info) &&
		   info.dli_sname) { /* NOLINT */
		text_add(&writer->line, ";");
		add_frame_text(&writer->line, info.dli_sname);
	} else if (module)
		add_module(&writer->line, module, pc);
	else
		text_add(&writer->line, ";[unknown]");
}

static const struct spool_node *node_at(uint32_t reference)
{
	return spool_alloc_at(&session.spool, (uint64_t)reference * SPOOL_NODE_UNIT);
}

static void write_node(struct writer *writer, const struct spool_node *node)
{
	static char bytes[LINE_MAX_BYTES];
	const struct spool_node *frames[DEPTH_MAX];
	const struct spool_header *header = session.spool.header;
	bool by_events = spool_settings_weigh_events(&header->counter[writer->counter],
						     spool_settings_weight(header->weight));
	uint64_t value = by_events ? node->weight[writer->counter].events
				   : node->weight[writer->counter].samples;
	unsigned depth = 0;

	if (!value)
		return;
	for (frames[depth++] = node; node->parent && depth < DEPTH_MAX; frames[depth++] = node)
		node = node_at(node->parent);
	writer->line = text_into(bytes, sizeof(bytes) - 32);
	add_frame_text(&writer->line, header->command);
	while (depth)
		add_frame(writer, frames[--depth]->pc);
	writer->line.size = sizeof(bytes);
	text_add(&writer->line, " ");
	text_number(&writer->line, value);
	text_add(&writer->line, "\n");
	if (sys_write(writer->fd, bytes, writer->line.used) != (long)writer->line.used)
		writer->err = -EIO;
}

static void write_tree(struct writer *writer, uint64_t offset)
{
	size_t node_bytes = session.spool.header->node_bytes;
	const struct spool_chunk *chunk = chunk_at(offset);

	for (; chunk; chunk = chunk_at(chunk->next))
		for (uint32_t i = 0; i < chunk->count; i++)
			write_node(writer,
				   (const void *)((const char *)content(chunk) + i * node_bytes));
}

static void write_threads(struct writer *writer)
{
	const struct spool_chunk *chunk = chunk_at(session.spool.header->first_thread);

	for (; chunk; chunk = chunk_at(chunk->next)) {
		const struct spool_thread *slots = content(chunk);

		for (uint32_t i = 0; i < chunk->count; i++)
			if (slots[i].state != SPOOL_THREAD_FREE)
				write_tree(writer, slots[i].first_chunk);
	}
}

static void add_counter_name(struct text *path, const char *name)
{
	text_add(path, ".");
	for (; *name; name++)
		text_add_bytes(path, *name == ':' || *name == '/' ? "-" : name, 1);
}

static int write_counter(unsigned counter, bool orderly)
{
	char path[SPOOL_TEXT_MAX + SPOOL_NAME_MAX], unfinished[sizeof(path) + 32];
	struct writer writer = { .counter = counter, .orderly = orderly };
	struct text text = text_into(path, sizeof(path));
	struct text before = text_into(unfinished, sizeof(unfinished));
	int err;

	text_add(&text, session.spool.header->output);
	if (session.spool.header->counter_count > 1)
		add_counter_name(&text, session.spool.header->counter[counter].name);
	text_add(&text, ".folded");
	text_add(&before, path);
	text_add(&before, ".");
	text_number(&before, (uint64_t)session.pid);
	writer.fd =
		sys_open(unfinished, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
	if (writer.fd < 0)
		return writer.fd;
	write_threads(&writer);
	sys_close(writer.fd);
	err = writer.err ? writer.err : sys_rename_new(unfinished, path);
	if (err)
		sys_unlink(unfinished);
	return err;
}

int fallback_write(bool orderly)
{
	int err = 0;

	for (unsigned i = 0; i < session.spool.header->counter_count && !err; i++)
		err = write_counter(i, orderly);
	return err;
}
