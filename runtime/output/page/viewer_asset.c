/*
 * The assembler includes the files unchanged, as in runtime/output/graph/graph_asset.c.
 */
#include "runtime/output/page/viewer_asset.h"

#define BEGIN(symbol) \
	".pushsection .rodata\n.global " #symbol "\n.type " #symbol ", %object\n" #symbol ":\n"
#define TEXT(text)    ".ascii \"" text "\"\n"
#define SHARED(path)  ".incbin \"runtime/output/graph/" path "\"\n"
#define FILE_AT(path) ".incbin \"runtime/output/page/" path "\"\n"
#define END(symbol)   ".byte 0\n.size " #symbol ", . - " #symbol "\n.popsection\n"

/* The scripts form one function, so they define no global names. */
/* clang-format off */
__asm__(BEGIN(viewer_asset_script)
	TEXT("(function () {\\n'use strict';\\n")
	SHARED("graph_words.js")
	FILE_AT("viewer_unpack.js")
	FILE_AT("viewer_data.js")
	FILE_AT("viewer_model.js")
	FILE_AT("viewer_frames.js")
	FILE_AT("viewer_layout.js")
	FILE_AT("viewer_tree.js")
	FILE_AT("viewer_link.js")
	FILE_AT("viewer_state.js")
	FILE_AT("viewer_palette.js")
	FILE_AT("viewer_colour.js")
	FILE_AT("viewer_elements.js")
	FILE_AT("viewer_page.js")
	FILE_AT("viewer_axis.js")
	FILE_AT("viewer_parts.js")
	FILE_AT("viewer_heat.js")
	FILE_AT("viewer_lanes.js")
	FILE_AT("viewer_time.js")
	FILE_AT("viewer_pieces.js")
	FILE_AT("viewer_moments.js")
	FILE_AT("viewer_canvas.js")
	FILE_AT("viewer_flame.js")
	FILE_AT("viewer_rows.js")
	FILE_AT("viewer_table.js")
	FILE_AT("viewer_source.js")
	FILE_AT("viewer_help.js")
	FILE_AT("viewer_keys.js")
	FILE_AT("viewer.js")
	TEXT("})();\\n")
	END(viewer_asset_script));
/* clang-format on */

__asm__(BEGIN(viewer_asset_style) FILE_AT("viewer.css") END(viewer_asset_style));
