/* The symbols of loaded objects: the loader agrees on those that exist, and damaged tables have
 * none. */

#include <elf.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>

#include "runtime/sample/elf/elf_dynamic.h"
#include "runtime/sample/elf/loader.h"
#include "runtime/sample/elf/memory.h"
#include "tests/support/system.h"
#include "tests/support/unit.h"

#define AREA_BYTES 65536
#define DAMAGES	   20000

static struct elf_dynamic dynamic;
static struct elf_dynamic_symbol symbol;

/* The bounds of the object around an address, as the loader has mapped it. */
struct bounds {
	uint64_t at, start, end;
};

static int find_bounds(struct dl_phdr_info *info, size_t size, void *context)
{
	struct bounds *bounds = context;

	(void)size;
	loader_extent(info->dlpi_phdr, info->dlpi_phnum, info->dlpi_addr, &bounds->start,
		      &bounds->end);
	bounds->end = (bounds->end + 4095) & ~4095ULL;
	return bounds->at >= bounds->start && bounds->at < bounds->end;
}

static bool open_at(const void *start, size_t bytes)
{
	return elf_dynamic_open(&dynamic, (uint64_t)(uintptr_t)start,
				(uint64_t)(uintptr_t)start + bytes);
}

static void open_libc(void)
{
	struct bounds libc = { .at = (uint64_t)(uintptr_t)loader_libc_symbol("qsort") };

	assert_int_equal(dl_iterate_phdr(find_bounds, &libc), 1);
	assert_true(elf_dynamic_open(&dynamic, libc.start, libc.end));
}

UNIT(begin)
{
	memory_start();
	return 0;
}

TEST(a_function_and_a_variable_of_libc_are_found)
{
	open_libc();
	assert_true(elf_dynamic_find(&dynamic, "qsort", &symbol));
	assert_int_equal(symbol.address, (uint64_t)(uintptr_t)loader_libc_symbol("qsort"));
	assert_true(symbol.bytes > 0);
	assert_false(symbol.is_thread_local);
	assert_true(elf_dynamic_find(&dynamic, "environ", &symbol));
	assert_false(symbol.is_thread_local);
}

TEST(a_thread_local_variable_has_an_offset)
{
	open_libc();
	assert_true(elf_dynamic_find(&dynamic, "errno", &symbol));
	assert_true(symbol.is_thread_local);
	assert_int_equal(symbol.bytes, sizeof(int));
	assert_true(symbol.address < 65536);
}

TEST(a_name_that_is_not_there_is_not_found)
{
	static const char longest[] = "a_name_that_is_so_long_that_nobody_would_ever_export_"
				      "something_that_is_called_like_this";
	static const char *const names[] = { "_PyRuntime", "executor_globals", "",
					     "q",	   "qsorty",	       longest };

	open_libc();
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_false(elf_dynamic_find(&dynamic, names[i], &symbol));
}

TEST(memory_without_an_object_has_no_symbols)
{
	static _Alignas(4096) char nothing[8192];

	assert_false(open_at(nothing, sizeof(nothing)));
	assert_false(open_at(nothing, 0));
	assert_false(open_at(nothing + 8, 4088));
	assert_false(elf_dynamic_open(&dynamic, 0, 4096));
	assert_false(elf_dynamic_open(&dynamic, 0x7ffffffff000, 0x800000000000));
	memcpy(nothing, ELFMAG, SELFMAG);
	assert_false(open_at(nothing, sizeof(nothing)));
}

/* An object of one page with a table of one symbol, `mark`; by either kind of hash table. */
struct image {
	Elf64_Ehdr file;
	Elf64_Phdr header[2];
	Elf64_Dyn entry[6];
	Elf64_Sym symbol[2];
	char names[16];
	uint32_t plain[2 + 1 + 2];
	struct {
		uint32_t buckets, first, words, shift;
		uint64_t word;
		uint32_t bucket, chain;
	} gnu;
};

static struct image *image;

static void make_image(int64_t kind)
{
	uint64_t hash = 2090500240; /* of "mark" */

	if (!image)
		image = pages_new(AREA_BYTES);
	memset(image, 0, sizeof(*image));
	memcpy(image->file.e_ident, ELFMAG, SELFMAG);
	image->file.e_ident[EI_CLASS] = ELFCLASS64;
	image->file.e_phentsize = sizeof(Elf64_Phdr);
	image->file.e_phoff = offsetof(struct image, header);
	image->file.e_phnum = 2;
	image->header[0] = (Elf64_Phdr){ .p_type = PT_LOAD, .p_memsz = AREA_BYTES };
	image->header[1] = (Elf64_Phdr){ .p_type = PT_DYNAMIC,
					 .p_vaddr = offsetof(struct image, entry),
					 .p_memsz = sizeof(image->entry) };
	image->entry[0] = (Elf64_Dyn){ DT_SYMTAB, { offsetof(struct image, symbol) } };
	image->entry[1] = (Elf64_Dyn){ DT_STRTAB, { offsetof(struct image, names) } };
	image->entry[2] = (Elf64_Dyn){ DT_STRSZ, { sizeof(image->names) } };
	image->entry[3] = (Elf64_Dyn){ kind,
				       { kind == DT_HASH ? offsetof(struct image, plain)
							 : offsetof(struct image, gnu) } };
	image->symbol[1] =
		(Elf64_Sym){ .st_name = 1, .st_value = 0x123, .st_size = 8, .st_shndx = 1 };
	image->symbol[1].st_info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT);
	memcpy(image->names + 1, "mark", 5);
	memcpy(image->plain, (uint32_t[]){ 1, 2, 1, 0, 0 }, sizeof(image->plain));
	image->gnu.buckets = image->gnu.first = image->gnu.words = 1;
	image->gnu.shift = 6;
	image->gnu.word = 1ULL << hash % 64 | 1ULL << (hash >> 6) % 64;
	image->gnu.bucket = 1;
	image->gnu.chain = (uint32_t)hash | 1;
}

