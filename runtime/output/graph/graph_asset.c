/*
 * The assembler includes the files unchanged, so they stay readable in the source and no tool has
 * to convert them to C.  Paths are relative to the top of the source tree, where the compiler runs.
 */
#include "runtime/output/graph/graph_asset.h"

#define BEGIN(symbol) \
	".pushsection .rodata\n.global " #symbol "\n.type " #symbol ", %object\n" #symbol ":\n"
#define TEXT(text)    ".ascii \"" text "\"\n"
#define FILE_AT(path) ".incbin \"runtime/output/graph/" path "\"\n"
#define END(symbol)   ".byte 0\n.size " #symbol ", . - " #symbol "\n.popsection\n"

/* The scripts form one function, so they define no global names in a page that holds the graph. */
__asm__(BEGIN(graph_asset_script) TEXT("(function () {\\n'use strict';\\n")
		FILE_AT("graph_words.js") FILE_AT("graph_diff.js") FILE_AT("graph_model.js")
			FILE_AT("graph_draw.js") FILE_AT("graph_crop.js") FILE_AT("graph_walk.js")
				FILE_AT("graph.js") TEXT("})();\\n") END(graph_asset_script));

__asm__(BEGIN(graph_asset_style) FILE_AT("graph.css") END(graph_asset_style));
