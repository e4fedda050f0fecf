/*
 * The scripts, which the build joins, and the styles.
 */
#include "runtime/output/page/page_asset.h"

#include "runtime/output/graph/asset.h"

ASSET(page_asset_viewer_script, GENERATED_FOLDER "viewer.js");
ASSET(page_asset_viewer_style, "runtime/output/page/view/viewer.css");
ASSET(page_asset_difference_script, GENERATED_FOLDER "difference.js");
ASSET(page_asset_difference_style, "runtime/output/page/view/difference.css");
