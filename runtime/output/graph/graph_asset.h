/*
 * The parts of a flame graph that are separate files in the source: script and style sheet.
 */
#ifndef RUNTIME_OUTPUT_GRAPH_GRAPH_ASSET_H
#define RUNTIME_OUTPUT_GRAPH_GRAPH_ASSET_H

/* The modules of graph.js, joined to one function by join.awk, and graph.css; both NUL-terminated.
 */
extern const char graph_asset_script[];
extern const char graph_asset_style[];

#endif
