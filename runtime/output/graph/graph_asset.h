/*
 * The parts of a flame graph that are separate files in the source: script and style sheet.
 */
#ifndef RUNTIME_OUTPUT_GRAPH_GRAPH_ASSET_H
#define RUNTIME_OUTPUT_GRAPH_GRAPH_ASSET_H

/* The text of graph_words.js, graph_diff.js, graph_model.js, graph_draw.js, graph_crop.js,
 * graph_walk.js and graph.js, as one function, and of graph.css; both NUL-terminated. */
extern const char graph_asset_script[];
extern const char graph_asset_style[];

#endif
