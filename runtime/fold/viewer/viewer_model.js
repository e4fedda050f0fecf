/*
 * Sums of a selection, without anything on screen: weights of nodes, rows of tables.
 */
