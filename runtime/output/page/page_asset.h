/*
 * The parts of both pages that are separate files in the source: scripts and style sheets.
 */
#ifndef RUNTIME_OUTPUT_PAGE_PAGE_ASSET_H
#define RUNTIME_OUTPUT_PAGE_PAGE_ASSET_H

/* The modules of viewer.js and of difference.js, each joined to one function by join.awk; the
 * styles of a comparison come after the viewer's.  All are NUL-terminated. */
extern const char page_asset_viewer_script[];
extern const char page_asset_viewer_style[];
extern const char page_asset_difference_script[];
extern const char page_asset_difference_style[];

#endif
