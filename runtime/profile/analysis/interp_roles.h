/* What the native functions of a spool are to the interpreted programs in it. */
#ifndef RUNTIME_PROFILE_ANALYSIS_INTERP_ROLES_H
#define RUNTIME_PROFILE_ANALYSIS_INTERP_ROLES_H

#include <stdbool.h>

struct interp_roles;
struct namer;
struct spool_read;
struct spool_read_node;

enum interp_role {
	INTERP_ROLE_UNKNOWN, /* memory is out */
	INTERP_ROLE_OTHER,   /* not of an interpreter that runs functions in this spool */
	INTERP_ROLE_OWN,     /* an interpreter's, with a task of its own */
	INTERP_ROLE_NAMELESS,
	INTERP_ROLE_BETWEEN, /* LANGUAGES_FRAME_BETWEEN, LANGUAGES_FRAME_ALWAYS */
	INTERP_ROLE_ALWAYS,
};

/* Find the interpreters of a spool, which namer_begin() was called for.  Both must outlive the
 * result.  Returns NULL when memory is out.  Free with interp_roles_free(). */
struct interp_roles *interp_roles_new(struct namer *namer, const struct spool_read *spool);
void interp_roles_free(struct interp_roles *roles);

/* Returns the role of a native function, by a node's address. */
enum interp_role interp_roles_of(struct interp_roles *roles, const struct spool_read_node *node);

/* Returns whether a node is a native function of an interpreter that runs functions in the spool.
 */
bool interp_roles_interprets(const struct interp_roles *roles, const struct spool_read_node *node);

/* Returns whether a node is code that a run-time compiler made and named, or a method that Java
 * interprets. */
bool interp_roles_compiled(const struct interp_roles *roles, const struct spool_read_node *node);

#endif
