/* The instructions that a page has: those of the functions with most weight of their own. */
#ifndef RUNTIME_OUTPUT_PAGE_VIEWER_CODE_H
#define RUNTIME_OUTPUT_PAGE_VIEWER_CODE_H

#include <stdint.h>

struct json;
struct profile;
struct viewer_code;
struct viewer_lines;

/* Find the functions and decode them, in a profile with locations.  A profile of another user, one
 * without locations and a machine without a disassembler have none.  Returns 0 with *code, which
 * may be NULL, or -ENOMEM. */
int viewer_code_make(struct viewer_code **code, const struct profile *profile);
void viewer_code_free(struct viewer_code *code);

/* Returns the number of the instruction of a sample that ends at a node of merge->locations->calls;
 * 0: not known.  `code` may be NULL. */
uint32_t viewer_code_number(struct viewer_code *code, uint32_t location);

/* Write the member "code" of the page's JSON object.  An instruction has a
 * line if the page has its file. */
void viewer_code_json(const struct viewer_code *code, const struct viewer_lines *lines,
		      struct json *json);

#endif
