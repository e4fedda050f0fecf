/*
 * A library that is preloaded and holds nothing: what the loader takes for any.
 */
extern const int preloaded_nothing;
const int preloaded_nothing = 0;
