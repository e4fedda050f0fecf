/*
 * The flame graph of the selection.
 */
