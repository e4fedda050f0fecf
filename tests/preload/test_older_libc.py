"""Before glibc 2.34, libpthread and libdl had functions that are libc's now; and anything that is looked
up may be absent.  Programs run as ever, sampled or with one line."""

import os
import pathlib
import re

import pytest

import older_libc
from running import COMMAND, ROOT, clean_environment, compiled, execute, target

TRUE = "/bin/true"
THREADS = """
#include <pthread.h>
#include <stdio.h>
static volatile unsigned long turns;
static void *work_here(void *unused) {
	for (unsigned long i = 0; i < 20000000UL; i++) turns++;
	return unused;
}
int ENTRY(void) {
	pthread_t thread[3];
	for (int i = 0; i < 3; i++)
		if (pthread_create(&thread[i], NULL, work_here, NULL)) return 1;
	for (int i = 0; i < 3; i++) pthread_join(thread[i], NULL);
	work_here(NULL);
	return puts("ok") < 0 ? 1 : 3;
}
"""
LOADS = """
#include <dlfcn.h>
int main(int argc, char **argv) {
	void *plugin = dlopen(argv[argc - 1], RTLD_NOW);
	int (*enter)(void) = plugin ? dlsym(plugin, "enter") : 0, status = enter ? enter() : 9;
	return plugin && dlclose(plugin) ? 8 : status;
}
"""
# The names of libc, if any, that the program asks for at run time, and what it expects then.
ASKS = """
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/epoll.h>
#pragma weak pthread_create
#pragma weak pthread_sigmask
#pragma weak epoll_pwait2
static void *nothing(void *unused) { return unused; }
int main(void) {
	pthread_t thread; sigset_t set; struct epoll_event event;
	if (pthread_create && pthread_create(&thread, NULL, nothing, NULL) != ENOSYS) return 1;
	if (pthread_sigmask && pthread_sigmask(SIG_SETMASK, NULL, &set)) return 2;
	if (epoll_pwait2 && (epoll_pwait2(-1, &event, 1, NULL, NULL) != -1 || errno != ENOSYS)) return 3;
	return 4;
}
"""


def names(header):
    """Those of a table of names that are looked up."""
    found = set(re.findall(r"X\([^,()]+(?:\([^)]*\))?, (\w+),",
                           (ROOT / "preload/libc" / header).read_text(encoding="utf-8")))
    assert {"sigaction", "sigprocmask", "clone"} <= found
    return sorted(found - {"name"})


def started(folder, *argv):
    """By the loader, with the libraries of that folder."""
    return [older_libc.paths()[0], "--library-path", folder, *argv]


def with_us(profiler, argv, **settings):
    return execute(argv, clean_environment(**profiler.preloaded(**settings)))


def is_as_ever(profiler, argv):
    plain = execute(argv, clean_environment())
    off = with_us(profiler, argv, **{"": "off"})
    assert off.outcome() == plain.outcome(), argv
    result = with_us(profiler, argv, collect="yes")
    assert result.outcome()[:2] == plain.outcome()[:2], (argv, result.outcome())
    assert result.stderr.count(b"\n") <= 1 and b"ld.so" not in result.stderr, result.stderr
    return result.stderr.decode()


@pytest.mark.parametrize("part", range(6))
def test_any_one_name_that_we_call_may_be_absent(profiler, part):
    for name in names("libc.h")[part::6]:
        folder = older_libc.write(profiler.folder / "lib", [name])
        is_as_ever(profiler, started(folder, TRUE))


def test_names_that_we_interpose_may_be_absent(profiler):
    """Those without which nothing is sampled are left where they are, so that the others matter."""
    left = [name for name in names("interposed.h") if name not in names("libc.h")]
    for part in range(4):
        folder = older_libc.write(profiler.folder / "lib", left[part::4])
        assert is_as_ever(profiler, started(folder, TRUE)) == ""


def test_all_names_may_be_absent(profiler):
    folder = older_libc.write(profiler.folder / "lib", names("interposed.h") + names("libc.h"))
    line = is_as_ever(profiler, started(folder, TRUE))
    assert re.fullmatch(r"flametrap: libc has no \w+, which sampling needs; the program runs "
                        r"unprofiled\n", line)


