/*
 * The upper part of the page: heatmap or lanes, and what is selected there.
 */
