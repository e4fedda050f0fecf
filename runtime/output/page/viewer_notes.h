/*
 * What a page says about its profile: how it was sampled, and what it lacks.
 */
#ifndef RUNTIME_OUTPUT_PAGE_VIEWER_NOTES_H
#define RUNTIME_OUTPUT_PAGE_VIEWER_NOTES_H

struct json;
struct viewer_data;

/* Write the elements of a JSON array: one for each counter, then whole sentences. */
void viewer_notes_write(const struct viewer_data *data, struct json *json);

#endif
