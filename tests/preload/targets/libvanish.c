/* Takes page faults, one for each page, in a function that was sampled before or in one that was
 * not. */
#define PAGE 4096

void vanish_seen(volatile char *pages, unsigned count);
void vanish_unseen(volatile char *pages, unsigned count);

void vanish_seen(volatile char *pages, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		pages[i * PAGE] = 1;
}

void vanish_unseen(volatile char *pages, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		pages[i * PAGE] = 2;
}
