# flametrap: build, test, measure, install.
#   make [all] · demo · test · bench · lint · clean
#   make install | uninstall [DESTDIR= PREFIX= LIBDIR=] · dist · deb
# Options, validated below:  CONFIG_FAULTS=1  a build in which system calls can be made to fail
#                            SANITIZE=address,undefined | thread   for the command and unit tests

CC ?= cc
PREFIX ?= /usr/local
CONFIG_FAULTS ?= 0
SANITIZE ?=
BUILD ?= build
# Without a compiler, which set-up may yet install, the machine's own architecture.
ARCH ?= $(or $(shell $(CC) -dumpmachine 2>/dev/null | cut -d- -f1),$(shell uname -m))
PROTOC ?= $(or $(if $(shell command -v protoc),protoc),protoc-c)

ifeq ($(filter $(CONFIG_FAULTS),0 1),)
$(error CONFIG_FAULTS must be 0 or 1)
endif
ifeq ($(filter $(ARCH),x86_64 aarch64),)
$(error flametrap knows x86_64 and aarch64, not $(ARCH))
endif

VERSION := 0.1.0
RELEASED := 2026-11-22
GENERATED := $(BUILD)/generated
WARN := -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes \
	-Wpointer-arith -Wwrite-strings -Wundef -Wvla -Werror
CPPFLAGS += -I. -D_GNU_SOURCE -D_FORTIFY_SOURCE=2 -DFLAMETRAP_VERSION='"$(VERSION)"' \
	-DFLAMETRAP_DATE='"$(RELEASED)"' \
	-DCONFIG_FAULTS=$(CONFIG_FAULTS) -DGENERATED_FOLDER='"$(GENERATED)/"' -isystem $(GENERATED)
CFLAGS ?= -O2 -g
CFLAGS += -std=gnu17 $(WARN) -fno-common -MMD -MP
ifneq ($(SANITIZE),)
CFLAGS += -fsanitize=$(SANITIZE) -fno-omit-frame-pointer
CPPFLAGS += -U_FORTIFY_SOURCE
LDFLAGS += -fsanitize=$(SANITIZE)
endif

# In the target: small, bound at load, nothing exported but what is interposed.
SHIM_CFLAGS := -fPIC -fvisibility=hidden -ftls-model=initial-exec -fno-plt -fomit-frame-pointer \
	-fno-stack-protector -fasynchronous-unwind-tables
# Without the compiler's start files, which call __cxa_finalize and more by name; our own references
# to what we export end here, whoever else defines those names.
SHIM_LDFLAGS := -shared -nostartfiles -Wl,-Bsymbolic-functions -Wl,-z,now -Wl,-z,initfirst -Wl,-z,relro -Wl,-z,defs -Wl,--as-needed -Wl,--no-undefined \
	-Wl,-soname,libflametrap.so -Wl,--version-script=preload/process/exports.map
# What names, pprof, gzip and ratios need is loaded when they are wanted: runtime/profile/base/library.h.
# The link leaves out what nobody calls, such as the parts of generated code that read messages.
COMMAND_CFLAGS := -ffunction-sections -fno-math-errno
COMMAND_LDFLAGS := -Wl,--gc-sections -Wl,--as-needed
COMMAND_LIBS := -liberty -lm -ldl

# The rooms, each with the files in it and in the rooms within: docs/internals.md.
rooms = $(foreach folder,$1,$(wildcard $(folder)/*.c $(folder)/*/*.c $(folder)/*/*/*.c))
OTHER_ARCH := %_$(filter-out $(ARCH),x86_64 aarch64).c
CONFIG_SRC := $(call rooms,config)
SPOOL_SRC := $(call rooms,runtime/spool)
SAMPLE_SRC := $(filter-out $(OTHER_ARCH),$(call rooms,runtime/sample))
SHIM_SRC := $(CONFIG_SRC) $(SPOOL_SRC) $(SAMPLE_SRC) $(filter-out $(OTHER_ARCH),$(call rooms,preload))
READER_SRC := $(call rooms,runtime/profile runtime/compare runtime/output)
COMMAND_SRC := $(CONFIG_SRC) $(SPOOL_SRC) $(READER_SRC) $(call rooms,runtime/collect runtime/command)

SHIM_OBJ := $(SHIM_SRC:%.c=$(BUILD)/shim/%.o)
COMMAND_OBJ := $(COMMAND_SRC:%.c=$(BUILD)/command/%.o)

.PHONY: all man completion demo test bench lint install clean
all: $(BUILD)/libflametrap.so $(BUILD)/flametrap

