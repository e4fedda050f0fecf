/*
 * A function of a program stands right below the native frame that runs it.  The module of that
 * frame is an interpreter.  So is the file that was started, if it has the language's name: it may
 * hold little more than main().
 */
#include "runtime/profile/analysis/interp_roles.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/profile/base/map.h"
#include "runtime/profile/languages/languages.h"
#include "runtime/profile/spool/spool_read.h"
#include "runtime/profile/symbols/data_frames.h"
#include "runtime/profile/symbols/frame_kind.h"
#include "runtime/profile/symbols/kernel.h"
#include "runtime/profile/symbols/modules.h"
#include "runtime/profile/symbols/namer.h"

#define INTERPRETERS_MAX 16

/* A module that runs functions of a language. */
struct interpreter {
	const struct spool_module *module;
	enum spool_language language;
};

struct interp_roles {
	struct namer *namer;
	const struct spool_read *spool;
	struct interpreter interpreters[INTERPRETERS_MAX];
	size_t count;
	struct map loops; /* names of native functions that run functions: to 1 */
	struct map known; /* {pc, generation} to enum interp_role */
};

static void add_interpreter(struct interp_roles *roles, const struct spool_module *module,
			    enum spool_language language)
{
	if (!module || !module->path[0] || roles->count == INTERPRETERS_MAX)
		return;
	for (size_t i = 0; i < roles->count; i++)
		if (roles->interpreters[i].module == module &&
		    roles->interpreters[i].language == language)
			return;
	roles->interpreters[roles->count++] = (struct interpreter){ module, language };
}

/* Learn of a frame and the function that it runs.  Returns false when memory is out. */
static bool note_loop(struct interp_roles *roles, const struct spool_read_node *loop,
		      const struct spool_read_node *code)
{
	uint32_t number = spool_code_of(code->pc), *known, name;

	if (!number || number > roles->spool->code_count || spool_code_is(loop->pc) ||
	    !namer_module(roles->namer, loop->pc, loop->generation))
		return true;
	add_interpreter(roles, namer_module(roles->namer, loop->pc, loop->generation),
			(enum spool_language)roles->spool->codes[number - 1].language);
	name = namer_name(roles->namer, loop->pc, loop->generation);
	known = name ? map_at(&roles->loops, name, 0) : NULL;
	if (known)
		*known = 1;
	return known;
}

static bool find_loops(struct interp_roles *roles, const struct spool_read_thread *thread)
{
	for (size_t i = 0; i < thread->node_count; i++) {
		const struct spool_read_node *node = &thread->nodes[i];

		if (spool_code_is(node->pc) && node->parent < SPOOL_READ_ORPHAN &&
		    !note_loop(roles, &thread->nodes[node->parent], node))
			return false;
	}
	return true;
}

/* Add the file that was started, such as "ruby3.1" for libruby. */
static void find_executable(struct interp_roles *roles)
{
	size_t found = roles->count;
	char base[SPOOL_PATH_MAX];

	for (size_t i = 0; i < roles->spool->module_count; i++) {
		const struct spool_module *module = &roles->spool->modules[i];

		if (!(module->flags & SPOOL_MODULE_EXECUTABLE))
			continue;
		modules_base(module, base, sizeof(base));
		for (size_t j = 0; j < found; j++) {
			enum spool_language number = roles->interpreters[j].language;
			const struct language *language = languages_find(number);

			if (language && !strncmp(base, language->name, strlen(language->name)))
				add_interpreter(roles, module, number);
		}
	}
}

struct interp_roles *interp_roles_new(struct namer *namer, const struct spool_read *spool)
{
	struct interp_roles *roles = calloc(1, sizeof(*roles));
	bool found = roles;

	if (roles)
		*roles = (struct interp_roles){ .namer = namer, .spool = spool };
	for (size_t i = 0; found && spool->code_count && i < spool->thread_count; i++)
		found = find_loops(roles, &spool->threads[i]);
	if (found) {
		find_executable(roles);
		return roles;
	}
	interp_roles_free(roles);
	return NULL;
}

void interp_roles_free(struct interp_roles *roles)
{
	if (!roles)
		return;
	map_free(&roles->loops);
	map_free(&roles->known);
	free(roles);
}

