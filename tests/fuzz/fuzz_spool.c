/* For any contents of a spool: reading it ends, stays inside it, and gives a tree that can be
 * folded. */
#include <sys/mman.h>
#include <unistd.h>

#include "runtime/fold/spool/spool_read.h"
#include "runtime/fold/symbols/modules.h"
#include "tests/fuzz/spool_changes.h"
#include "tests/support/spool_builder.h"
#include "tests/fuzz/fuzz.h"

static void check_code(const struct spool_read *spool, const struct spool_code *code)
{
	const struct spool_text texts[] = { code->name, code->qualified, code->file, code->table };

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		CHECK((uint64_t)texts[i].at + texts[i].bytes <= spool->text_bytes &&
		      texts[i].bytes <= SPOOL_CODE_TABLE_MAX);
}

static void check(const struct spool_read *spool)
{
	struct modules *modules = modules_new(spool->modules, spool->module_count);

	for (size_t t = 0; t < spool->thread_count; t++) {
		const struct spool_read_thread *thread = &spool->threads[t];

		for (size_t i = 0; i < thread->node_count; i++) {
			const struct spool_read_node *node = &thread->nodes[i];
			const struct spool_module *module;

			CHECK(node->parent < i || node->parent == SPOOL_READ_ROOT ||
			      (node->parent == SPOOL_READ_ORPHAN && spool->damaged));
			module = modules_find(modules, node->pc, node->generation);
			CHECK(!module || (module->start <= node->pc && node->pc < module->end));
			CHECK(!spool_code_is(node->pc) ||
			      spool_code_of(node->pc) <= spool->code_count);
		}
	}
	for (size_t i = 0; i < spool->code_count; i++)
		check_code(spool, &spool->codes[i]);
	CHECK(!spool->texts || !spool->texts[spool->text_bytes]);
	modules_free(modules);
}

/* Two modules, two threads, two chunks of nodes, two functions of an interpreter. */
static struct spool_builder base(void)
{
	struct spool_builder builder = spool_builder_new(1, 1 << 20);
	struct spool_builder_thread first = spool_builder_thread(&builder, 1, "first");
	struct spool_builder_thread second = spool_builder_thread(&builder, 2, "second");
	uint32_t parent = 0, number;

	spool_builder_module(&builder, 0x1000, 0x3000, 0, "/bin/program");
	spool_builder_module(&builder, 0x2000, 0x4000, 0, "/lib/library.so")->until = 1;
	for (unsigned i = 0; i < 300; i++) {
		parent = spool_builder_node(&builder, &first, 0x1000 + i * 16, parent);
		spool_builder_weigh(&builder, parent, 0, 1, 10);
	}
	parent = spool_builder_node(&builder, &second, 0x2000, 0);
	spool_builder_code(&builder, "outer", "/program.py", &number);
	spool_builder_code(&builder, "inner", "/module.py", &number);
	spool_builder_node(&builder, &second, spool_code_pc(number, 3), parent);
	return builder;
}

/* An input that starts as a spool is one.  Any other is a list of changes to a sound one. */
static int make_file(const uint8_t *data, size_t size)
{
	static struct spool_builder builder;
	uint64_t magic = SPOOL_MAGIC;
	size_t used = 12 * SPOOL_CHUNK_BYTES;
	static int fd = -1;

	if (fd < 0)
		fd = memfd_create("fuzz", MFD_CLOEXEC);
	CHECK(fd >= 0 && !ftruncate(fd, 0));
	if (size >= 8 && !memcmp(data, &magic, 8)) {
		CHECK(pwrite(fd, data, size, 0) == (ssize_t)size);
		return fd;
	}
	builder = base();
	spool_changes_apply(&builder, 256, data, size);
	CHECK(pwrite(fd, builder.bytes, used, 0) == (ssize_t)used);
	CHECK(!ftruncate(fd, (off_t)builder.size_bytes));
	spool_builder_free(&builder);
	return fd;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct spool_read spool;
	char line[512];
	int result = spool_read_fd(make_file(data, size), "fuzz", &spool, line, sizeof(line));

	if (result < 0)
		return 0;
	CHECK(result == spool.damaged);
	check(&spool);
	spool_read_free(&spool);
	return 0;
}
