# The context tree and its readers under ThreadSanitizer.
RACE_BIN := $(TESTBUILD)/race_tree
RACE_SRC := tests/preload/race_tree.c $(CONFIG_SRC) $(SPOOL_SRC) $(SAMPLE_SRC)

test-programs: $(RACE_BIN)

$(RACE_BIN): $(RACE_SRC:%.c=$(TESTBUILD)/race/%.o)
	$(CC) -fsanitize=thread -Wl,--wrap=sys_mmap_at,--wrap=sys_munmap -o $@ $^ -ldl -pthread

$(TESTBUILD)/race/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(TEST_CPPFLAGS) $(TEST_CFLAGS) -O2 -fsanitize=thread -c -o $@ $<

-include $(wildcard $(RACE_SRC:%.c=$(TESTBUILD)/race/%.d))

# A day's samples, without a sanitizer's cost.
BOUND_BIN := $(TESTBUILD)/bound_tree
test-programs: $(BOUND_BIN)

$(BOUND_BIN): tests/preload/bound_tree.c $(SPOOL_SRC) $(SAMPLE_SRC) $(CONFIG_SRC)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) -O2 -g -std=gnu17 $(WARN) -ffunction-sections -Wl,--gc-sections -o $@ \
		tests/preload/bound_tree.c $(SPOOL_SRC) $(SAMPLE_SRC) $(CONFIG_SRC) -ldl -pthread

.PHONY: test-suites test-long
SUITES ?= all
test-suites:
	@tests/setup.sh build test suites
	@$(MAKE) --no-print-directory $(JOBS) all
	@FLAMETRAP_SUITES='$(SUITES)' tests/elsewhere.sh '$(abspath $(BUILD))' \
		$(PYTHON) -B -m pytest -q -s -p no:cacheprovider tests/preload/test_suites.py

# The full numbers: each storm for so many seconds of each thread's CPU time, so many times.
HARM_SECONDS ?= 60
HARM_TIMES ?= 20
test-long:
	@tests/setup.sh build test
	@$(MAKE) --no-print-directory $(JOBS) all test-programs
	@HARM_LONG=1 HARM_SECONDS=$(HARM_SECONDS) HARM_TIMES=$(HARM_TIMES) \
		tests/elsewhere.sh '$(abspath $(BUILD))' $(PYTHON) -B -m pytest -q \
		-p no:cacheprovider $(addprefix tests/preload/test_,harm_bounds.py faults.py) \
		tests/interp/test_python_oracle.py

# The spool's two sides in every order of their steps.
INTERLEAVE_BIN := $(TESTBUILD)/interleave_tree
INTERLEAVE_SRC := tests/preload/interleave_tree.c tests/preload/interleave_turns.c \
	runtime/profile/base/user_file.c runtime/profile/base/ranges.c \
	runtime/profile/spool/spool_read.c runtime/profile/spool/spool_log.c runtime/profile/spool/spool_check.c \
	runtime/profile/spool/spool_tables.c \
	runtime/profile/spool/spool_version.c $(SPOOL_SRC) $(SAMPLE_SRC) $(CONFIG_SRC)
test-programs: $(INTERLEAVE_BIN)

$(INTERLEAVE_BIN): $(INTERLEAVE_SRC) tests/preload/interleave.h
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) -O2 -g -std=gnu17 $(WARN) -ffunction-sections -Wl,--gc-sections \
		-include tests/preload/interleave.h -Wl,--wrap=pread -o $@ $(INTERLEAVE_SRC) -ldl -pthread

# A log as it is after each store of its writer.
STEPS_BIN := $(TESTBUILD)/steps_log
STEPS_SRC := tests/preload/steps_log.c tests/support/log_walk.c $(SPOOL_SRC) $(SAMPLE_SRC) $(CONFIG_SRC)
test-programs: $(STEPS_BIN)

$(STEPS_BIN): $(STEPS_SRC) tests/preload/interleave.h
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) -O2 -g -std=gnu17 $(WARN) -ffunction-sections -Wl,--gc-sections \
		-include tests/preload/interleave.h -o $@ $(STEPS_SRC) -ldl -pthread
