# Comparisons of runs: programs with planted changes, and the long form of what is shown of them.
#   make test-compare [COMPARE=0.2]   a fifth of the runs

COMPARE_DIR := $(TESTBUILD)/compare
COMPARE_BIN := $(COMPARE_DIR)/planted $(COMPARE_DIR)/other/planted
COMPARE_CFLAGS := -O2 -g -std=gnu17 -D_GNU_SOURCE -I. -Wall -Wextra -Werror
COMPARE ?= 1

.PHONY: compare-programs test-compare
compare-programs: $(COMPARE_BIN)
test-programs: compare-programs

$(COMPARE_DIR)/planted: tests/compare/programs/planted.c tests/preload/targets/work.h
	@mkdir -p $(@D)
	$(CC) $(COMPARE_CFLAGS) -o $@ $<

# Another build of the same source: other addresses, and copies of functions.
$(COMPARE_DIR)/other/planted: tests/compare/programs/planted.c tests/preload/targets/work.h
	@mkdir -p $(@D)
	$(CC) $(COMPARE_CFLAGS) -DOTHER_BUILD -o $@ $<

test-compare:
	@tests/setup.sh build test
	@$(MAKE) --no-print-directory $(JOBS) all compare-programs
	@COMPARE='$(COMPARE)' tests/elsewhere.sh '$(abspath $(BUILD))' \
		$(PYTHON) -B tests/compare/rates.py
