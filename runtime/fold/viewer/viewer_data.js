/*
 * Reads the data of the page (viewer_data.h): base64, deflate, columns.
 */
