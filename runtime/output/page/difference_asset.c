/*
 * The page of a comparison shares most scripts with the viewer.  The assembler includes the files
 * unchanged, as in runtime/output/graph/graph_asset.c.
 */
#include "runtime/output/page/difference_asset.h"

#define BEGIN(symbol) \
	".pushsection .rodata\n.global " #symbol "\n.type " #symbol ", %object\n" #symbol ":\n"
#define TEXT(text)    ".ascii \"" text "\"\n"
#define SHARED(path)  ".incbin \"runtime/output/graph/" path "\"\n"
#define FILE_AT(path) ".incbin \"runtime/output/page/" path "\"\n"
#define END(symbol)   ".byte 0\n.size " #symbol ", . - " #symbol "\n.popsection\n"

/* The scripts form one function, so they define no global names. */
/* clang-format off */
__asm__(BEGIN(difference_asset_script)
	TEXT("(function () {\\n'use strict';\\n")
	SHARED("graph_words.js")
	SHARED("graph_diff.js")
	FILE_AT("viewer_unpack.js")
	FILE_AT("viewer_layout.js")
	FILE_AT("viewer_link.js")
	FILE_AT("viewer_palette.js")
	FILE_AT("viewer_elements.js")
	FILE_AT("viewer_canvas.js")
	FILE_AT("viewer_rows.js")
	FILE_AT("difference_data.js")
	FILE_AT("difference_measures.js")
	FILE_AT("difference_flame.js")
	FILE_AT("difference_table.js")
	FILE_AT("difference_told.js")
	FILE_AT("viewer_help.js")
	FILE_AT("difference_keys.js")
	FILE_AT("difference.js")
	TEXT("})();\\n")
	END(difference_asset_script));
/* clang-format on */

__asm__(BEGIN(difference_asset_style) FILE_AT("difference.css") END(difference_asset_style));
