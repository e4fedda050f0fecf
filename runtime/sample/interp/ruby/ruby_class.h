/* The class that a method belongs to. */
#ifndef RUNTIME_SAMPLE_INTERP_RUBY_RUBY_CLASS_H
#define RUNTIME_SAMPLE_INTERP_RUBY_RUBY_CLASS_H

#include <stddef.h>
#include <stdint.h>

#include "runtime/sample/interp/ruby/ruby_layout.h"

/* Where the loaded Ruby keeps its class Object.  Context: any, before the other function. */
void ruby_class_start(uint64_t object_variable);

/* Put the class of the method that runs in an environment before the method's name: "Set#", or
 * "Set." for a method of the class itself.  `iseq` is the method's function.  Returns the number of
 * bytes; 0: it belongs to no class with a name, or to Object, as all methods that are defined
 * outside classes; -1: the memory cannot be read.  Context: signal. */
long ruby_class_name(const struct ruby_layout *layout, uint64_t environment, uint64_t iseq,
		     char *into, size_t max);

#endif
