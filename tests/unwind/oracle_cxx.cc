// C++ under the oracle: templates that the library inlines, and exceptions through frames that
// have something to destroy.
#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

extern "C" void oracle_cxx_sort(void *argument);
extern "C" void oracle_cxx_throw(void *argument);

void oracle_cxx_sort(void *)
{
	std::vector<std::string> names;
	std::map<std::string, int> counts;

	for (int i = 0; i < 60; i++)
		names.push_back("name" + std::to_string(i * 37 % 61));
	std::sort(names.begin(), names.end());
	for (const auto &name : names)
		counts[name.substr(0, 5)]++;
}

static __attribute__((noinline)) int fall(int depth)
{
	std::string room(40, 'x');

	if (!depth)
		throw std::runtime_error("thrown");
	return fall(depth - 1) + static_cast<int>(room.size());
}

void oracle_cxx_throw(void *)
{
	for (int i = 0; i < 5; i++) {
		try {
			fall(4);
		} catch (const std::exception &) {
		}
	}
}
