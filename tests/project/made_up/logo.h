/*
 * The functions that a program of logo.c's runs, innermost last: one for each frame of logo_run().
 */
struct logo_stack {
	unsigned depth;
	const char *function[8]; /* 16 bytes each */
};
