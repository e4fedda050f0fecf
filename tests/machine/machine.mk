# The emulated machine: an arm64 build of everything, and the file system of the guests.
#   make test-machine · machine-files (after tests/machine/fetch.sh); the figures are of
# `make bench BENCHES=machine_instructions`.
# Under one name, relative where it lies below, so that the dependencies a build leaves are those
# that the next one looks for.
MACHINE := $(BUILD:$(CURDIR)/%=%)/machine
MACHINE_ARM := $(MACHINE)/aarch64
MACHINE_CC ?= aarch64-linux-gnu-gcc
MACHINE_SYSROOT := $(MACHINE)/sysroot
MACHINE_LIBDIR := usr/lib/aarch64-linux-gnu
MACHINE_TARGETS := $(patsubst tests/machine/targets/%.c,$(MACHINE)/targets/%, \
	$(wildcard tests/machine/targets/*.c))
MACHINE_LIBS := ld-linux-aarch64.so.1 libc.so.6 libm.so.6 libpthread.so.0 libdl.so.2 librt.so.1 \
	libgcc_s.so.1 libunwind.so.8 libunwind-aarch64.so.8 liblzma.so.5 libdw.so.1 libelf.so.1 \
	libz.so.1 libbz2.so.1.0 libprotobuf-c.so.1 libpfm.so.4

MACHINE_LDFLAGS_as_user := -static
MACHINE_LDFLAGS_lazy := -Wl,-z,lazy

.PHONY: machine-files machine-build test-machine
machine-files: $(MACHINE)/files.cpio $(wildcard $(MACHINE)/interpreters.done)
	@if [ -d $(MACHINE)/interpreters ]; then \
		$(MAKE) --no-print-directory BUILD=$(BUILD) $(MACHINE)/interpreters.cpio; fi

# The compiler's own sysroot has libc; what Debian has no cross packages of comes from ours.
machine-build:
	@CPPFLAGS='-isystem $(MACHINE_SYSROOT)/usr/include \
		-isystem $(MACHINE_SYSROOT)/usr/include/aarch64-linux-gnu' \
	LDFLAGS='-L$(MACHINE_SYSROOT)/$(MACHINE_LIBDIR) -L$(MACHINE_SYSROOT)/lib/aarch64-linux-gnu \
		-Wl,-rpath-link,$(MACHINE_SYSROOT)/$(MACHINE_LIBDIR):$(MACHINE_SYSROOT)/lib/aarch64-linux-gnu' \
	$(MAKE) --no-print-directory CC=$(MACHINE_CC) ARCH=aarch64 BUILD=$(MACHINE_ARM) all

$(MACHINE)/targets/%: tests/machine/targets/%.c tests/machine/targets/spin.h
	@mkdir -p $(@D)
	$(MACHINE_CC) -O2 -g -D_GNU_SOURCE -I. -std=gnu17 -Wall -Wextra -Werror -o $@ $< -pthread \
		$(MACHINE_LDFLAGS_$(@F))

# Stripped where names are not needed: the guest unpacks all of it, one instruction at a time.
$(MACHINE)/files.cpio: machine-build $(MACHINE_TARGETS) $(wildcard tests/machine/guest/*)
	@rm -rf $(MACHINE)/files
	@mkdir -p $(addprefix $(MACHINE)/files/,bin lib targets guest etc)
	@cp $(MACHINE_SYSROOT)/bin/busybox $(MACHINE)/files/bin/
	@ln -s busybox $(MACHINE)/files/bin/sh
	@for lib in $(MACHINE_LIBS); do \
		cp -L $(MACHINE_SYSROOT)/lib/aarch64-linux-gnu/$$lib $(MACHINE)/files/lib/ 2>/dev/null || \
		cp -L $(MACHINE_SYSROOT)/$(MACHINE_LIBDIR)/$$lib $(MACHINE)/files/lib/ || exit 1; \
	done
	@cp $(MACHINE_TARGETS) $(MACHINE)/files/targets/
	@cp tests/machine/guest/*.sh $(MACHINE)/files/guest/
	@cp tests/machine/guest/init $(MACHINE)/files/init
	@chmod 755 $(MACHINE)/files/init
	@for file in libflametrap.so flametrap; do \
		aarch64-linux-gnu-strip -g -o $(MACHINE)/files/lib/$$file $(MACHINE_ARM)/$$file || exit 1; \
	done
	@ln -s ../lib/flametrap $(MACHINE)/files/bin/flametrap
	@printf 'root:x:0:0::/:/bin/sh\nuser:x:1000:1000::/tmp:/bin/sh\n' >$(MACHINE)/files/etc/passwd
	@(cd $(MACHINE)/files && find . | LC_ALL=C sort | cpio --quiet -o -H newc -R 0:0) >$@.new
	@mv $@.new $@

# What the tour of interpreters has besides: the kernel unpacks both, one after the other.
$(MACHINE)/interpreters.cpio: $(MACHINE)/files.cpio tests/machine/interpreters.sh \
		$(MACHINE)/interpreters.done $(shell find tests/interp/programs -type f)
	@rm -rf $(MACHINE)/more
	@mkdir -p $(MACHINE)/more/lib
	@tests/machine/interpreters.sh $(MACHINE)/interpreters $(MACHINE)/sysroot $(MACHINE)/more
	@cp -R tests/interp/programs $(MACHINE)/more/programs
	@(cd $(MACHINE)/more && find . | LC_ALL=C sort | cpio --quiet -o -H newc -R 0:0) >$@.more
	@cat $(MACHINE)/files.cpio $@.more >$@.new
	@rm $@.more
	@mv $@.new $@

test-machine:
	@tests/setup.sh build test
	@$(MAKE) --no-print-directory $(JOBS) all
	@$(PYTEST) tests/machine
