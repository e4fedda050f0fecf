/*
 * The state of the page, which is in the URL's fragment.
 */
