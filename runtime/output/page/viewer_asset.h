/*
 * The parts of the page that are separate files in the source: script and style sheet.
 */
#ifndef RUNTIME_OUTPUT_PAGE_VIEWER_ASSET_H
#define RUNTIME_OUTPUT_PAGE_VIEWER_ASSET_H

/* The text of the scripts that viewer_data.h lists, as one function, and of viewer.css; both
 * NUL-terminated. */
extern const char viewer_asset_script[];
extern const char viewer_asset_style[];

#endif
