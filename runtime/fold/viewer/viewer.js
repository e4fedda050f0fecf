/*
 * Starts the page: reads the data, builds the page, and draws it again when the state changes.
 */
