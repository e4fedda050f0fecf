# The unwinder's own programs: they need the unwinder's objects as the shim has them, without
# instrumentation, and nothing else of flametrap.
UNWIND_TEST := $(BUILD)/test/unwind
UNWIND_OBJ := $(patsubst %.c,$(BUILD)/shim/%.o,$(filter config/text/% $(addprefix runtime/,spool/% \
	$(addprefix sample/,sys/% elf/% cfi/% unwind/%)),$(CONFIG_SRC) $(SPOOL_SRC) $(SAMPLE_SRC))) \
	$(UNWIND_TEST)/libc_names.o
UNWIND_CFLAGS := -Itests/unwind/$(ARCH) -O2 -g -fPIC -std=gnu17 $(filter-out -Wvla -Wstrict-prototypes,$(WARN)) -MMD -MP
UNWIND_CXX ?= $(or $(CXX),c++)
UNWIND_PROGRAMS := $(patsubst tests/unwind/%.c,$(UNWIND_TEST)/%, \
	$(wildcard tests/unwind/run_*.c)) \
	$(addprefix $(UNWIND_TEST)/,oracle_library oracle_boost oracle_old_glibc oracle_holes oracle.so reload_0.so reload_1.so hostile.so)

.PHONY: unwind-programs test-unwind test-unwind-long
unwind-programs: $(UNWIND_PROGRAMS)
test-programs: unwind-programs

$(UNWIND_TEST)/%.o: tests/unwind/%.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(UNWIND_CFLAGS) -c -o $@ $<

$(UNWIND_TEST)/oracle_plain.o: tests/unwind/oracle_shapes.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) -U_FORTIFY_SOURCE $(UNWIND_CFLAGS) -O0 -DORACLE_SHAPES=oracle_plain -c -o $@ $<

$(UNWIND_TEST)/oracle_pointed.o: tests/unwind/oracle_shapes.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) -U_FORTIFY_SOURCE $(UNWIND_CFLAGS) -fno-omit-frame-pointer \
		-DORACLE_SHAPES=oracle_pointed -c -o $@ $<

# Without unwind information, and with and without frame pointers.
$(UNWIND_TEST)/oracle_bare.o $(UNWIND_TEST)/oracle_framed.o: $(UNWIND_TEST)/oracle_%.o: \
		tests/unwind/oracle_shapes.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) -U_FORTIFY_SOURCE $(UNWIND_CFLAGS) -fno-asynchronous-unwind-tables \
		-fno-unwind-tables $(if $(filter framed,$*),-fno-omit-frame-pointer,-fomit-frame-pointer) \
		-DORACLE_SHAPES=oracle_$* -c -o $@ $<

$(UNWIND_TEST)/%_cxx.o: tests/unwind/%_cxx.cc
	@mkdir -p $(@D)
	$(UNWIND_CXX) -I. -O2 -g -fPIC -Wall -Wextra -Werror -MMD -MP -c -o $@ $<

UNWIND_ORACLE := $(addprefix $(UNWIND_TEST)/oracle,_library.o _shapes.o _plain.o _pointed.o _bare.o _framed.o _cxx.o _shadow.o _skip.o _untrue.o _fibers.o .o) \
	$(UNWIND_OBJ)

$(UNWIND_TEST)/oracle_library: $(UNWIND_ORACLE)
	$(UNWIND_CXX) -Wl,-z,lazy -o $@ $^ -lm

$(UNWIND_TEST)/oracle_old_glibc: $(UNWIND_ORACLE) $(UNWIND_TEST)/old_glibc.o
	$(UNWIND_CXX) -Wl,-z,lazy -Wl,--wrap=dlsym -o $@ $^ -lm

$(UNWIND_TEST)/oracle_boost.o: tests/unwind/oracle_boost.cc
	@mkdir -p $(@D)
	$(UNWIND_CXX) -I. -O2 -g -fPIC -Wall -Wextra -Werror -MMD -MP -c -o $@ $<

$(UNWIND_TEST)/oracle_boost: $(addprefix $(UNWIND_TEST)/oracle,_boost.o _shapes.o _shadow.o _skip.o .o) $(UNWIND_OBJ)
	$(UNWIND_CXX) -o $@ $^ $(if $(wildcard /usr/include/boost/context),-lboost_context)

# Segments apart, as in many a small program of the distribution: the kernel leaves holes.
$(UNWIND_TEST)/oracle_holes: $(UNWIND_ORACLE)
	$(UNWIND_CXX) -Wl,-z,lazy -Wl,-z,max-page-size=0x40000 -o $@ $^ -lm

$(UNWIND_TEST)/oracle.so: $(addprefix $(UNWIND_TEST)/oracle,_preload.o _shadow.o _skip.o .o) $(UNWIND_OBJ)
	$(CC) -shared -o $@ $^

$(UNWIND_TEST)/reload_%.so: tests/unwind/reload.c
	@mkdir -p $(@D)
	$(CC) $(UNWIND_CFLAGS) -DRELOAD_BYTES=$$((16384 + 64 * $*)) -shared -o $@ $<

$(UNWIND_TEST)/hostile.so: tests/unwind/hostile.c
	@mkdir -p $(@D)
	$(CC) $(UNWIND_CFLAGS) -shared -o $@ $<

$(UNWIND_TEST)/run_%: $(UNWIND_TEST)/run_%.o $(UNWIND_TEST)/chain.o $(UNWIND_OBJ)
	$(CC) -rdynamic -Wl,-z,now -o $@ $^ -pthread

$(UNWIND_TEST)/run_storm: $(UNWIND_TEST)/run_storm.o $(UNWIND_TEST)/oracle_cxx.o \
		$(UNWIND_TEST)/chain.o $(UNWIND_OBJ)
	$(UNWIND_CXX) -rdynamic -Wl,-z,now -o $@ $^ -pthread

$(UNWIND_TEST)/run_survey: $(UNWIND_TEST)/run_survey.o $(UNWIND_OBJ)
	$(CC) -o $@ $^ -ldw -lelf

# The long runs: every instruction of real programs for as far as UNWIND_STEPS, a million contexts.
UNWIND_STEPS ?= 2000000
test-unwind test-unwind-long: all-unwind-python
.PHONY: all-unwind-python
all-unwind-python:
	@tests/setup.sh build test
	@$(MAKE) --no-print-directory $(JOBS) all unwind-programs
	@$(if $(filter test-unwind-long,$(MAKECMDGOALS)),UNWIND_LONG=1 UNWIND_STEPS=$(UNWIND_STEPS)) \
		tests/elsewhere.sh '$(abspath $(BUILD))' /usr/bin/python3 -B -m pytest -q \
		-p no:cacheprovider tests/unwind

# The walk of the other machine, under emulation: tests/unwind/aarch64/run fetches what it needs.
test-unwind-aarch64:
	@CPPFLAGS='$(CPPFLAGS)' tests/unwind/aarch64/run $(BUILD)/test/unwind-aarch64
.PHONY: test-unwind-aarch64

.SECONDARY: $(patsubst tests/unwind/%.c,$(UNWIND_TEST)/%.o,$(wildcard tests/unwind/*.c))
-include $(wildcard $(UNWIND_TEST)/*.d)
