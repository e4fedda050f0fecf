/*
 * The keyboard, and the list of keys.
 */
