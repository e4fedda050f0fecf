# Lint: formatting, clang-tidy, shellcheck, pylint, eslint, both compilers without a warning, and the
# rules of the house that no compiler knows (tests/lint_source.py, tests/include_graph.py).

CLANG_FORMAT ?= $(firstword $(foreach name,clang-format-14 clang-format,$(if $(shell command -v $(name)),$(name))))
CLANG_TIDY ?= $(firstword $(foreach name,clang-tidy-14 clang-tidy,$(if $(shell command -v $(name)),$(name))))
LINT_BUILD := $(BUILD)/lint
LINT_C := $(sort $(CONFIG_SRC) $(SAMPLE_SRC) $(READER_SRC) $(SHIM_SRC) $(COMMAND_SRC))
# Every file of the tree that there is.
LINT_FILES = $(wildcard $(or $(shell git ls-files 2>/dev/null), \
	$(shell find * -path '$(BUILD)' -prune -o -type f -print)))
LINT_FORMAT = $(filter %.c %.h %.cc %.cpp,$(LINT_FILES))
LINT_SHELL = $(shell awk 'FNR == 1 && /^.!\/bin\/(ba)?sh/ { print FILENAME } { nextfile }' \
	$(filter-out tests/fuzz/corpus/%,$(LINT_FILES)))
LINT_TOURS = $(wildcard tests/machine/guest/*.sh)

.PHONY: lint-format lint-tidy lint-build lint-source lint-shell lint-python lint-js
lint:
	@tests/setup.sh build lint
	@$(MAKE) --no-print-directory lint-format lint-source lint-shell lint-python lint-js
	@$(MAKE) --no-print-directory $(JOBS) lint-build
	@$(MAKE) --no-print-directory lint-tidy
	@echo "lint: clean"

lint-format:
	@echo "lint: clang-format"
	@$(CLANG_FORMAT) --dry-run -Werror $(LINT_FORMAT)

# The tours of the emulated machine are no programs: its first process reads them.  Completion has
# places for lists, after which shellcheck takes more for unreachable than is.
lint-shell:
	@echo "lint: shellcheck"
	@shellcheck -x $(LINT_SHELL)
	@shellcheck -s sh $(LINT_TOURS)
	@shellcheck -s bash -e SC2317 runtime/command/options/completion.bash

lint-python:
	@echo "lint: pylint"
	@$(PYTHON) -B -m pylint -j $(shell nproc) $(filter %.py,$(LINT_FILES))

lint-js:
	@echo "lint: eslint"
	@tests/lint_js.sh $(LINT_BUILD)

lint-tidy: export FLAGS = $(CPPFLAGS) -std=gnu17 -Wall -Wextra
lint-tidy: $(GENERATED)/pprof.pb-c.h $(GENERATED)/perfetto.pb-c.h
	@echo "lint: clang-tidy"
	@printf '%s\n' $(LINT_C) | xargs -P $(shell nproc) -n 1 sh tests/lint_tidy.sh $(CLANG_TIDY)

lint-build:
	@mkdir -p $(LINT_BUILD)
	@for compiler in gcc $(CLANG); do \
		echo "lint: build with $$compiler"; \
		$(MAKE) --no-print-directory -s CC=$$compiler BUILD=$(LINT_BUILD)/$$compiler all || exit 1; \
	done

lint-source:
	@echo "lint: layers, cycles of files, sizes, headers"
	@$(PYTHON) -B tests/include_graph.py --check
	@CC="$(CC)" CPPFLAGS='$(CPPFLAGS)' $(PYTHON) -B tests/lint_source.py
