# bench-unwind: one walk, beside its peers.
UNWIND_BENCH := $(BUILD)/bench/unwind_cost
UNWIND_MISS := $(BUILD)/bench/unwind_miss
UNWIND_RETURN := $(if $(filter x86_64,$(ARCH)),$(BUILD)/bench/unwind_return)

.PHONY: bench-unwind
bench-unwind:
	@tests/setup.sh build bench
	@$(MAKE) --no-print-directory -s $(JOBS) $(UNWIND_BENCH) $(UNWIND_MISS) $(UNWIND_RETURN)
	@$(UNWIND_BENCH)
	@$(UNWIND_MISS)
	@$(UNWIND_RETURN)

$(UNWIND_MISS) $(UNWIND_RETURN): $(BUILD)/bench/%: bench/%.c $(UNWIND_OBJ)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(UNWIND_CFLAGS) -o $@ $(filter %.c %.o,$^)

$(UNWIND_BENCH): bench/unwind_cost.c $(UNWIND_TEST)/chain.o $(BUILD)/bench/chain_framed.o $(UNWIND_OBJ)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(UNWIND_CFLAGS) -o $@ $(filter %.c %.o,$^)

$(BUILD)/bench/chain_framed.o: tests/unwind/chain.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(UNWIND_CFLAGS) -fno-omit-frame-pointer -Dchain_run=framed_run \
		-Dchain_find=framed_find -Dchain_check=framed_check -c -o $@ $<
