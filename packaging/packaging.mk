# Installing, and what distributions take: a source tarball, a .deb.
#   make install | uninstall [DESTDIR= PREFIX= LIBDIR=] · dist · deb · test-packaging · test-deb
# LIBDIR is PREFIX/lib, PREFIX/lib64 or PREFIX/lib/ARCH-linux-gnu: there the command in PREFIX/bin
# finds the library, and the library the command.

LIBDIR ?= $(PREFIX)/lib
LIBDIRS := $(PREFIX)/lib $(PREFIX)/lib64 $(PREFIX)/lib/$(ARCH)-linux-gnu
DOCDIR ?= $(PREFIX)/share/doc/flametrap
MANDIR ?= $(PREFIX)/share/man
BASHDIR ?= $(PREFIX)/share/bash-completion/completions
ZSHDIR ?= $(PREFIX)/share/zsh/site-functions
FISHDIR ?= $(PREFIX)/share/fish/vendor_completions.d
INSTALL ?= install
DOCUMENTS := README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md LICENSE $(wildcard docs/*.md docs/*/*.png)
# Left empty by `make uninstall` they go too, but not those that every system has.
OWN_FOLDERS := $(addprefix $(DOCDIR)/,$(filter-out ./,$(sort $(dir $(DOCUMENTS))))) $(DOCDIR)
FOLDERS := $(PREFIX)/bin $(PREFIX)/include $(LIBDIR) $(MANDIR)/man1 $(MANDIR)/man3 $(MANDIR)/man7 $(BASHDIR) \
	$(ZSHDIR) $(FISHDIR)
SYSTEM := $(if $(DESTDIR),,$(filter /usr /usr/local,$(PREFIX)))
DIST := flametrap-$(VERSION)
DEB_BUILD = $(BUILD)/deb/$(DIST)

.PHONY: uninstall check-libdir dist deb

check-libdir:
	@case ' $(LIBDIRS) ' in *' $(LIBDIR) '*) ;; \
	*) echo 'flametrap: LIBDIR=$(LIBDIR): the command finds its library in: $(LIBDIRS)' >&2; \
		exit 2 ;; esac

install: check-libdir all
	$(INSTALL) -D -m 755 $(BUILD)/libflametrap.so $(DESTDIR)$(LIBDIR)/libflametrap.so
	$(INSTALL) -D -m 755 $(BUILD)/flametrap $(DESTDIR)$(PREFIX)/bin/flametrap
	$(INSTALL) -D -m 644 preload/labels/flametrap.h $(DESTDIR)$(PREFIX)/include/flametrap.h
	$(INSTALL) -D -m 644 -t $(DESTDIR)$(MANDIR)/man3 preload/labels/flametrap_label.3
	for file in $(DOCUMENTS); do \
		$(INSTALL) -D -m 644 $$file $(DESTDIR)$(DOCDIR)/$$file || exit 1; \
	done
	for section in 1 7; do \
		for page in $(BUILD)/man/man$$section/*.$$section; do \
			[ ! -e $$page ] || $(INSTALL) -D -m 644 -t \
				$(DESTDIR)$(MANDIR)/man$$section $$page || exit 1; \
		done; \
	done
	[ ! -e $(BUILD)/completion/.made ] || { \
		$(INSTALL) -D -m 644 $(BUILD)/completion/flametrap.bash \
			$(DESTDIR)$(BASHDIR)/flametrap && \
		$(INSTALL) -D -m 644 -t $(DESTDIR)$(ZSHDIR) $(BUILD)/completion/_flametrap && \
		$(INSTALL) -D -m 644 -t $(DESTDIR)$(FISHDIR) $(BUILD)/completion/flametrap.fish; }

uninstall: check-libdir
	rm -f $(DESTDIR)$(LIBDIR)/libflametrap.so $(DESTDIR)$(PREFIX)/bin/flametrap \
		$(DESTDIR)$(PREFIX)/include/flametrap.h \
		$(DESTDIR)$(MANDIR)/man3/flametrap_label.3 $(DESTDIR)$(MANDIR)/man[17]/flametrap.[17] \
		$(DESTDIR)$(MANDIR)/man[17]/flametrap-*.[17] \
		$(DESTDIR)$(BASHDIR)/flametrap $(DESTDIR)$(ZSHDIR)/_flametrap \
		$(DESTDIR)$(FISHDIR)/flametrap.fish \
		$(addprefix $(DESTDIR)$(DOCDIR)/,$(DOCUMENTS))
	for folder in $(OWN_FOLDERS) $(if $(SYSTEM),,$(FOLDERS)); do \
		(cd $(DESTDIR)/ && rmdir -p $${folder#/}) 2>/dev/null || true; \
	done

# The same bytes each time: names, order, modes and times are those of the last commit.
dist:
	@git rev-parse --verify -q HEAD >/dev/null || \
		{ echo 'flametrap: make dist needs the git repository' >&2; exit 1; }
	@mkdir -p $(BUILD)
	git -c tar.umask=0022 archive --format=tar --prefix=$(DIST)/ HEAD | gzip -n9 \
		>$(BUILD)/$(DIST).tar.gz
	@echo "$(BUILD)/$(DIST).tar.gz"

# A Debian package of the last commit: $(BUILD)/deb/flametrap_VERSION_ARCH.deb
deb: dist
	@tests/setup.sh build deb
	@rm -rf $(BUILD)/deb
	@mkdir -p $(BUILD)/deb
	tar -C $(BUILD)/deb -xf $(BUILD)/$(DIST).tar.gz
	cp -r $(DEB_BUILD)/packaging/debian $(DEB_BUILD)/debian
	cd $(DEB_BUILD) && env -i PATH="$$PATH" HOME="$$HOME" DEB_BUILD_OPTIONS="$$DEB_BUILD_OPTIONS" \
		dpkg-buildpackage -b -us -uc >../build.log 2>&1 || { tail -n 50 ../build.log >&2; exit 1; }
	@rm -rf $(DEB_BUILD)
	@ls $(BUILD)/deb/*.deb

# The tests of all this with the tools that they need; in `make test` those that lack one skip.
.PHONY: test-packaging test-deb
test-packaging:
	@tests/setup.sh build packaging
	@$(MAKE) --no-print-directory TESTS=tests/packaging test

# The package built, installed, used and removed on minimal systems.
test-deb:
	@tests/setup.sh fresh
	@for suite in bookworm trixie; do \
		echo "test-deb: $$suite"; tests/fresh.sh $$suite packaging/try_deb.sh || exit 1; \
	done
