/*
 * Palettes.  Kinds of code differ in hue (in lightness where there is no hue), functions of one
 * kind in the variant of it.  Text on frames is near black on a light background and near white on
 * a dark one; lightness stays in a range where both can be read.
 */
#include "runtime/output/graph/graph_color.h"

#include <stdint.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#define VARIANTS 12
#define STEPS	 8 /* of change, in each direction */

/* Variants are spread between the two ends of each range. */
struct shade {
	double hue[2]; /* degrees */
	double saturation;
	double lightness[2];
};

struct palette {
	struct shade light[FRAME_KINDS];
	struct shade dark[FRAME_KINDS];
};

static const char kind_letter[FRAME_KINDS] = {
	[FRAME_KIND_USER] = 'u',    [FRAME_KIND_KERNEL] = 'k',	[FRAME_KIND_JIT] = 'j',
	[FRAME_KIND_INLINED] = 'i', [FRAME_KIND_WAITING] = 'o', [FRAME_KIND_PREEMPTED] = 'p',
	[FRAME_KIND_UNKNOWN] = 'x', [FRAME_KIND_INTERP] = 'l',
};

static const struct palette palettes[] = {
	[GRAPH_COLORS_HOT] = {
		.light = {
			[FRAME_KIND_USER] = { { 10, 46 }, .92, { .66, .72 } },
			[FRAME_KIND_KERNEL] = { { 204, 226 }, .72, { .72, .79 } },
			[FRAME_KIND_JIT] = { { 86, 124 }, .50, { .65, .73 } },
			[FRAME_KIND_INTERP] = { { 56, 66 }, .95, { .48, .60 } },
			[FRAME_KIND_INLINED] = { { 164, 184 }, .46, { .67, .74 } },
			[FRAME_KIND_WAITING] = { { 268, 292 }, .52, { .76, .82 } },
			[FRAME_KIND_PREEMPTED] = { { 335, 335 }, .65, { .80, .80 } },
			[FRAME_KIND_UNKNOWN] = { { 220, 230 }, .08, { .78, .84 } },
		},
		.dark = {
			[FRAME_KIND_USER] = { { 8, 38 }, .60, { .34, .28 } },
			[FRAME_KIND_KERNEL] = { { 206, 226 }, .46, { .32, .39 } },
			[FRAME_KIND_JIT] = { { 90, 124 }, .36, { .28, .34 } },
			[FRAME_KIND_INTERP] = { { 58, 66 }, .95, { .14, .215 } },
			[FRAME_KIND_INLINED] = { { 168, 186 }, .42, { .27, .33 } },
			[FRAME_KIND_WAITING] = { { 268, 292 }, .34, { .33, .39 } },
			[FRAME_KIND_PREEMPTED] = { { 335, 335 }, .45, { .35, .35 } },
			[FRAME_KIND_UNKNOWN] = { { 220, 230 }, .07, { .31, .37 } },
		},
	},
	/* Found by search: the kinds stay distinct for people without one of the three sorts of
	 * cones, which needs lightness as well as hue. */
	[GRAPH_COLORS_SAFE] = {
		.light = {
			[FRAME_KIND_USER] = { { 22, 30 }, .97, { .48, .56 } },
			[FRAME_KIND_KERNEL] = { { 211, 217 }, .64, { .73, .81 } },
			[FRAME_KIND_JIT] = { { 143, 151 }, .61, { .37, .43 } },
			[FRAME_KIND_INTERP] = { { 69, 73 }, .95, { .74, .78 } },
			[FRAME_KIND_INLINED] = { { 50, 54 }, .97, { .53, .59 } },
			[FRAME_KIND_WAITING] = { { 285, 289 }, .97, { .61, .63 } },
			[FRAME_KIND_PREEMPTED] = { { 144, 144 }, .80, { .74, .74 } },
			[FRAME_KIND_UNKNOWN] = { { 0, 0 }, 0, { .63, .68 } },
		},
		.dark = {
			[FRAME_KIND_USER] = { { 29, 35 }, .89, { .184, .214 } },
			[FRAME_KIND_KERNEL] = { { 216, 224 }, .87, { .415, .455 } },
			[FRAME_KIND_JIT] = { { 154, 162 }, .84, { .151, .171 } },
			[FRAME_KIND_INTERP] = { { 279, 283 }, .95, { .24, .28 } },
			[FRAME_KIND_INLINED] = { { 49, 53 }, .97, { .236, .249 } },
			[FRAME_KIND_WAITING] = { { 265, 269 }, .90, { .11, .13 } },
			[FRAME_KIND_PREEMPTED] = { { 306, 306 }, .45, { .44, .44 } },
			[FRAME_KIND_UNKNOWN] = { { 0, 0 }, 0, { .38, .41 } },
		},
	},
	[GRAPH_COLORS_GREY] = {
		.light = {
			[FRAME_KIND_USER] = { { 0, 0 }, 0, { .80, .86 } },
			[FRAME_KIND_KERNEL] = { { 0, 0 }, 0, { .58, .64 } },
			[FRAME_KIND_JIT] = { { 0, 0 }, 0, { .72, .76 } },
			[FRAME_KIND_INTERP] = { { 0, 0 }, 0, { .87, .89 } },
			[FRAME_KIND_INLINED] = { { 0, 0 }, 0, { .90, .94 } },
			[FRAME_KIND_WAITING] = { { 0, 0 }, 0, { .53, .56 } },
			[FRAME_KIND_PREEMPTED] = { { 0, 0 }, 0, { .98, .98 } },
			[FRAME_KIND_UNKNOWN] = { { 0, 0 }, 0, { .66, .70 } },
		},
		.dark = {
			[FRAME_KIND_USER] = { { 0, 0 }, 0, { .32, .36 } },
			[FRAME_KIND_KERNEL] = { { 0, 0 }, 0, { .20, .23 } },
			[FRAME_KIND_JIT] = { { 0, 0 }, 0, { .28, .31 } },
			[FRAME_KIND_INTERP] = { { 0, 0 }, 0, { .18, .19 } },
			[FRAME_KIND_INLINED] = { { 0, 0 }, 0, { .39, .42 } },
			[FRAME_KIND_WAITING] = { { 0, 0 }, 0, { .14, .17 } },
			[FRAME_KIND_PREEMPTED] = { { 0, 0 }, 0, { .375, .375 } },
			[FRAME_KIND_UNKNOWN] = { { 0, 0 }, 0, { .24, .27 } },
		},
	},
};

