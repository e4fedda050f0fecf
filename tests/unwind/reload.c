/* Two libraries that differ in the size of one frame (RELOAD_BYTES), and in no address. */
struct chain;

void reload_through(void (*function)(struct chain *chain), struct chain *chain);

void reload_through(void (*function)(struct chain *chain), struct chain *chain)
{
	volatile char room[RELOAD_BYTES];

	room[0] = 1;
	function(chain);
	room[RELOAD_BYTES - 1] = room[0];
}
