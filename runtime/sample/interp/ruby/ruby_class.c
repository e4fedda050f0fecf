/*
 * Read once for each function, so by copies alone.
 *
 * An environment or an outer one has the method's entry, which refers to its owner and to its
 * function.  A block that defines a method runs as another method than the one it is written in:
 * then the functions differ, and there is no class.  Before Ruby 3.3 a class keeps its name in its
 * table of instance variables; the key is found by the name that Object has.
 */
#include "runtime/sample/interp/ruby/ruby.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "runtime/sample/elf/memory.h"
#include "runtime/sample/sys/poison.h"

#define ENVIRONMENTS_MAX 64
#define VARIABLES_MAX	 256
#define FLAG_LOCAL	 0x2	/* of an environment: the outermost */
#define FLAG_SINGLETON	 0x1000 /* of a class: of one object's own methods */
#define POINTER_MASK	 (~3ULL)
#define OBJECT_WORDS	 5
#define ENTRY_METHOD	 2 /* words of a method's entry: its definition */
#define ENTRY_OWNER	 4
#define KIND_MASK	 0xf /* of a definition: 0 for a function of Ruby */
#define CLASS_EXTENSION	 24  /* before Ruby 3.3 */
#define EXTENSION_TABLE	 8
#define TABLE_WORDS	 7
#define TABLE_START	 4
#define TABLE_END	 5
#define TABLE_ENTRIES	 6

enum search { FOUND, ABSENT, UNREADABLE };

/* An entry of Ruby's hash tables (st.h). */
struct entry {
	uint64_t hash, key, value;
};

static uint64_t object_class;	  /* address of the variable rb_cObject.  W: start */
static _Atomic uint64_t name_key; /* of the variable with a class's name; 0: not known yet */

void ruby_class_start(uint64_t object_variable)
{
	object_class = object_variable;
	atomic_store_explicit(&name_key, 0, memory_order_relaxed);
}

static bool is_class(const uint64_t *object)
{
	uint64_t type = object[0] & RUBY_TYPE_MASK;

	return type == RUBY_TYPE_CLASS || type == RUBY_TYPE_MODULE;
}

static bool is_inner(const uint64_t *object, unsigned kind)
{
	return (object[0] & RUBY_TYPE_MASK) == RUBY_TYPE_INNER &&
	       ruby_inner_kind(object[0]) == kind;
}

/* Copies an object that a word may refer to. */
static enum search read_object(uint64_t value, uint64_t *object)
{
	if (!value || value & 7)
		return ABSENT;
	return memory_copy(object, value, OBJECT_WORDS * 8) ? FOUND : UNREADABLE;
}

/* Reads the entry of the method, if the word of an environment has it. */
static enum search read_entry(uint64_t value, uint64_t *entry)
{
	enum search found = read_object(value, entry);

	if (found == FOUND && is_inner(entry, RUBY_INNER_SVAR))
		found = read_object(entry[1], entry);
	return found == FOUND && !is_inner(entry, RUBY_INNER_ENTRY) ? ABSENT : found;
}

static enum search find_entry(uint64_t environment, uint64_t *entry)
{
	for (unsigned i = 0; i < ENVIRONMENTS_MAX; i++) {
		uint64_t words[3]; /* entry or scope, outer environment, flags */
		enum search found;

		if (!memory_copy(words, environment - 16, sizeof(words)))
			return UNREADABLE;
		found = read_entry(words[0], entry);
		if (found != ABSENT || words[2] & FLAG_LOCAL)
			return found;
		environment = words[1] & POINTER_MASK;
	}
	return ABSENT;
}

/* True if an instance variable is the one that is looked for. */
typedef bool variable_test(const struct entry *variable, uint64_t class, const void *context);

