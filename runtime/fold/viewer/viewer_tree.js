/*
 * The frames of a flame graph of a selection: from the root, inverted, callers and callees.
 */
