/*
 * The parts of the page of a comparison that are separate files in the source.
 */
#ifndef RUNTIME_OUTPUT_PAGE_DIFFERENCE_ASSET_H
#define RUNTIME_OUTPUT_PAGE_DIFFERENCE_ASSET_H

/* The scripts as one function, and the style sheet that follows viewer.css; both NUL-terminated. */
extern const char difference_asset_script[];
extern const char difference_asset_style[];

#endif