static double least(double a, double b)
{
	return a < b ? a : b;
}

/* Returns one channel of a colour, 0 to 255, from hue (degrees, 0 to 360), saturation and lightness
 * (0 to 1); `offset` is 0 for red, 8 for green and 4 for blue. */
static unsigned channel(double hue, double saturation, double lightness, double offset)
{
	double k = offset + hue / 30;
	double chroma = saturation * least(lightness, 1 - lightness);
	double part;

	if (k >= 12)
		k -= 12;
	part = least(least(k - 3, 9 - k), 1);
	return (unsigned)(255 * (lightness - chroma * (part < -1 ? -1 : part)) + .5);
}

static char *put_channel(char *at, unsigned channel)
{
	static const char digits[] = "0123456789abcdef";

	*at++ = digits[channel >> 4 & 15];
	*at++ = digits[channel & 15];
	return at;
}

/* Writes ".c7{fill:#abcdef}".  Each picture has about 240 of these.  fprintf() is not used: for a
 * small profile it would take longer than everything else. */
static void rule(FILE *file, char letter, unsigned number, double hue, double saturation,
		 double lightness)
{
	static const char fill[] = "{fill:#";
	char text[32], *at = text;

	*at++ = '.';
	*at++ = letter;
	if (number >= 10)
		*at++ = (char)('0' + number / 10);
	*at++ = (char)('0' + number % 10);
	memcpy(at, fill, sizeof(fill) - 1);
	at += sizeof(fill) - 1;
	at = put_channel(at, channel(hue, saturation, lightness, 0));
	at = put_channel(at, channel(hue, saturation, lightness, 8));
	at = put_channel(at, channel(hue, saturation, lightness, 4));
	*at++ = '}';
	*at++ = '\n';
	fwrite(text, 1, (size_t)(at - text), file);
}

/* Neighbouring numbers are far apart in hue; lightness varies independently. */
static void shade_css(FILE *file, char letter, const struct shade *shade)
{
	for (unsigned i = 0; i < VARIANTS; i++) {
		double a = (i * 5 % VARIANTS) / (VARIANTS - 1.0);
		double b = (i * 7 % VARIANTS) / (VARIANTS - 1.0);

		rule(file, letter, i, shade->hue[0] + a * (shade->hue[1] - shade->hue[0]),
		     shade->saturation,
		     shade->lightness[0] + b * (shade->lightness[1] - shade->lightness[0]));
	}
}

/* More is red, less is blue; a change that is not significant is grey.  The smallest significant
 * change has a colour that differs from grey.  Without hue more is dark, and less has an edge. */
