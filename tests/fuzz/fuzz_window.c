/* For any text: a time is taken or refused with a message, and a window of times
 * lies in the profile or is refused. */
#include "runtime/profile/time/window.h"
#include "tests/fuzz/fuzz.h"

#define S 1000000000ull

static const char *const zones[] = { "UTC", "Europe/Berlin", "America/New_York", "Asia/Kathmandu",
				     "<x>99:99" };

static bool parse(const char *text, struct window_moment *moment)
{
	char line[512] = "";
	int err = window_parse("from", text, moment, line, sizeof(line));

	CHECK(!err || line[0]); /* what shows it makes it safe */
	CHECK(err || moment->base != WINDOW_OPEN);
	return !err;
}

/* The input: a zone, the start and the end of the profile in some 18 hours each, and two texts with
 * a NUL between them. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct window window = { 0 };
	struct window_span span;
	uint64_t start_ns, end_ns;
	char text[256] = "", line[512] = "";
	const char *second;

	if (size < 4 || size > sizeof(text))
		return 0;
	setenv("TZ", zones[data[0] % (sizeof(zones) / sizeof(*zones))], 1);
	tzset();
	start_ns = data[1] * 65536 * S;
	end_ns = start_ns + data[2] * 65536 * S;
	memcpy(text, data + 3, size - 3);
	second = text + strlen(text) + (strlen(text) < size - 3);
	if (text[0] && !parse(text, &window.from))
		return 0;
	if (second[0] && !parse(second, &window.to))
		return 0;
	if (window_place(&window, start_ns, end_ns, &span, line, sizeof(line))) {
		CHECK(line[0] && !strchr(line, '\n'));
		return 0;
	}
	CHECK(span.from_ns < span.to_ns);
	CHECK(!span.from_ns || (span.from_ns > start_ns && span.from_ns <= end_ns));
	CHECK(span.to_ns == UINT64_MAX || (span.to_ns > start_ns && span.to_ns < end_ns));
	return 0;
}
