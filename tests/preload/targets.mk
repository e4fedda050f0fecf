# Programs to be profiled: tests/preload/targets/NAME.c or NAME.cpp, plain -O2 as anybody would
# build them; libNAME.c is a shared object, found by its runpath.
TARGET_SRC := $(wildcard tests/preload/targets/*.c)
TARGET_LIB_SRC := $(filter tests/preload/targets/lib%,$(TARGET_SRC))
TARGET_C_SRC := $(filter-out $(TARGET_LIB_SRC),$(TARGET_SRC))
TARGET_CXX_SRC := $(wildcard tests/preload/targets/*.cpp)
TARGET_DIR := $(TESTBUILD)/targets
TARGET_LIB := $(TARGET_LIB_SRC:tests/preload/targets/%.c=$(TARGET_DIR)/%.so)
TARGET_BIN := $(TARGET_C_SRC:tests/preload/targets/%.c=$(TARGET_DIR)/%) \
	$(TARGET_CXX_SRC:tests/preload/targets/%.cpp=$(TARGET_DIR)/%)
TARGET_CFLAGS := -O2 -g -D_GNU_SOURCE -I. -Wall -Wextra -Werror
TARGET_LDFLAGS := -pthread -ldl -lm -Wl,-rpath,'$$ORIGIN' -L$(TARGET_DIR)

# What a program needs besides: TARGET_LIBS_NAME.
TARGET_LIBS_truth := -ltruth_a -ltruth_b
# the loader's own code needs libc's thread pointer
TARGET_LIBS_any_state := -Wl,-z,now -fno-stack-protector
TARGET_LIBS_gone := -rdynamic
TARGET_LIBS_ends := -lends
# Its own definitions are found by libraries, too.
TARGET_LIBS_harm_names := -rdynamic
TARGET_LIBS_traced_program := -rdynamic
TARGET_LIBS_traced_linked := -ltraced

target-programs: $(TARGET_BIN) $(TARGET_LIB)

$(TARGET_LIB): $(TARGET_DIR)/%.so: tests/preload/targets/%.c $(wildcard tests/preload/targets/*.h)
	@mkdir -p $(@D)
	$(CC) $(TARGET_CFLAGS) -std=gnu17 -fPIC -shared -o $@ $<

$(TARGET_DIR)/%: tests/preload/targets/%.c $(wildcard tests/preload/targets/*.h) $(TARGET_LIB)
	@mkdir -p $(@D)
	$(CC) $(TARGET_CFLAGS) -std=gnu17 -o $@ $< $(TARGET_LDFLAGS) $(TARGET_LIBS_$(@F))

$(TARGET_DIR)/%: tests/preload/targets/%.cpp $(TARGET_LIB)
	@mkdir -p $(@D)
	$(CXX) $(TARGET_CFLAGS) -std=gnu++17 -o $@ $< $(TARGET_LDFLAGS) $(TARGET_LIBS_$(@F))