# Before anything is compiled, one line that names every package that is missing.
$(SHIM_OBJ) $(COMMAND_OBJ) $(GENERATED)/pprof.pb-c.c $(GENERATED)/perfetto.pb-c.c: | $(BUILD)/can_build
$(BUILD)/can_build:
	@tests/can_build.sh '$(CC)' $(CPPFLAGS)
	@mkdir -p $(@D)
	@touch $@

$(BUILD)/libflametrap.so: $(SHIM_OBJ) preload/process/exports.map
	$(CC) $(CFLAGS) $(SHIM_CFLAGS) $(LDFLAGS) $(SHIM_LDFLAGS) -o $@ $(SHIM_OBJ)

$(BUILD)/flametrap: $(COMMAND_OBJ)
	$(CC) $(CFLAGS) $(LDFLAGS) $(COMMAND_LDFLAGS) -o $@ $(COMMAND_OBJ) $(COMMAND_LIBS)

# Interposed functions are the only visible ones; exports.map checks that again.
$(BUILD)/shim/preload/%_calls.o: SHIM_CFLAGS += -fvisibility=default

# libunwind is loaded by libc's own functions, not by those that we interpose.
$(addprefix $(BUILD)/shim/runtime/sample/,elf/loader.o cfi/unwind_library.o): \
	CPPFLAGS += -Ddlopen=libc_dlopen -Ddlsym=libc_dlsym

$(BUILD)/shim/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(SHIM_CFLAGS) -c -o $@ $<

$(BUILD)/command/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(COMMAND_CFLAGS) -c -o $@ $<

# Scripts and styles come in by .incbin, which -MMD does not see.  The modules of a script are joined.
SCRIPTS := $(foreach name,graph/graph page/view/viewer page/view/difference,runtime/output/$(name).js)
JOINED := $(foreach script,$(SCRIPTS),$(GENERATED)/$(notdir $(script)))
$(JOINED): $(wildcard runtime/output/graph/*.js runtime/output/page/*/*.js) runtime/output/join.awk
	@mkdir -p $(@D)
	awk -v script=$(filter %/$(@F),$(SCRIPTS)) -f runtime/output/join.awk >$@.new
	@mv $@.new $@

$(foreach asset,graph/graph.o page/viewer_data.o,$(addsuffix /runtime/output/$(asset),\
	$(addprefix $(BUILD)/,command test test/clang))): \
	$(JOINED) $(wildcard runtime/output/graph/*.css runtime/output/page/view/*.css)

$(addsuffix /runtime/command/options/completion.o,$(addprefix $(BUILD)/,command test test/clang)): \
	$(wildcard runtime/command/options/completion.*sh)

# Messages of pprof and Perfetto: code made from their descriptions, included by
# runtime/output/formats/pprof*.c and perfetto*.c.
$(GENERATED)/%.pb-c.c $(GENERATED)/%.pb-c.h: runtime/output/formats/%.proto
	@mkdir -p $(@D)
	$(PROTOC) --proto_path=runtime/output/formats --c_out=$(GENERATED) $*.proto

$(foreach name,pprof pprof_tables,$(addsuffix /runtime/output/formats/$(name).o,\
	$(addprefix $(BUILD)/,command test test/clang))): $(GENERATED)/pprof.pb-c.h
$(foreach name,perfetto perfetto_events perfetto_interned,$(addsuffix /runtime/output/formats/$(name).o,\
	$(addprefix $(BUILD)/,command test test/clang))): $(GENERATED)/perfetto.pb-c.h

-include $(wildcard $(SHIM_OBJ:.o=.d) $(COMMAND_OBJ:.o=.d))

# Manual pages and completion come from the tables of the command, which prints them: they are
# made by `all` where it can run.
man: $(BUILD)/man/.made
completion: $(BUILD)/completion/.made
ifeq ($(ARCH),$(shell uname -m))
all: man completion
endif

$(BUILD)/man/.made: $(BUILD)/flametrap
	@mkdir -p $(@D)/man1 $(@D)/man7
	@for page in $$($< help --man list); do \
		$< help --man $$page >$(@D)/man$${page##*.}/$$page || exit 1; \
	done
	@touch $@

$(BUILD)/completion/.made: $(BUILD)/flametrap
	@mkdir -p $(@D)
	@$< help --completion bash >$(@D)/flametrap.bash
	@$< help --completion zsh >$(@D)/_flametrap
	@$< help --completion fish >$(@D)/flametrap.fish
	@touch $@

# demo, test, bench, lint install what they need first; each part keeps its rules in its folder.
include $(wildcard tests/*.mk tests/*/*.mk bench/*.mk packaging/*.mk)

clean:
	rm -rf $(BUILD)
