# Benches: one question per file, each printing lines of "name value unit runs".
# `make bench` runs all but foreign_suites, which fetches and builds what it measures;
# `make bench BENCHES=startup` one.

BENCH_INSIDE := interp_none log_cost # with the objects that the library has
BENCH_SRC := $(filter-out bench/unwind% $(BENCH_INSIDE:%=bench/%.c),$(wildcard bench/*.c))
BENCH_BIN := $(BENCH_SRC:bench/%.c=$(BUILD)/bench/%) \
	$(patsubst bench/preloaded/%.c,$(BUILD)/bench/%.so,$(wildcard bench/preloaded/*.c))
BENCHES ?= sample_cost interp_cost clock_cost governor overhead startup children processes threads switching servers \
	machine_instructions members completeness python_stacks graph page timed_reading fold_speed compare
BENCH_CFLAGS := -O2 -g -std=gnu17 -D_GNU_SOURCE -I. $(WARN)

bench:
	@tests/setup.sh build bench
	@$(MAKE) --no-print-directory -s $(JOBS) all bench-programs
	@for bench in $(BENCHES); do \
		tests/elsewhere.sh '$(abspath $(BUILD))' $(PYTHON) -B bench/$$bench.py || exit 1; \
	done
	@$(if $(filter-out command line,$(origin BENCHES)),$(MAKE) --no-print-directory -s bench-inside bench-unwind,:)

.PHONY: bench-programs
bench-programs: $(BENCH_BIN) $(COMPARE_BIN)

$(BUILD)/bench/%: bench/%.c $(wildcard bench/*.h)
	@mkdir -p $(@D)
	$(CC) $(BENCH_CFLAGS) -o $@ $< -pthread -ldl

$(BUILD)/bench/%.so: bench/preloaded/%.c
	@mkdir -p $(@D)
	$(CC) $(BENCH_CFLAGS) -fPIC -shared -o $@ $< -ldl

.PHONY: bench-inside
bench-inside:
	@$(MAKE) --no-print-directory -s $(JOBS) $(BENCH_INSIDE:%=$(BUILD)/bench/%)
	@for bench in $(BENCH_INSIDE); do $(BUILD)/bench/$$bench || exit 1; done

$(BENCH_INSIDE:%=$(BUILD)/bench/%): $(BUILD)/bench/%: bench/%.c bench/stepped.h \
		$(patsubst %.c,$(BUILD)/shim/%.o,$(CONFIG_SRC) $(SPOOL_SRC) $(SAMPLE_SRC)) \
		$(BUILD)/test/unwind/libc_names.o
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(BENCH_CFLAGS) -o $@ $(filter-out %.h,$^) -ldl -pthread
