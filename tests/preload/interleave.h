/*
 * Included before all other files to make each atomic operation a point at which another thread
 * may go on; interleave_tree.c says when one does.  Before a load, another thread may have changed
 * the value; after a store, it sees the published value and nothing of the later steps.
 */
#ifndef TESTS_PRELOAD_INTERLEAVE_H
#define TESTS_PRELOAD_INTERLEAVE_H

#include <stdatomic.h>

void interleave_load(const volatile void *word);
void interleave_store(const volatile void *word);

#undef atomic_load_explicit
#undef atomic_store_explicit
#undef atomic_compare_exchange_weak_explicit
#undef atomic_compare_exchange_strong_explicit
#undef atomic_fetch_add_explicit

#define LOADED(word, operation) (interleave_load(word), operation)
#define STORED(word, operation) ((operation), interleave_store(word))
#define CHANGED(word, operation)                        \
	__extension__({                                 \
		interleave_load(word);                  \
		__auto_type result_of_it = (operation); \
		interleave_store(word);                 \
		result_of_it;                           \
	})

#ifdef __clang__
#define LOAD(word, order)	  __c11_atomic_load(word, order)
#define STORE(word, value, order) __c11_atomic_store(word, value, order)
#define ADD(word, more, order)	  __c11_atomic_fetch_add(word, more, order)
#define EXCHANGE(word, expected, wanted, good, bad) \
	__c11_atomic_compare_exchange_strong(word, expected, wanted, good, bad)
#else
#define LOAD(word, order)	  __atomic_load_n(word, order)
#define STORE(word, value, order) __atomic_store_n(word, value, order)
#define ADD(word, more, order)	  __atomic_fetch_add(word, more, order)
#define EXCHANGE(word, expected, wanted, good, bad) \
	__atomic_compare_exchange_n(word, expected, wanted, 0, good, bad)
#endif

#define atomic_load_explicit(word, order)	     LOADED(word, LOAD(word, order))
#define atomic_store_explicit(word, value, order)    STORED(word, STORE(word, value, order))
#define atomic_fetch_add_explicit(word, more, order) CHANGED(word, ADD(word, more, order))
#define atomic_compare_exchange_weak_explicit(word, expected, wanted, good, bad) \
	CHANGED(word, EXCHANGE(word, expected, wanted, good, bad))
#define atomic_compare_exchange_strong_explicit atomic_compare_exchange_weak_explicit

#endif
