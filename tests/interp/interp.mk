# The oracle of interpreters' functions: the walk's objects as the library has them.
INTERP_TEST := $(BUILD)/test/interp
INTERP_OBJ := $(patsubst %.c,$(BUILD)/shim/%.o,$(filter config/text/% runtime/spool/% \
	$(addprefix runtime/sample/,sys/% elf/% rules/% unwind/% interp/cpython% interp/interp_read.c), \
	$(CONFIG_SRC) $(SPOOL_SRC) $(SAMPLE_SRC)))

.PHONY: interp-programs
interp-programs: $(INTERP_TEST)/oracle_python.so
test-programs: interp-programs

$(INTERP_TEST)/oracle_python.so: tests/interp/oracle_python.c $(INTERP_OBJ)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) -O2 -g -fPIC -std=gnu17 $(WARN) -MMD -MP -shared -o $@ $(filter-out %.h,$^)

-include $(INTERP_TEST)/oracle_python.d
