/* A preloaded library without contents: shows the loader's time for any library. */
extern const int preloaded_nothing;
const int preloaded_nothing = 0;