/* The symbol is a function. */
static void make_function(int64_t kind)
{
	make_image(kind);
	image->symbol[1].st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
}

static bool open_image(void)
{
	return open_at(image, AREA_BYTES);
}

static const int64_t kinds[] = { DT_HASH, DT_GNU_HASH };

TEST(both_kinds_of_hash_tables_are_read)
{
	for (unsigned i = 0; i < 2; i++) {
		make_image(kinds[i]);
		assert_true(open_image());
		assert_true(elf_dynamic_find(&dynamic, "mark", &symbol));
		assert_int_equal(symbol.address, (uint64_t)(uintptr_t)image + 0x123);
		assert_int_equal(symbol.bytes, 8);
		assert_false(elf_dynamic_find(&dynamic, "mar", &symbol));
		image->symbol[1].st_shndx = SHN_UNDEF;
		assert_true(open_image());
		assert_false(elf_dynamic_find(&dynamic, "mark", &symbol));
	}
}

struct seen {
	unsigned functions;
	const char *wanted;
	uint64_t address, bytes;
};

static void see(uint64_t address, uint64_t bytes, const char *name, void *context)
{
	struct seen *seen = context;

	seen->functions++;
	assert_true(bytes > 0 && strlen(name) < ELF_DYNAMIC_NAME);
	if (!strcmp(name, seen->wanted)) {
		seen->address = address;
		seen->bytes = bytes;
	}
}

TEST(each_function_is_visited)
{
	struct seen seen = { .wanted = "qsort" };

	open_libc();
	assert_true(elf_dynamic_find(&dynamic, "qsort", &symbol));
	elf_dynamic_each(&dynamic, see, &seen);
	assert_int_equal(seen.address, symbol.address);
	assert_int_equal(seen.bytes, symbol.bytes);
	assert_in_range(seen.functions, 1000, 10000);
}

TEST(each_table_of_hashes_says_where_the_symbols_end)
{
	for (unsigned i = 0; i < 2; i++) {
		struct seen seen = { .wanted = "mark" };

		make_image(kinds[i]);
		assert_true(open_image());
		elf_dynamic_each(&dynamic, see, &seen);
		assert_int_equal(seen.functions, 0); /* a variable */
		make_function(kinds[i]);
		assert_true(open_image());
		elf_dynamic_each(&dynamic, see, &seen);
		assert_int_equal(seen.functions, 1);
		assert_int_equal(seen.address, (uint64_t)(uintptr_t)image + 0x123);
		assert_int_equal(seen.bytes, 8);
	}
}

TEST(a_chain_that_goes_round_ends)
{
	make_image(DT_HASH);
	image->plain[4] = 1;
	assert_true(open_image());
	assert_false(elf_dynamic_find(&dynamic, "other", &symbol));
}

/* Each step needs other pages. */
TEST(a_chain_that_goes_round_costs_a_bounded_number_of_copies)
{
	const uint32_t count = 1800, step = 171;
	uint32_t *plain = (void *)((char *)image + 4096);

	make_image(DT_HASH);
	image->entry[0].d_un.d_ptr = 16384;
	image->entry[3].d_un.d_ptr = 4096;
	plain[0] = 1;
	plain[1] = count;
	plain[2] = 1;
	for (uint32_t i = 1; i < count; i++)
		plain[3 + i] = i + step < count ? i + step : 1;
	assert_true(open_image());
	assert_false(elf_dynamic_find(&dynamic, "other", &symbol));
	assert_in_range(dynamic.next, 1000, 8000);
}

TEST(an_object_that_is_unmapped_meanwhile_has_no_symbols)
{
	make_image(DT_GNU_HASH);
	image->entry[0].d_un.d_ptr += 8192; /* in a page that was not read yet */
	assert_true(open_image());
	munmap(image, AREA_BYTES);
	assert_false(elf_dynamic_find(&dynamic, "mark", &symbol));
	assert_false(open_image());
	image = NULL;
}

/* The words of the image are replaced by numbers that lead astray; the sanitizers watch. */
TEST(damaged_tables_lead_nowhere)
{
	static const uint64_t numbers[] = { 0,		1,	    0xff,      0xffffffff,
					    UINT64_MAX, 1ULL << 63, 0x7fffffff };
	uint64_t random = 1;

	for (unsigned i = 0; i < DAMAGES; i++) {
		make_function(kinds[i & 1]);
		for (unsigned words = 0; words <= i % 3; words++) {
			random = random * 6364136223846793005ULL + 1442695040888963407ULL;
			memcpy((char *)image + (random >> 33) % (sizeof(*image) / 4) * 4,
			       &numbers[(random >> 20) % 7], (random >> 24) & 1 ? 4 : 8);
		}
		if (!open_image())
			continue;
		elf_dynamic_find(&dynamic, "mark", &symbol);
		elf_dynamic_each(&dynamic, see, &(struct seen){ .wanted = "mark" });
	}
}
