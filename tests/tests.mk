# Tests, lint and demo.  `make test` installs, builds, runs a test of everything, and ends with one
# line: "N passed, N failed, N skipped".  One part of it: make test TESTS=tests/sample/test_ring.c
# `make test-all` runs the long tests, too.

PYTHON ?= /usr/bin/python3
CLANG ?= $(firstword $(foreach name,clang-14 clang,$(if $(shell command -v $(name)),$(name))))
CXX ?= c++
TESTS ?= tests
TESTBUILD := $(BUILD)/test
FUZZ_SECONDS ?= 300
# A recursive make inherits -j; when there was none, use every processor.
JOBS = $(if $(filter -j% --jobserver%,$(MAKEFLAGS)),,-j$(shell nproc))

.PHONY: unit test-all test-programs unit-programs fuzz-programs target-programs fault-library fuzz

# Of processes that run tests at once.
WORKERS ?= auto
PYTEST = tests/elsewhere.sh '$(abspath $(BUILD))' $(PYTHON) -B -m pytest -q -p no:cacheprovider \
	--again --workers $(WORKERS)

# What is named by TESTS is run whole.
test:
	@tests/setup.sh build test
	@$(MAKE) --no-print-directory $(JOBS) all test-programs
	@$(PYTEST) $(if $(filter tests,$(TESTS)),-m 'not long') $(TESTS)

test-all: export FLAMETRAP_FUZZ_SECONDS ?= 60
test-all:
	@tests/setup.sh build test
	@$(MAKE) --no-print-directory $(JOBS) all test-programs
	@$(PYTEST) $(TESTS)

# In a clean clone on a minimal Debian: make test-fresh SUITE=trixie COMMAND='make demo' (AS=user).
# make itself gives AS a value, the assembler's name.
SUITE ?= bookworm
COMMAND ?= make test
.PHONY: test-fresh
test-fresh:
	@tests/setup.sh fresh
	@tests/fresh.sh $(if $(filter-out default undefined,$(origin AS)),--$(AS)) '$(SUITE)' '$(COMMAND)'

