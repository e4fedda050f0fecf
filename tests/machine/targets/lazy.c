/* Functions that are bound at their first call, below a caller whose frame counts from the
 * stack pointer.  Linked with -z lazy. */
#include <ctype.h>
#include <strings.h>
#include <wchar.h>

#include "tests/machine/targets/spin.h"
#include "tests/support/libc.h"

static volatile unsigned long sum;

SPIN_FUNCTION void call_all(const char *text)
{
	char room[64];

	sum += strcspn(text, "z") + strspn(text, "w") + (unsigned long)strtol(text, NULL, 10);
	sum += (unsigned long)(strpbrk(text, "o") - text) + (unsigned long)strcoll(text, "a");
	sum += strxfrm(room, text, sizeof(room)) + (unsigned long)strncasecmp(text, "WORK", 4);
	sum += (unsigned long)atof(text) + (unsigned long)ffsl((long)sum) + strnlen(text, 3);
	sum += mbstowcs(NULL, text, 0) + (unsigned long)btowc('a') + strtoull(text, NULL, 16);
	sum += (unsigned long)lrand48() + (unsigned long)rand() + (unsigned long)random();
	sum += (unsigned long)strverscmp(text, "a") + (unsigned long)(strstr(text, "k") - text);
	SPIN_STAY();
}

int main(void)
{
	call_all("worked");
	puts("worked");
	return 0;
}
