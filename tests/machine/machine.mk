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

MACHINE_INTERP := usr/bin/python3.11 usr/bin/perl usr/bin/ruby3.1 usr/bin/php8.2 usr/lib/python3.11 \
	$(MACHINE_LIBDIR)/ruby/3.1.0/enc
MACHINE_INTERP_LIBS := libexpat.so.1 libcrypt.so.1 libgmp.so.10 libruby-3.1.so.3.1 libxml2.so.2 \
	libssl.so.3 libcrypto.so.3 libpcre2-8.so.0 libsodium.so.23 libargon2.so.1 libicuuc.so.72 \
	libicudata.so.72 libstdc++.so.6

.PHONY: machine-files machine-build test-machine
machine-files: $(MACHINE)/files.cpio $(MACHINE)/interp.cpio

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

# The interpreters of one tour, after all else.
$(MACHINE)/interp.cpio: $(MACHINE)/files.cpio $(wildcard tests/machine/guest/chains.*)
	@rm -rf $(MACHINE)/interp
	@mkdir -p $(addprefix $(MACHINE)/interp/,lib guest)
	@cp tests/machine/guest/chains.* $(MACHINE)/interp/guest/
	@tar -C $(MACHINE_SYSROOT) -cf - $(MACHINE_INTERP) | tar -C $(MACHINE)/interp -xf -
	@for lib in $(MACHINE_INTERP_LIBS); do \
		cp -L $(MACHINE_SYSROOT)/lib/aarch64-linux-gnu/$$lib $(MACHINE)/interp/lib/ 2>/dev/null || \
		cp -L $(MACHINE_SYSROOT)/$(MACHINE_LIBDIR)/$$lib $(MACHINE)/interp/lib/ || exit 1; \
	done
	@(cd $(MACHINE)/interp && find . | LC_ALL=C sort | cpio --quiet -o -H newc -R 0:0) >$@.new
	@cat $(MACHINE)/files.cpio $@.new >$@ && rm $@.new

test-machine:
	@tests/setup.sh build test
	@$(MAKE) --no-print-directory $(JOBS) all
	@tests/elsewhere.sh '$(abspath $(BUILD))' \
		$(PYTHON) -B -m pytest -q -p no:cacheprovider tests/machine
