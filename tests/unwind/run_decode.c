/*
 * Lengths of instructions.  Each line of standard input has the bytes of one, in hexadecimal.
 * Those whose length is found to be different are printed.
 */

#ifdef __x86_64__

#include "runtime/sample/unwind/unwind_return_x86_64.h"
#include "tests/support/libc.h"

int main(void)
{
	char line[256];
	unsigned long number = 0, wrong = 0;

	while (fgets(line, sizeof(line), stdin)) {
		uint8_t code[UNWIND_INSTRUCTION_MAX] = { 0 };
		struct unwind_instruction found;
		unsigned bytes = 0;
		char *at = line, *end;

		for (; bytes < sizeof(code); at = end) {
			unsigned long byte = strtoul(at, &end, 16);

			if (end == at)
				break;
			code[bytes++] = (uint8_t)byte;
		}
		number++;
		if (unwind_decode(code, sizeof(code), &found) && found.bytes == bytes &&
		    !unwind_decode(code, bytes - 1, &found))
			continue;
		wrong++;
		printf("%u of %s", found.bytes, line);
	}
	printf("instructions %lu wrong %lu\nrun_decode: end\n", number, wrong);
	return 0;
}

#else

int main(void)
{
	puts("another machine's instructions");
	return 77;
}

#endif
