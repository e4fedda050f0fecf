/* What a section unpacks to is known only when it was unpacked: its index may lie. */
#include "runtime/profile/debuginfo/symbols_elf.h"

#include <elf.h>
#include <gelf.h>
#include <lzma.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "runtime/profile/base/library.h"
#include "runtime/profile/debuginfo/elfutils.h"

#define UNPACKED_MOST ((size_t)128 << 20)
#define DECODER_MOST  ((uint64_t)128 << 20) /* memory of the decoder itself */

static struct {
	__typeof__(lzma_stream_decoder) *lzma_stream_decoder;
	__typeof__(lzma_code) *lzma_code;
	__typeof__(lzma_end) *lzma_end;
} lzma;

static bool open_library(void)
{
	static const struct library_entry entries[] = {
		{ "lzma_stream_decoder", (void **)&lzma.lzma_stream_decoder },
		{ "lzma_code", (void **)&lzma.lzma_code },
		{ "lzma_end", (void **)&lzma.lzma_end },
		{ 0 },
	};

	return lzma.lzma_end || !library_open("liblzma.so.5", entries);
}

/* Returns the section, with its header; NULL if there is none or .symtab makes it needless. */
static Elf_Scn *find_section(Elf *elf, GElf_Shdr *header)
{
	Elf_Scn *at = NULL, *found = NULL;
	GElf_Shdr section;
	size_t names;

	if (elfutils.elf_getshdrstrndx(elf, &names))
		return NULL;
	while ((at = elfutils.elf_nextscn(elf, at))) {
		const char *name;

		if (!elfutils.gelf_getshdr(at, &section))
			continue;
		if (section.sh_type == SHT_SYMTAB)
			return NULL;
		name = elfutils.elf_strptr(elf, names, section.sh_name);
		if (name && !strcmp(name, ".gnu_debugdata")) {
			*header = section;
			found = at;
		}
	}
	return found;
}

static const char *unpack(const Elf_Data *packed)
{
	static const char damaged[] = "has damaged symbols in .gnu_debugdata:";
	static uint8_t buffer[1 << 16];
	lzma_stream stream = LZMA_STREAM_INIT;
	lzma_ret result = lzma.lzma_stream_decoder(&stream, DECODER_MOST, 0);
	bool is_elf = true;

	stream.next_in = packed->d_buf;
	stream.avail_in = packed->d_size;
	while (result == LZMA_OK && stream.total_out <= UNPACKED_MOST) {
		bool first = !stream.total_out;

		stream.next_out = buffer;
		stream.avail_out = sizeof(buffer);
		result = lzma.lzma_code(&stream, LZMA_FINISH);
		if (first)
			is_elf = !memcmp(buffer, ELFMAG, SELFMAG);
	}
	lzma.lzma_end(&stream);
	if (result == LZMA_OK)
		return "has symbols in .gnu_debugdata that are too large:";
	return result == LZMA_STREAM_END && is_elf ? NULL : damaged;
}

const char *mini_debug_check(Elf *elf)
{
	GElf_Shdr header;
	Elf_Scn *section = find_section(elf, &header);
	const Elf_Data *packed = section ? elfutils.elf_rawdata(section, NULL) : NULL;
	const char *wrong;

	if (!packed || !packed->d_buf || !open_library())
		return NULL;
	wrong = unpack(packed);
	if (!wrong)
		return NULL;
	header.sh_name = 0;
	return elfutils.gelf_update_shdr(section, &header) ? wrong : NULL;
}