# The part that needs no shim and no command: unit programs, modules of the page (node), fuzz targets.
SCRIPT_TESTS := $(wildcard tests/page/*.test.mjs)
unit:
	@tests/setup.sh build test
	@$(MAKE) --no-print-directory $(JOBS) unit-programs fuzz-programs
	@FLAMETRAP_FUZZ_SECONDS=2 $(PYTEST) -m 'not long' $(UNIT_SRC) $(SCRIPT_TESTS) $(wildcard tests/fuzz tests/project/test_lint_source.py)

test-programs: unit-programs fuzz-programs target-programs fault-library

# The shim with fault points, and a command beside it.
fault-library:
	@$(MAKE) --no-print-directory BUILD=$(TESTBUILD)/faults CONFIG_FAULTS=1 \
		$(TESTBUILD)/faults/libflametrap.so
	@ln -sf ../../flametrap $(TESTBUILD)/faults/flametrap

# Unit tests: cmocka, and with them everything but preload/ under ASan and UBSan.
UNIT_SRC := $(wildcard $(foreach room,config spool sample profile command,tests/$(room)/test_*.c))
UNIT_LDFLAGS_test_session := -Wl,--wrap=sys_clock,--wrap=proc_start_ticks \
	-Wl,--wrap=proc_clock_offsets
UNIT_LDFLAGS_test_plan_probe := -Wl,--wrap=sys_perf_event_open,--wrap=sys_ioctl \
	-Wl,--wrap=sys_read,--wrap=sys_close
UNIT_LDFLAGS_test_tree_modules := -Wl,--wrap=loader_describe \
	-Wl,--wrap=dl_iterate_phdr
UNIT_LDFLAGS_test_interp_stacks := -Wl,--wrap=sys_futex_wait
UNIT_LDFLAGS_test_interp_read := -Wl,--wrap=sys_copy_memory
UNIT_LDFLAGS_test_interp_look := -Wl,--wrap=interp_object_symbol
UNIT_LDFLAGS_test_thread_slot := -Wl,--wrap=sys_mmap_apart
UNIT_LDFLAGS_test_spool_log_live := -Wl,--wrap=spool_check_pread_thread
UNIT_LDFLAGS_test_no_library := -Wl,--wrap=library_open
UNIT_BIN := $(UNIT_SRC:tests/%.c=$(TESTBUILD)/unit/%)
# What helps several goes into the library that they are linked with.
UNIT_HELPER_SRC := $(wildcard tests/support/*.c)
# The command has end-to-end tests, except for its files that only compute.
LIBRARY_SRC := $(CONFIG_SRC) $(SPOOL_SRC) $(READER_SRC) $(SAMPLE_SRC) $(UNIT_HELPER_SRC) \
	runtime/collect/left_over.c runtime/command/ab/schedule.c
TEST_CPPFLAGS := $(filter-out -D_FORTIFY_SOURCE=%,$(CPPFLAGS)) -U_FORTIFY_SOURCE
TEST_CFLAGS := -O1 -g -std=gnu17 $(WARN) -fno-common -fno-omit-frame-pointer -MMD -MP
TEST_SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=all
# libprotobuf-c: pprof_reader.c reads what was written
TEST_LIBS := -lcmocka $(COMMAND_LIBS) -lprotobuf-c -lz -ldl -pthread
LIBRARY_OBJ := $(LIBRARY_SRC:%.c=$(TESTBUILD)/%.o)

unit-programs: $(UNIT_BIN)

$(TESTBUILD)/library.a: $(LIBRARY_OBJ)
	@rm -f $@
	$(AR) rcs $@ $^

$(TESTBUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(TEST_CPPFLAGS) $(TEST_CFLAGS) $(TEST_SANITIZE) -c -o $@ $<

$(addprefix $(TESTBUILD)/,tests/profile/test_pprof.o tests/support/pprof_reader.o \
	clang/tests/support/pprof_reader.o clang/tests/fuzz/fuzz_formats.o): $(GENERATED)/pprof.pb-c.h
$(addprefix $(TESTBUILD)/,tests/profile/test_perfetto.o clang/tests/fuzz/fuzz_timed.o): \
	$(GENERATED)/perfetto.pb-c.h

$(UNIT_BIN): $(TESTBUILD)/unit/%: $(TESTBUILD)/tests/%.o $(TESTBUILD)/library.a
	@mkdir -p $(@D)
	$(CC) $(TEST_SANITIZE) $(UNIT_LDFLAGS_$(@F)) -o $@ $< $(TESTBUILD)/library.a $(TEST_LIBS)

# Fuzz targets: clang's libFuzzer.  In `make test-all` each runs for a minute.
FUZZ_SRC := $(wildcard tests/fuzz/fuzz_*.c)
FUZZ_BIN := $(FUZZ_SRC:tests/fuzz/%.c=$(TESTBUILD)/fuzz/%)
FUZZ_OBJ := $(patsubst %.c,$(TESTBUILD)/clang/%.o,$(filter-out tests/support/unit.c,$(LIBRARY_SRC)))
FUZZ_CFLAGS := -O1 -g -std=gnu17 -w -fno-common -fno-omit-frame-pointer -MMD -MP \
	-fsanitize=address,undefined -fno-sanitize-recover=all

fuzz-programs: $(FUZZ_BIN)

$(TESTBUILD)/clang/%.o: %.c
	@mkdir -p $(@D)
	$(CLANG) $(TEST_CPPFLAGS) $(FUZZ_CFLAGS) -fsanitize=fuzzer-no-link -c -o $@ $<

$(TESTBUILD)/clang/library.a: $(FUZZ_OBJ)
	@rm -f $@
	$(AR) rcs $@ $^

$(FUZZ_BIN): $(TESTBUILD)/fuzz/%: $(TESTBUILD)/clang/tests/fuzz/%.o $(TESTBUILD)/clang/library.a
	@mkdir -p $(@D)
	$(CLANG) $(FUZZ_CFLAGS) -fsanitize=fuzzer -o $@ $< $(TESTBUILD)/clang/library.a $(TEST_LIBS)

# The long run: each target for FUZZ_SECONDS, findings kept in $(TESTBUILD)/fuzz.
fuzz:
	@tests/setup.sh build test
	@$(MAKE) --no-print-directory $(JOBS) fuzz-programs
	@for target in $(FUZZ_BIN); do \
		name=$${target##*/fuzz_}; \
		mkdir -p $(TESTBUILD)/fuzz/corpus/$$name; \
		echo "fuzz: $$name for $(FUZZ_SECONDS) s"; \
		$$target -max_total_time=$(FUZZ_SECONDS) -print_final_stats=1 -verbosity=0 \
			-artifact_prefix=$(TESTBUILD)/fuzz/$$name- \
			$(TESTBUILD)/fuzz/corpus/$$name tests/fuzz/corpus/$$name || exit 1; \
	done

.SECONDARY: $(UNIT_SRC:%.c=$(TESTBUILD)/%.o) $(FUZZ_SRC:%.c=$(TESTBUILD)/clang/%.o)
-include $(wildcard $(LIBRARY_OBJ:.o=.d) $(FUZZ_OBJ:.o=.d) $(UNIT_SRC:%.c=$(TESTBUILD)/%.d) \
	$(FUZZ_SRC:%.c=$(TESTBUILD)/clang/%.d))

demo:
	@echo "demo: installs what is missing, builds flametrap, and profiles sqlite3 with it"
	@tests/setup.sh build demo
	@echo "demo: building flametrap"
	@$(MAKE) --no-print-directory -s $(JOBS) all
	@tests/elsewhere.sh '$(abspath $(BUILD))' tests/demo.sh '$(abspath $(BUILD))'
