/*
 * A name shows that the real one is unknown: "[module]", "module@0x12ab", "[unknown]".  Parents
 * come before their children, so one pass finds the stacks with a frame that a run-time compiler or
 * an interpreter named, and those that end in compiled code.
 */
#include "runtime/profile/analysis/missing_symbols.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/profile/base/grow.h"
#include "runtime/profile/base/map.h"
#include "runtime/profile/base/order.h"
#include "runtime/profile/analysis/truncations.h"
#include "runtime/profile/languages/languages.h"
#include "runtime/profile/spool/spool_read.h"
#include "runtime/profile/symbols/frame_kind.h"
#include "runtime/profile/symbols/kernel.h"
#include "runtime/profile/symbols/modules.h"
#include "runtime/profile/symbols/namer.h"

struct missing_symbols {
	struct namer *namer;
	struct map known; /* {kind, what} to index + 1 */
	struct missing_symbol *list;
	uint32_t count;
	uint64_t samples;
};

/* Recognizes a run-time compiler by the start of a module's file name. */
struct compiler {
	const char *file;
	const char *name;	  /* of the language runtime */
	bool omits_frame_pointer; /* unless an option enables them */
};

static const struct compiler compilers[] = {
	{ "libjvm.so", "java", true },
	{ "libcoreclr.so", ".NET", false },
	{ "libnode.so", "node", false },
	{ "node", "node", false },
};

/* Facts about one process, collected before its stacks are examined. */
struct process {
	const struct spool_read *spool;
	const struct compiler *compiler; /* compiles code in the process; NULL: none known */
	bool *interprets;		 /* by module */
	uint32_t counter;		 /* the counter in use; counter_count: none */
};

/* Facts about the stack from the outermost frame to one node. */
struct stack {
	bool named; /* a run-time compiler or an interpreter named a frame */
	bool cut;   /* it ends in code that a run-time compiler made */
};

/* Of languages whose functions are not found. */
static const char *const interpreters[] = { "lua", "liblua", "libR" };

struct missing_symbols *missing_symbols_new(struct namer *namer)
{
	struct missing_symbols *gaps = calloc(1, sizeof(*gaps));

	if (gaps)
		gaps->namer = namer;
	return gaps;
}

void missing_symbols_free(struct missing_symbols *gaps)
{
	if (!gaps)
		return;
	map_free(&gaps->known);
	free(gaps->list);
	free(gaps);
}

/* Returns true for "python" and "python3.11", but not for "pythonic". */
static bool begins(const char *base, const char *name)
{
	size_t length = strlen(name);

	return strncmp(base, name, length) == 0 && strspn(base + length, ".-0123456789") > 0;
}

static bool is_of(const char *base, const char *name)
{
	return begins(base, name) || strcmp(base, name) == 0;
}

static bool is_interpreter(const char *base)
{
	const char *library = strncmp(base, "lib", 3) == 0 ? base + 3 : base;
	const struct language *language;

	for (size_t i = 0; (language = languages_each(i)); i++)
		if (is_of(library, language->name))
			return true;
	for (size_t i = 0; i < sizeof(interpreters) / sizeof(interpreters[0]); i++)
		if (is_of(base, interpreters[i]))
			return true;
	return false;
}

static const struct compiler *compiler_of(const char *base)
{
	for (size_t i = 0; i < sizeof(compilers) / sizeof(compilers[0]); i++)
		if (strcmp(base, compilers[i].file) == 0 || begins(base, compilers[i].file))
			return &compilers[i];
	return NULL;
}

/* Returns the first counter that samples running code; counter_count if there is none. */
static uint32_t counter_of(const struct spool_header *header)
{
	uint32_t c = 0;

	while (c < header->counter_count && (!(header->counter[c].flags & SPOOL_COUNTER_SAMPLES) ||
					     header->counter[c].flags & SPOOL_COUNTER_OFF_CPU))
		c++;
	return c;
}

/* Returns 0 with process->interprets to be freed, or -ENOMEM. */
static int look_at(struct process *process, const struct spool_read *spool)
{
	*process = (struct process){
		.spool = spool,
		.interprets = calloc(spool->module_count + 1, sizeof(bool)),
		.counter = counter_of(&spool->header),
	};
	for (size_t i = 0; process->interprets && i < spool->module_count; i++) {
		char base[SPOOL_PATH_MAX];

		modules_base(&spool->modules[i], base, sizeof(base));
		process->interprets[i] = is_interpreter(base);
		if (!process->compiler)
			process->compiler = compiler_of(base);
	}
	return process->interprets ? 0 : -ENOMEM;
}

static bool is_nameless(const char *name, const struct spool_module *module)
{
	char base[SPOOL_PATH_MAX];
	size_t length;

	if (name[0] != '[' && !strstr(name, "@0x"))
		return false;
	modules_base(module, base, sizeof(base));
	length = strlen(base);
	if (name[0] == '[')
		return strncmp(name + 1, base, length) == 0 && strcmp(name + 1 + length, "]") == 0;
	return strncmp(name, base, length) == 0 && strncmp(name + length, "@0x", 3) == 0;
}

static bool is_run_time_named(const char *name)
{
	size_t bytes;

	enum frame_kind kind = frame_kind_of(name, &bytes);

	return kind == FRAME_KIND_JIT || kind == FRAME_KIND_INTERP;
}