static enum search find_variable(uint64_t class, variable_test *test, const void *context,
				 uint64_t *value, uint64_t *key)
{
	uint64_t extension, table, words[TABLE_WORDS];

	if (!memory_copy(&extension, class + CLASS_EXTENSION, 8) ||
	    !memory_copy(&table, extension + EXTENSION_TABLE, 8))
		return UNREADABLE;
	if (!table)
		return ABSENT;
	if (!memory_copy(words, table, sizeof(words)) ||
	    words[TABLE_END] - words[TABLE_START] > VARIABLES_MAX)
		return UNREADABLE;
	for (uint64_t i = words[TABLE_START]; i < words[TABLE_END]; i++) {
		struct entry variable;

		if (!memory_copy(&variable, words[TABLE_ENTRIES] + i * sizeof(variable),
				 sizeof(variable)))
			return UNREADABLE;
		if (!test(&variable, class, context))
			continue;
		*value = variable.value;
		*key = variable.key;
		return FOUND;
	}
	return ABSENT;
}

static long read_text(const struct ruby_layout *layout, uint64_t string, char *into, size_t max)
{
	uint64_t object[OBJECT_WORDS], address;
	uint32_t bytes;

	if (read_object(string, object) != FOUND ||
	    !ruby_layout_text(layout, object, string, &address, &bytes) || bytes > max ||
	    !memory_copy(into, address, bytes))
		return -1;
	return bytes;
}

static bool is_name_of_object(const struct entry *variable, uint64_t class, const void *layout)
{
	char text[sizeof("Object")];

	(void)class;
	return read_text(layout, variable->value, text, sizeof(text)) == 6 &&
	       !memcmp(text, "Object", 6);
}

static bool has_key(const struct entry *variable, uint64_t class, const void *key)
{
	(void)class;
	return variable->key == *(const uint64_t *)key;
}

/* A singleton class is the class of the object that it is for. */
static bool is_attached(const struct entry *variable, uint64_t class, const void *context)
{
	uint64_t object[OBJECT_WORDS];

	(void)context;
	return read_object(variable->value, object) == FOUND && is_class(object) &&
	       object[1] == class;
}

static enum search find_name(const struct ruby_layout *layout, uint64_t class, uint64_t *name)
{
	uint64_t key = atomic_load_explicit(&name_key, memory_order_relaxed), object, ignored;
	enum search found;

	if (layout->class_name) {
		if (!memory_copy(name, class + layout->class_name, 8))
			return UNREADABLE;
		return *name ? FOUND : ABSENT;
	}
	if (!key) {
		if (!memory_copy(&object, object_class, 8))
			return UNREADABLE;
		found = find_variable(object, is_name_of_object, layout, &ignored, &key);
		if (found != FOUND)
			return found;
		atomic_store_explicit(&name_key, key, memory_order_relaxed);
	}
	return find_variable(class, has_key, &key, name, &ignored);
}

/* Goes from a singleton class to the class whose own methods it has. */
static enum search find_attached(const struct ruby_layout *layout, uint64_t *class)
{
	uint64_t object[OBJECT_WORDS], value = 0, ignored;
	enum search found = read_object(*class, object);

	if (found != FOUND || !(object[0] & FLAG_SINGLETON))
		return found;
	if (layout->class_attached) {
		if (!memory_copy(&value, *class + layout->class_attached, 8))
			return UNREADABLE;
		found = read_object(value, object);
		if (found == FOUND && !is_class(object))
			found = ABSENT;
	} else {
		found = find_variable(*class, is_attached, NULL, &value, &ignored);
	}
	if (found == FOUND)
		*class = value;
	return found;
}

long ruby_class_name(const struct ruby_layout *layout, uint64_t environment, uint64_t iseq,
		     char *into, size_t max)
{
	uint64_t entry[OBJECT_WORDS], method[2], class, owner, name;
	enum search found = find_entry(environment, entry);
	long bytes;

	if (found == FOUND && !memory_copy(method, entry[ENTRY_METHOD], sizeof(method)))
		found = UNREADABLE;
	if (found == FOUND && (method[0] & KIND_MASK || method[1] != iseq))
		found = ABSENT;
	class = owner = found == FOUND ? entry[ENTRY_OWNER] : 0;
	if (found == FOUND)
		found = find_attached(layout, &class);
	if (found == FOUND)
		found = find_name(layout, class, &name);
	if (found != FOUND)
		return found == ABSENT ? 0 : -1;
	bytes = read_text(layout, name, into, max - 1);
	if (bytes < 0)
		return -1;
	if (class == owner && bytes == 6 && !memcmp(into, "Object", 6))
		return 0;
	into[bytes] = class == owner ? '#' : '.';
	return bytes + 1;
}
