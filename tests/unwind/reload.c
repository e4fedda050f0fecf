/* Two libraries that differ in the size of one frame (RELOAD_BYTES), and in no address. */
struct chain;

void reload_through(void (*function)(struct chain *chain), struct chain *chain);

void reload_through(void (*function)(struct chain *chain), struct chain *chain)
{
	volatile char room[RELOAD_BYTES];

	/* somebody may look at all of it: clang keeps only the two bytes otherwise */
	__asm__ volatile("" ::"r"(room) : "memory");
	room[0] = 1;
	function(chain);
	room[RELOAD_BYTES - 1] = room[0];
}
