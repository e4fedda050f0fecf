/*
 * The scripts, which the build joins, and the style.
 */
#include "runtime/output/graph/graph_asset.h"

#include "runtime/output/graph/asset.h"

ASSET(graph_asset_script, GENERATED_FOLDER "graph.js");
ASSET(graph_asset_style, "runtime/output/graph/graph.css");
