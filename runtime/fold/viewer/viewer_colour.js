/*
 * Colours: the classes of the SVG for light and dark backgrounds, ratios, the heatmap.
 */
