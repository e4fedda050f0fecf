/*
 * The heatmap: columns of time, rows of the time within a column.
 */
