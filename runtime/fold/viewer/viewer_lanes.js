/*
 * The lanes: one row for each thread, grouped by process.
 */
