// One exception through a few frames: libgcc walks the same tables, under the loader's lock.
#include <stdexcept>
#include <string>

extern "C" void storm_throw(void);

static __attribute__((noinline)) int fall(int depth)
{
	std::string room(30, 'x');

	if (!depth)
		throw std::runtime_error("thrown");
	return fall(depth - 1) + static_cast<int>(room.size());
}

void storm_throw(void)
{
	try {
		fall(6);
	} catch (const std::exception &) {
	}
}