@pytest.fixture(scope="module")
def layout(tmp_path_factory):
    return older_libc.layout(tmp_path_factory.mktemp("older"))


@pytest.mark.parametrize("by", ["the program", "a plugin"])
def test_threads_of_an_older_libc_are_sampled(profiler, layout, by):
    """Whoever comes with the thread library."""
    needs = ["-Wl,--no-as-needed", layout / "libpthread.so.0"]
    if by == "a plugin":
        argv = [compiled(profiler.folder, "app", LOADS, "-Wl,--no-as-needed", layout / "libdl.so.2"),
                compiled(profiler.folder, "plugin.so", THREADS, "-DENTRY=enter", "-shared", "-fPIC", *needs)]
    else:
        argv = [compiled(profiler.folder, "app", THREADS, "-DENTRY=main", *needs)]
    is_as_ever(profiler, started(layout, *argv))
    result, spools = profiler.collected(started(layout, *argv))
    assert result.outcome() == (3, b"ok\n", b"")
    assert [spool.count("THREADS_ENDED") for spool in spools] == [3]
    assert profiler.fold(spools).total > 0


def test_a_name_that_is_nowhere_fails_as_a_call_that_the_kernel_lacks(profiler):
    app = compiled(profiler.folder, "app", ASKS)
    folder = older_libc.write(profiler.folder / "lib",
                              ["pthread_create", "pthread_sigmask", "epoll_pwait2"])
    assert execute(started(folder, app), clean_environment()).status == 4
    is_as_ever(profiler, started(folder, app))


def unwinder():
    folder = older_libc.paths()[1].parent
    found = [path for place in (folder, pathlib.Path(f"/usr{folder}"))
             for path in place.glob("libunwind-*64.so.8")]
    if not found:
        pytest.skip("libunwind is not where libc is")
    return found[0]


@pytest.mark.parametrize("name", ["create_addr_space", "set_caching_policy", "init_remote", "step",
                                  "get_reg", "dwarf_search_unwind_table", None])
def test_an_unwinder_may_lack_a_name_or_be_no_library(profiler, name):
    path = unwinder()
    machine = os.uname().machine
    data = b"text" if not name else older_libc.forget(path, [f"_U{machine}_{name}"])
    assert data != path.read_bytes()
    (profiler.folder / path.name).write_bytes(data)
    result, spools = profiler.collected([target("burn"), 30],
                                        environment={"LD_LIBRARY_PATH": str(profiler.folder)})
    assert result.outcome() == (7, b"ok\n", b"")
    assert len(spools) == 1 and spools[0].samples() > 0


def old_root():
    """A root of Debian 11 (glibc 2.31) with python3: mmdebstrap --include=python3-minimal bullseye."""
    path = os.environ.get("OLD_ROOT")
    if not path or not pathlib.Path(path, "bin/true").exists():
        pytest.skip("OLD_ROOT names no root with an older glibc")
    return pathlib.Path(path)


@pytest.mark.parametrize("argv", [["/bin/true"], ["/bin/sh", "-c", "/bin/true; exit 4"],
                                  ["/usr/bin/python3", "-c", "import threading\n"
                                   "t = threading.Thread(target=print, args=('ok',))\n"
                                   "t.start(); t.join()"]])
def test_programs_of_a_real_older_root_run_as_ever(profiler, argv):
    root = old_root()
    folder = next(root.glob("lib/*/libc.so.6")).parent
    loader = next(folder.glob("ld-linux*.so.*"), None) or next(folder.glob("ld-2*.so"))
    argv = [loader, "--library-path", f"{folder}:{root}/usr/lib/{folder.name}",
            f"{root}{argv[0]}", *argv[1:]]
    is_as_ever(profiler, argv)
    result = execute([COMMAND, "-o", profiler.folder / "y", *argv], clean_environment())
    assert result.outcome()[:2] == execute(argv, clean_environment()).outcome()[:2]
