/*
 * The source lines of a function.
 */
