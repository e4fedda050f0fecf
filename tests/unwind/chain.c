/*
 * The shapes: small and large frames, variable ones, realigned ones, ones that keep rbx.  Each
 * calls the next through a table, so that no call is a tail call or inlined.
 */
#include "tests/unwind/chain.h"

#define SHAPES 16

typedef void shape(struct chain *chain);

static shape *const shapes[SHAPES];

static void next(struct chain *chain)
{
	chain->seed = chain->seed * 1664525 + 1013904223;
	if (!chain->left) {
		chain->leaf(chain);
		return;
	}
	chain->left--;
	shapes[chain->seed >> 28](chain);
}

static inline void enter(struct chain *chain, void *target)
{
	if (chain->depth == CHAIN_MAX)
		abort();
	chain->target[chain->depth++] = (uint64_t)target;
}

/* `room` declares the frame's own bytes. */
#define SHAPE(name, bytes, room)                                                  \
	static __attribute__((noinline)) void name##_##bytes(struct chain *chain) \
	{                                                                         \
		volatile room;                                                    \
		enter(chain, __builtin_return_address(0));                        \
		own[0] = 1;                                                       \
		next(chain);                                                      \
		own[bytes - 1] = own[0];                                          \
		chain->depth--;                                                   \
	}
#define FIXED(bytes) SHAPE(fixed, bytes, char own[bytes])
#define VARIABLE(bytes) \
	SHAPE(variable, bytes, char *own = __builtin_alloca(bytes + chain->seed % 64))
#define ALIGNED(bytes) SHAPE(aligned, bytes, _Alignas(64) char own[bytes])

FIXED(8)
FIXED(24)
FIXED(56)
FIXED(120)
FIXED(248)
FIXED(16)
FIXED(40)
FIXED(72)
FIXED(104)
FIXED(136)
VARIABLE(16)
VARIABLE(80)
ALIGNED(64)
ALIGNED(128)

static __attribute__((noinline)) void keeps(struct chain *chain)
{
	unsigned a = chain->seed;
	unsigned b = chain->left;
	unsigned c = chain->depth;

	enter(chain, __builtin_return_address(0));
	next(chain);
	chain->seed ^= a * b + c;
	chain->depth--;
}

/* Who asks for the frame's address gets a frame pointer, from gcc and from clang. */
static __attribute__((noinline)) void framed(struct chain *chain)
{
	__asm__ volatile("" : : "r"(__builtin_frame_address(0)));
	enter(chain, __builtin_return_address(0));
	next(chain);
	chain->depth--;
}

static shape *const shapes[SHAPES] = {
	fixed_8,   fixed_24,  fixed_56,	   fixed_120,	fixed_248,  fixed_16,	 fixed_40, fixed_72,
	fixed_104, fixed_136, variable_16, variable_80, aligned_64, aligned_128, keeps,	   framed,
};

void chain_run(struct chain *chain, unsigned depth, uint32_t seed)
{
	chain->depth = 0;
	chain->left = depth;
	chain->seed = seed;
	next(chain);
	__asm__ volatile("" ::: "memory"); /* next() must not become a jump */
}

/* Frames of next() lie between those of the shapes: one, or none where it was inlined. */
static unsigned skip_to(const uint64_t *pcs, unsigned from, unsigned depth, uint64_t target)
{
	for (unsigned i = from; i < depth && i < from + 3; i++)
		if (pcs[i] == target - 1)
			return i + 1;
	return 0;
}

unsigned chain_find(const struct chain *chain, const uint64_t *pcs, unsigned depth)
{
	unsigned at = 0;

	if (!chain->depth)
		return 0;
	while (at < depth && pcs[at] != chain->target[chain->depth - 1] - 1)
		at++;
	for (unsigned i = chain->depth; i > 0; i--) {
		at = skip_to(pcs, at, depth, chain->target[i - 1]);
		if (!at)
			return 0;
	}
	return at;
}

enum chain_verdict chain_check(const struct chain *chain, const uint64_t *pcs,
			       const struct unwind_result *result)
{
	if (result->end == UNWIND_LAST)
		return chain_find(chain, pcs, result->depth) ? CHAIN_RIGHT : CHAIN_WRONG;
	return result->end_pc || result->guessed ? CHAIN_CUT : CHAIN_WRONG;
}
