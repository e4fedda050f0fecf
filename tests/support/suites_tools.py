"""The suites of shells, tools and interpreters that start many processes."""

import hashlib
import re
import shlex

import pytest

from suites import FRESH, GNU, LIMIT_S, WORKERS, Suite, by_status, counted, files, shell, source_of

LUA_TESTS = "https://www.lua.org/tests/lua-5.4.4-tests.tar.gz"  # Debian's source has none


class Lua(Suite):
    """Lua's tests are an archive of their own."""

    def ready(self):
        folder = source_of(self.package)
        if not (folder / "testes").exists():
            status, _ = shell(f"curl -fsS -m 60 -o ../tests.tar.gz {LUA_TESTS}"
                              " && mkdir unpacked && tar -xzf ../tests.tar.gz -C unpacked"
                              " && mv unpacked/*/ testes", {}, folder)
            if status:
                pytest.skip(f"{LUA_TESTS} cannot be fetched here")
        return super().ready()


class Autotest(Suite):
    """A suite that autotest wrote is one command for all tests, which have numbers."""

    def run(self, environment, units=None):
        folder = self.ready()
        _, text = shell(self.command.format(shlex.quote(" ".join(units or []))), environment,
                        folder, LIMIT_S)
        return {match["unit"]: {match["name"]: match["outcome"]} for match in re.finditer(
            r"^\s*(?P<unit>\d+): (?P<name>.*?)\s{2,}(?P<outcome>[a-zA-Z]+)", text, re.M)}


def by_text(unit, status, text):
    """A unit is one test, which must say and return the same."""
    return {unit: f"status {status} {hashlib.sha256(text.encode()).hexdigest()[:12]}"}


def recipe(unit, status, text):
    """How a recipe of OpenSSL's came out as a whole, and each test in it by its name.  What every
    recipe waits for, a preparation, has the first of the results.  Some make a folder's name up."""
    text = re.sub(r"\b\w{32}/", "folder/", text)
    results = re.findall(r"^Result: (\w+)", text, re.M)
    tests = counted(r"^ *(?P<outcome>ok|not ok) \d+(?P<name>.*)")(unit, status, text)
    return {"result": " ".join(results[1:]), **tests}


# The distribution's own, which is linked dynamically, with the settings of that package.
# Its tests for shells are scripts that any POSIX shell can be asked to run: what it makes of them
# needs not be right here, only the same.
BUSYBOX = ("cp debian/config/pkg/deb .config && ln -sf $(command -v busybox) busybox"
           " && sed -n 's/^CONFIG_/export &/p' .config >exports"
           " && mkdir -p tools && for tool in recho zecho printenv; do"
           " gcc -w -o tools/$tool shell/ash_test/$tool.c || exit 1; done"
           " && ln -sf ../busybox tools/ash && ln -sf ../busybox tools/hush")
SCRIPT = ("source=$PWD; unit={{}}; folder=$(mktemp -d); cp -r $source/${{{{unit%/*}}}}/. $folder;"
          " cd $folder; . $source/exports; PATH=$source/tools:$PATH; export PATH THIS_SH={};"
          " $THIS_SH ./${{{{unit##*/}}}}; status=$?; rm -rf $folder; exit $status")
# Whether a background job is there before its shell goes on is a race, and what they print shows it.
SCRIPT_BUT = ("exitcode_trap[26]", "last_amp", "and_or_and_backgrounding")
# Its child sends a signal and ends at once: which of the two `wait` meets first is chance.
# The other reads itself by `.` with an argument, and again without one.  To dash, whose `.` has no arguments,
# both are the same: it goes on for ever.
DASH_BUT = (*SCRIPT_BUT, "-signals/signal5", "/var_LINENO1")


def shell_suite(path, kinds, but):
    def listing(folder):
        return [name for kind in kinds
                for name in files(f"shell/{kind}_test/*/*.tests", but=but)(folder)]
    return Suite("busybox", BUSYBOX, listing, SCRIPT.format(path), by_text)


def applets(folder):
    """What has tests, but for what mounts on the machine, and what reads the source."""
    names = set(files("testsuite/*.tests", ".tests")(folder)) | {
        name for name in files("testsuite/*")(folder) if (folder / name).is_dir()}
    return sorted(name.removeprefix("testsuite/") for name in names
                  if not name.endswith(("/all_sourcecode", "/mount", "/mdev")))


SUITES = {
    "ash": shell_suite("$source/tools/ash", ["ash"], SCRIPT_BUT),
    "busybox": Suite("busybox", BUSYBOX, applets, "cd testsuite && ./runtest {}",
                     counted(r"^(?P<outcome>PASS|FAIL|SKIPPED|UNTESTED): (?P<name>.*)"), workers=1),
    "dash": shell_suite("/bin/dash", ["ash", "hush"], DASH_BUT),
    "git": Suite("git", "make -j2 -s CFLAGS=-O0 NO_CURL=1 NO_EXPAT=1 NO_GETTEXT=1 NO_TCLTK=1"
                 " NO_OPENSSL=1 all",
                 lambda folder: [*files("t/t00*.sh")(folder), *files("t/t0100*.sh")(folder)],
                 "cd t && name={}; ./${{name#t/}}",
                 counted(r"^(?P<outcome>ok|not ok) \d+ (?:- )?(?P<name>.*)")),
    "lua": Lua("lua5.4", "echo '#define DEB_HOST_MULTIARCH \"\"' >src/lua5.4-deb-multiarch.h"
               " && gcc -O1 -DLUA_USE_LINUX -DLUA_COMPAT_5_3 -I src -o lua"
               " $(ls src/*.c | grep -v luac.c) -Wl,-E -lm -ldl",
               files("testes/*.lua", but=("/heavy", "/memerr")),
               "cd testes && name={}; ../lua -e '_U=true; _soft=true; _port=true'"
               " ${{name#testes/}}", by_status),
    "openssl": Suite("openssl", "./config CFLAGS='-O1 -w' && make -j2 -s build_sw",
                     files("test/recipes/*.t", ".t", but=("/00-prep",)),
                     "name={}; export HARNESS_JOBS=1 HARNESS_VERBOSE=yes;"
                     " make -s run_tests TESTS=${{name#*-}}", recipe),
    "rsync": Suite("rsync", FRESH + "./configure -q CFLAGS=-O1 --disable-md2man --disable-xxhash"
                   " --disable-zstd --disable-lz4 --disable-openssl && make -j2 -s"
                   " && make -s -k check whichtests=00-hello.test",
                   files("testsuite/*.test"),
                   "name={}; whichtests=${{name#testsuite/}} ./runtests.sh",
                   counted(r"^(?P<outcome>PASS|FAIL|SKIP|XFAIL) +(?P<name>\S+)"), workers=1),
    "tar": Autotest("tar", f"autoreconf -fi; {GNU} && make -s -C tests check TESTSUITEFLAGS=--list",
                    None, f"make -s -C tests check TESTSUITEFLAGS=-j{WORKERS}' '{{}}", None),
    # The last one gives two starts of tclsh a second, which a busy machine needs for them.
    "tcl": Suite("tcl8.6", "tclsh </dev/null",
                 files("tests/*.test", but=("winPipe", "macOSX", "aaa_exit")),
                 "cd tests && name={}; tclsh ${{name#tests/}} -verbose ps",
                 counted(r"^(?:\+\+\+\+|====) (?P<name>\S+).* (?P<outcome>PASSED|FAILED|SKIPPED)"
                         r"(?:: .*)?$"), workers=1),
}
