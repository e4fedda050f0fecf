# What is preloaded into interpreters has the walks' objects as the library has them: the oracle of
# Python's functions, garbage in what a walk of any runtime reads, and wrong words in an interpreter's
# structures.
INTERP_TEST := $(BUILD)/test/interp
INTERP_OBJ := $(patsubst %.c,$(BUILD)/shim/%.o,$(filter config/text/% runtime/spool/% \
	$(addprefix runtime/sample/,sys/% elf/% cfi/% unwind/% interp/cpython/% interp/interp_read.c), \
	$(CONFIG_SRC) $(SPOOL_SRC) $(SAMPLE_SRC))) $(BUILD)/test/unwind/libc_names.o
FAULTS_OBJ := $(patsubst %.c,$(BUILD)/shim/%.o,$(filter-out %/interp_find.c %/interp_merge.c, \
	$(filter config/text/% runtime/spool/% $(addprefix runtime/sample/,sys/% elf/% cfi/% \
	unwind/% interp/% store/script_text.c),$(CONFIG_SRC) $(SPOOL_SRC) $(SAMPLE_SRC)))) \
	$(BUILD)/test/unwind/libc_names.o
INTERP_LDFLAGS_faults := -Wl,--wrap=interp_read

.PHONY: interp-programs
interp-programs: $(addprefix $(INTERP_TEST)/,oracle_python.so faults.so swap_word.so)
test-programs: interp-programs

$(INTERP_TEST)/%.so: tests/interp/%.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) -O2 -g -fPIC -std=gnu17 $(WARN) -MMD -MP -MF $@.d -shared \
		$(INTERP_LDFLAGS_$*) -o $@ $(filter-out %.h,$^) -pthread

$(INTERP_TEST)/oracle_python.so: $(INTERP_OBJ) tests/interp/walked.h
$(INTERP_TEST)/faults.so: $(FAULTS_OBJ) tests/interp/walked.h

-include $(wildcard $(INTERP_TEST)/*.so.d)
