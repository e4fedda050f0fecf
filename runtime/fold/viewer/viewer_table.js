/*
 * The table of the selection.
 */