static enum interp_role role_by_name(enum languages_frame glue, const char *name)
{
	if (glue != LANGUAGES_FRAME_NONE)
		return glue == LANGUAGES_FRAME_ALWAYS ? INTERP_ROLE_ALWAYS : INTERP_ROLE_BETWEEN;
	return frame_kind_is(name, FRAME_KIND_UNKNOWN) ? INTERP_ROLE_NAMELESS : INTERP_ROLE_OWN;
}

/* With its option for profilers, CPython makes a piece of code for each function, named
 * "py::function:file", and calls the loop from there. */
static bool is_trampoline(const char *name)
{
	const struct language *language;

	for (size_t i = 0; (language = languages_each(i)); i++)
		if (language->trampoline &&
		    !strncmp(name, language->trampoline, strlen(language->trampoline)))
			return frame_kind_is(name, FRAME_KIND_JIT);
	return false;
}

/* `name` is the number of `text`, the function's name. */
static enum interp_role role_in(struct interp_roles *roles, const struct spool_module *module,
				uint32_t name, const char *text)
{
	enum interp_role role = INTERP_ROLE_OTHER;

	for (size_t i = 0; i < roles->count; i++) {
		const uint32_t *loop;
		enum interp_role found;

		if (roles->interpreters[i].module != module)
			continue;
		found = role_by_name(languages_frame(roles->interpreters[i].language, text), text);
		loop = map_at(&roles->loops, name, 0);
		if (!loop)
			return INTERP_ROLE_UNKNOWN;
		/* [libruby.so] is the name of all functions of a file that cannot be read */
		if (*loop && found == INTERP_ROLE_NAMELESS && text[0] != '[')
			found = INTERP_ROLE_ALWAYS;
		role = found > role ? found : role;
	}
	return role;
}

static enum interp_role look_up(struct interp_roles *roles, const struct spool_read_node *node)
{
	const struct spool_module *module = namer_module(roles->namer, node->pc, node->generation);
	uint32_t name;

	if (!roles->count || (module && module->path[0] && !interp_roles_interprets(roles, node)))
		return INTERP_ROLE_OTHER;
	name = namer_name(roles->namer, node->pc, node->generation);
	if (!name || name == NAMER_OURS)
		return name ? INTERP_ROLE_OTHER : INTERP_ROLE_UNKNOWN;
	if (module && module->path[0])
		return role_in(roles, module, name, namer_plain(roles->namer, name));
	return is_trampoline(namer_plain(roles->namer, name)) ? INTERP_ROLE_ALWAYS
							      : INTERP_ROLE_OTHER;
}

enum interp_role interp_roles_of(struct interp_roles *roles, const struct spool_read_node *node)
{
	uint32_t *known = map_at(&roles->known, node->pc, node->generation);

	if (!known)
		return INTERP_ROLE_UNKNOWN;
	if (!*known)
		*known = look_up(roles, node);
	return (enum interp_role)(*known);
}

bool interp_roles_interprets(const struct interp_roles *roles, const struct spool_read_node *node)
{
	const struct spool_module *module =
		roles->count ? namer_module(roles->namer, node->pc, node->generation) : NULL;

	for (size_t i = 0; module && i < roles->count; i++)
		if (roles->interpreters[i].module == module)
			return true;
	return false;
}

bool interp_roles_compiled(const struct interp_roles *roles, const struct spool_read_node *node)
{
	const struct spool_module *module;
	enum frame_kind kind;
	const char *text;
	uint32_t name;
	size_t bytes;

	if (node->pc < SPOOL_PC_LIMIT || kernel_owns(node->pc) || data_frame_is(node->pc))
		return false;
	module = namer_module(roles->namer, node->pc, node->generation);
	if (module && module->path[0])
		return false;
	name = namer_name(roles->namer, node->pc, node->generation);
	if (!name || name == NAMER_OURS)
		return false;
	text = namer_plain(roles->namer, name);
	kind = frame_kind_of(text, &bytes);
	return (kind == FRAME_KIND_JIT && !(roles->count && is_trampoline(text))) ||
	       kind == FRAME_KIND_INTERP;
}
