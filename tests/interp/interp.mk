# What is preloaded into interpreters has the walks' objects as the library has them.  The oracle of
# functions:
INTERP_TEST := $(BUILD)/test/interp
INTERP_OBJ := $(patsubst %.c,$(BUILD)/shim/%.o,$(filter config/text/% runtime/spool/% \
	$(addprefix runtime/sample/,sys/% elf/% cfi/% unwind/% interp/cpython/% interp/interp_read.c), \
	$(CONFIG_SRC) $(SPOOL_SRC) $(SAMPLE_SRC))) $(BUILD)/test/unwind/libc_names.o

.PHONY: interp-programs
interp-programs: $(INTERP_TEST)/oracle_python.so
test-programs: interp-programs

$(INTERP_TEST)/oracle_python.so: tests/interp/oracle_python.c tests/interp/loaded_object.c $(INTERP_OBJ)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) -O2 -g -fPIC -std=gnu17 $(WARN) -MMD -MP -shared -o $@ $(filter-out %.h,$^)

-include $(INTERP_TEST)/oracle_python.d

# Garbage in what a walk reads, of every runtime.
FAULTS_OBJ := $(patsubst %.c,$(BUILD)/shim/%.o,$(filter-out %/interp_find.c %/interp_merge.c, \
	$(filter config/text/% runtime/spool/% $(addprefix runtime/sample/,sys/% elf/% cfi/% \
	unwind/% interp/% store/script_text.c),$(CONFIG_SRC) $(SPOOL_SRC) $(SAMPLE_SRC)))) \
	$(BUILD)/test/unwind/libc_names.o

interp-programs: $(INTERP_TEST)/faults.so

$(INTERP_TEST)/faults.so: tests/interp/faults.c tests/interp/loaded_object.c $(FAULTS_OBJ)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) -O2 -g -fPIC -std=gnu17 $(WARN) -MMD -MP -shared \
		-Wl,--wrap=interp_read -o $@ $(filter-out %.h,$^)

-include $(INTERP_TEST)/faults.d

# Wrong words in an interpreter's structures.
interp-programs: $(INTERP_TEST)/swap_word.so

$(INTERP_TEST)/swap_word.so: tests/interp/swap_word.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) -O1 -g -fPIC -std=gnu17 $(WARN) -MMD -MP -shared -pthread -o $@ $<

-include $(INTERP_TEST)/swap_word.d
