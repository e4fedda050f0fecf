/*
 * The functions by which an interpreter runs functions: its loop, and the calls between the loop
 * and a function.  They say nothing about the program, and everything passes through them.
 */
#ifndef RUNTIME_PROFILE_SYMBOLS_INTERPRETER_FRAMES_H
#define RUNTIME_PROFILE_SYMBOLS_INTERPRETER_FRAMES_H

#include "runtime/spool/format_code.h"

enum interpreter_frame {
	INTERPRETER_FRAME_NONE,	   /* does something of its own, such as sorting */
	INTERPRETER_FRAME_BETWEEN, /* only passes a call on, where it leads to a function of the
				      program */
	INTERPRETER_FRAME_ALWAYS,  /* runs the program's functions; its own time is theirs */
};

/* Returns what a function of an interpreter is.  `name` is its name in a stack, maybe with an
 * ending that the compiler added. */
enum interpreter_frame interpreter_frames_find(enum spool_language language, const char *name);

#endif