static void change_css(FILE *file, bool dark, bool grey)
{
	for (unsigned i = 1; i <= STEPS; i++) {
		double strength = (double)i / STEPS;
		double lightness = dark ? .22 + .18 * strength : .90 - .22 * strength;

		if (grey) {
			double line = dark ? .45 + .4 * strength : .55 - .4 * strength;

			rule(file, 'r', i, 0, 0,
			     dark ? .28 + .12 * strength : .74 - .22 * strength);
			rule(file, 'b', i, 0, 0, dark ? .09 : .98);
			fprintf(file, ".b%u{stroke:#%06x}\n", i,
				0x010101U * (unsigned)(255 * line));
			continue;
		}
		rule(file, 'r', i, 8, dark ? .40 + .35 * strength : .90, lightness);
		rule(file, 'b', i, 214, dark ? .40 + .30 * strength : .85, lightness);
	}
	rule(file, 'w', 0, 220, grey ? 0 : .06, dark ? .19 : .88);
}

/* Steps of a ratio differ in lightness, and in hue for readers who can see it: yellow is less, blue
 * is more.  Higher steps contrast more with the background.  Found by search, as above. */
static const unsigned ratio_colors[2][GRAPH_COLOR_RATIOS] = {
	{ 0xfff4c2, 0xebe7a7, 0xccdd96, 0x9ad5a1, 0x69c9b2, 0x3cbac5, 0x1ea9d1, 0x3e94d3 },
	{ 0x412600, 0x433207, 0x413f13, 0x3b4b2a, 0x295848, 0x1b6071, 0x00689b, 0x3669c3 },
};

/* A frame without a ratio also has a dashed edge, if it is wide enough. */
static void ratio_css(FILE *file, bool dark, bool grey)
{
	for (unsigned i = 0; i < GRAPH_COLOR_RATIOS; i++) {
		double part = (double)i / (GRAPH_COLOR_RATIOS - 1);

		if (grey)
			rule(file, 'q', i, 0, 0, dark ? .16 + .24 * part : .95 - .40 * part);
		else
			fprintf(file, ".q%u{fill:#%06x}\n", i, ratio_colors[dark][i]);
	}
	fprintf(file, ".n0{fill:#%06x}\n.n0.edge{stroke:#%06x;stroke-dasharray:2 2}\n",
		dark ? 0x303136U : 0xe4e4e8U, dark ? 0x6a6c75U : 0xa2a4adU);
}

static void css(FILE *file, enum graph_colors colors, bool dark)
{
	const struct palette *palette = &palettes[colors];
	const struct shade *shades = dark ? palette->dark : palette->light;

	for (size_t i = 0; i < FRAME_KINDS; i++)
		shade_css(file, kind_letter[i], &shades[i]);
	change_css(file, dark, colors == GRAPH_COLORS_GREY);
	ratio_css(file, dark, colors == GRAPH_COLORS_GREY);
}

void graph_color_css(FILE *file, enum graph_colors colors)
{
	css(file, colors, false);
	fputs("@media screen and (prefers-color-scheme: dark) {\n", file);
	css(file, colors, true);
	fputs("}\n", file);
}

void graph_color_class(enum frame_kind kind, const char *name, size_t bytes,
		       char class[GRAPH_COLOR_CLASS_BYTES])
{
	uint32_t hash = 2166136261U;

	for (size_t i = 0; i < bytes; i++)
		hash = (hash ^ (unsigned char)name[i]) * 16777619U;
	hash ^= hash >> 15;
	snprintf(class, GRAPH_COLOR_CLASS_BYTES, "%c%u", kind_letter[kind],
		 (unsigned)(hash % VARIANTS));
}

/* The square root keeps small changes visible beside a large one. */
void graph_color_change_class(double change, double most, char class[GRAPH_COLOR_CLASS_BYTES])
{
	double strength = most > 0 ? sqrt(least(fabs(change) / most, 1)) : 1;
	unsigned step = (unsigned)(strength * STEPS + .5);

	if (!(fabs(change) > 0))
		snprintf(class, GRAPH_COLOR_CLASS_BYTES, "w0");
	else
		snprintf(class, GRAPH_COLOR_CLASS_BYTES, "%c%u", change > 0 ? 'r' : 'b',
			 step ? step : 1);
}

void graph_color_ratio_class(int step, bool edge, char class[GRAPH_COLOR_CLASS_BYTES])
{
	if (step < 0)
		snprintf(class, GRAPH_COLOR_CLASS_BYTES, edge ? "n0 edge" : "n0");
	else
		snprintf(class, GRAPH_COLOR_CLASS_BYTES, "q%d", step);
}

void graph_color_kind_class(enum frame_kind kind, char class[GRAPH_COLOR_CLASS_BYTES])
{
	snprintf(class, GRAPH_COLOR_CLASS_BYTES, "%c1", kind_letter[kind]);
}
