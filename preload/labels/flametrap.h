/*
 * flametrap.h: a program says what its threads work for, and a profile shows it.
 *
 *	flametrap_label("request", path);	from now on, in the calling thread
 *	flametrap_label("request", NULL);	no longer
 *
 *	FLAMETRAP_LABEL("request", path);	until the enclosing block is left (C and C++)
 *
 *	unsigned before = flametrap_label_push("request", path);
 *	...
 *	flametrap_label_pop(before);		all labels are as they were before
 *
 * Each sample carries the labels of its thread.  There is no library to link.  Where flametrap is
 * not loaded, a call is one load and a branch; elsewhere than on Linux with x86-64 or aarch64, it
 * is nothing.  All calls may be made in any thread and in signal handlers.  Keys and values are
 * copied: 128 and 256 bytes of them, 32 labels for a thread.
 */
#ifndef FLAMETRAP_H
#define FLAMETRAP_H

#if defined __linux__ && defined __GNUC__ && defined __LP64__ && \
	(defined __x86_64__ || defined __aarch64__)
#define FLAMETRAP_IS_KNOWN 1
#else
#define FLAMETRAP_IS_KNOWN 0
#endif

#ifdef __cplusplus
extern "C" {
#endif

#if FLAMETRAP_IS_KNOWN

/* What libflametrap.so defines where it is loaded.  Do not call these: they are null elsewhere. */
extern unsigned flametrap_label_v1(const char *key, const char *value)
	__attribute__((__weak__, __visibility__("default")));
extern void flametrap_labels_v1(unsigned labels)
	__attribute__((__weak__, __visibility__("default")));

/* In code for executables at a fixed address, compilers would take the address of a weak function
 * as a constant, and the linker would make it null for good.  So the word is loaded which the
 * loader fills in. */
#if defined __PIC__ || defined __PIE__
#define FLAMETRAP_LOAD_(call, name) ((call) = &name)
#elif defined __x86_64__
#define FLAMETRAP_LOAD_(call, name) \
	__asm__(".weak " #name "\n\tmovq " #name "@GOTPCREL(%%rip), %0" : "=r"(call))
#else
#define FLAMETRAP_LOAD_(call, name)                              \
	__asm__(".weak " #name "\n\tadrp %0, :got:" #name "\n\t" \
		"ldr %0, [%0, #:got_lo12:" #name "]"             \
		: "=r"(call))
#endif

/* Set a label of the calling thread and return all that it had before, for flametrap_label_pop().
 * A value that is NULL or "" removes the key. */
static __inline__ unsigned flametrap_label_push(const char *key, const char *value)
{
	unsigned (*call)(const char *, const char *);

	FLAMETRAP_LOAD_(call, flametrap_label_v1);
	return call ? call(key, value) : 0;
}

/* Give the calling thread the labels that it had, or that another thread of the process had. */
static __inline__ void flametrap_label_pop(unsigned before)
{
	void (*call)(unsigned);

	FLAMETRAP_LOAD_(call, flametrap_labels_v1);
	if (call)
		call(before);
}

#else

static __inline__ unsigned flametrap_label_push(const char *key, const char *value)
{
	(void)key;
	(void)value;
	return 0;
}

static __inline__ void flametrap_label_pop(unsigned before)
{
	(void)before;
}

#endif

/* Set a label of the calling thread; a value that is NULL or "" removes the key. */
static __inline__ void flametrap_label(const char *key, const char *value)
{
	(void)flametrap_label_push(key, value);
}

#ifdef __cplusplus
}

namespace flametrap
{

/* A label that holds as long as this object lives, in the thread that made it. */
class scoped_label
{
      public:
	scoped_label(const char *key, const char *value) : before_(flametrap_label_push(key, value))
	{
	}

	~scoped_label()
	{
		flametrap_label_pop(before_);
	}

#if __cplusplus >= 201103L
	scoped_label(const scoped_label &) = delete;
	scoped_label &operator=(const scoped_label &) = delete;

      private:
#else
      private:
	scoped_label(const scoped_label &);
	scoped_label &operator=(const scoped_label &);

#endif
	unsigned before_;
};

} /* namespace flametrap */
#endif

/* A label until the enclosing block is left, by whatever way but a jump (longjmp).  Each has a
 * number of its own: several may stand in one line, or in one macro. */
#define FLAMETRAP_JOIN_(a, b)	a##b
#define FLAMETRAP_NAME_(number) FLAMETRAP_JOIN_(flametrap_scope_, number)
#ifdef __cplusplus
#define FLAMETRAP_LABEL(key, value) \
	::flametrap::scoped_label FLAMETRAP_NAME_(__COUNTER__)(key, value)
#elif defined __GNUC__
static __inline__ void flametrap_label_leave(const unsigned *before)
{
	flametrap_label_pop(*before);
}
#define FLAMETRAP_LABEL(key, value)                                                    \
	__attribute__((__cleanup__(flametrap_label_leave), __unused__)) const unsigned \
	FLAMETRAP_NAME_(__COUNTER__) = flametrap_label_push(key, value)
#endif

#endif