static int add(struct missing_symbols *gaps, enum missing_symbol_kind kind, const char *text,
	       uint64_t samples)
{
	uint32_t what = namer_text(gaps->namer, text, "");
	uint32_t *known = what ? map_at(&gaps->known, kind, what) : NULL;

	if (!known)
		return -ENOMEM;
	if (!*known) {
		if (!grow(&gaps->list, gaps->count, sizeof(*gaps->list)))
			return -ENOMEM;
		gaps->list[gaps->count++] = (struct missing_symbol){ .kind = kind, .what = what };
		*known = gaps->count;
	}
	gaps->list[*known - 1].samples += samples;
	return 0;
}

/* Returns whether the frame without a known caller is user code that belongs to no file. */
static bool ends_compiled(const struct missing_symbols *gaps, const struct spool_read_node *node)
{
	const struct spool_module *module;

	if (node->pc < SPOOL_PC_LIMIT || kernel_owns(node->pc) || spool_code_is(node->pc))
		return false;
	module = namer_module(gaps->namer, node->pc, node->generation);
	return !module || !module->path[0];
}

/* Computes the facts of a node's stack from those of its parent, which comes first. */
static struct stack stack_of(const struct missing_symbols *gaps,
			     const struct spool_read_thread *thread, const struct stack *stacks,
			     size_t i)
{
	const struct spool_read_node *node = &thread->nodes[i];
	struct stack stack = { 0 };

	if (node->parent >= i)
		return stack;
	stack = stacks[node->parent];
	if (truncations_is_reason(&thread->nodes[node->parent]))
		stack.cut = ends_compiled(gaps, node);
	return stack;
}

/* Add one innermost frame; `named`: as in struct stack. */
static int add_leaf(struct missing_symbols *gaps, const struct process *process,
		    const struct spool_read_node *node, const char *name, bool named,
		    uint64_t samples)
{
	const struct spool_module *module = namer_module(gaps->namer, node->pc, node->generation);

	if (!module || !module->path[0])
		return process->compiler && strcmp(name, "[unknown]") == 0
			       ? add(gaps, MISSING_SYMBOL_COMPILED, process->compiler->name,
				     samples)
			       : 0;
	if (process->interprets[module - process->spool->modules])
		return named ? 0 : add(gaps, MISSING_SYMBOL_INTERPRETED, module->path, samples);
	return is_nameless(name, module) ? add(gaps, MISSING_SYMBOL_SYMBOLS, module->path, samples)
					 : 0;
}

/* Add a node in which samples ended. */
static int add_samples(struct missing_symbols *gaps, const struct process *process,
		       const struct spool_read_node *node, const char *name,
		       const struct stack *stack, uint64_t samples)
{
	int err = add_leaf(gaps, process, node, name, stack->named, samples);

	if (!err && stack->cut && process->compiler && process->compiler->omits_frame_pointer)
		err = add(gaps, MISSING_SYMBOL_CUT, process->compiler->name, samples);
	return err;
}

static int add_thread(struct missing_symbols *gaps, const struct process *process,
		      const struct spool_read_thread *thread)
{
	uint32_t counters = process->spool->header.counter_count;
	struct stack *stacks = calloc(thread->node_count + 1, sizeof(*stacks));
	int err = stacks ? 0 : -ENOMEM;

	for (size_t i = 0; !err && i < thread->node_count; i++) {
		const struct spool_read_node *node = &thread->nodes[i];
		uint64_t samples = thread->weights[i * counters + process->counter].samples;
		uint32_t number = namer_name(gaps->namer, node->pc, node->generation);
		const char *name;

		if (!number)
			err = -ENOMEM;
		if (!number || number == NAMER_OURS)
			continue;
		name = namer_plain(gaps->namer, number);
		stacks[i] = stack_of(gaps, thread, stacks, i);
		stacks[i].named |= is_run_time_named(name);
		gaps->samples += samples;
		if (samples)
			err = add_samples(gaps, process, node, name, &stacks[i], samples);
	}
	free(stacks);
	return err;
}

int missing_symbols_add(struct missing_symbols *gaps, const struct spool_read *spool)
{
	struct process process;
	int err = look_at(&process, spool);

	if (process.counter == spool->header.counter_count)
		goto out;
	for (size_t i = 0; !err && i < spool->thread_count; i++)
		err = add_thread(gaps, &process, &spool->threads[i]);
out:
	free(process.interprets);
	return err;
}

static int more_samples(const void *left, const void *right)
{
	const struct missing_symbol *a = left;
	const struct missing_symbol *b = right;

	return order_of(b->samples, a->samples) ?: order_of(a->what, b->what);
}

const struct missing_symbol *missing_symbols_list(struct missing_symbols *gaps, size_t *count)
{
	/* sorting moves the entries that `known` points to */
	if (gaps->count)
		qsort(gaps->list, gaps->count, sizeof(*gaps->list), more_samples);
	for (uint32_t i = 0; i < gaps->count; i++)
		*map_at(&gaps->known, gaps->list[i].kind, gaps->list[i].what) = i + 1;
	*count = gaps->count;
	return gaps->list;
}

uint64_t missing_symbols_samples(const struct missing_symbols *gaps)
{
	return gaps->samples;
}

const char *missing_symbols_text(const struct missing_symbols *gaps, uint32_t number)
{
	return namer_plain(gaps->namer, number);
}
