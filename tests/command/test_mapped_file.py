"""A file without a build-id gives names only if it is the one that was mapped, and unchanged since; code
whose file is gone has its names, and a program that the loader starts its own.

Go, Zig, and clang and lld as upstream builds them write no build-id."""

import os
import pathlib
import re
import shutil
import subprocess

import pytest

import rights
from launching import flametrap, launch
from running import (LIBRARY as LIBRARY_FILE, Folded, clean_environment, compiled, least_ns,
                     program, target)
from spool_writer import GONE, Spool
from symbol_table import BASE, functions, run

LIBRARY = "__attribute__((noinline)) int NAME(int x) { volatile int y = x; return y * 3; }"
WORK = """
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
static volatile unsigned long n;
static long cpu_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}
#ifdef LIBRARY
__attribute__((noinline)) void NAME(void)
#else
__attribute__((noinline)) static void NAME(void)
#endif
{
	long end = cpu_ms() + 100;

	do
		for (int i = 0; i < 10000; i++)
			n += (unsigned long)i;
	while (cpu_ms() < end);
}
#ifdef LIBRARY
void entry(void) { NAME(); n++; }
#else
int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		void *handle;
		void (*entry)(void);

		if (argv[i][0] == '!') {
			if (system(argv[i] + 1))
				return 2;
			continue;
		}
		handle = dlopen(argv[i], RTLD_NOW);
		if (!handle)
			return puts(dlerror());
		*(void **)&entry = dlsym(handle, "entry");
		if (i + 1 < argc && argv[i + 1][0] == '!' && system(argv[++i] + 1))
			return 2;
		entry();
		dlclose(handle);
	}
	if (argc == 1)
		NAME();
	return n == 1;
}
#endif
"""


def build(folder, name, output, *options):
    source = folder / "work.c"
    source.write_text(WORK)
    run("cc", "-O1", "-Wl,--build-id=none", f"-DNAME={name}", "-o", output, source, *options)
    return output


def library(folder, name, output):
    return build(folder, name, output, "-shared", "-fPIC", "-DLIBRARY")


def weights(done, path, *names):
    assert done.returncode == 0
    lines = path.read_text().splitlines()
    return [sum(int(line.rpartition(" ")[2]) for line in lines if name in line)
            for name in names]


def made(folder, file, **changes):
    """A spool with a sample of a library, as if a process had mapped it."""
    where = functions(file)["shown"][0]
    status = file.stat()
    spool = Spool(GONE)
    entry = spool.module(file, BASE, BASE + 0x100000, BASE).file
    entry.device, entry.inode, entry.bytes = status.st_dev, status.st_ino, status.st_size
    entry.changed_ns = status.st_ctime_ns
    for field, value in changes.items():
        setattr(entry, field, value)
    spool.node(BASE + where, None, 1)
    spool.write(folder / "one.spool")
    return flametrap("fold", folder / "one.spool")


@pytest.fixture
def shown(tmp_path):
    return compiled(tmp_path, "a.so", LIBRARY, "-O1", "-shared", "-fPIC", "-DNAME=shown",
                    "-Wl,--build-id=none")


def test_the_same_file_gives_names(shown, tmp_path):
    done = made(tmp_path, shown)
    assert (done.stdout, done.stderr) == ("test;shown 1\n", "")


@pytest.mark.parametrize("field", ["device", "inode", "bytes", "changed_ns", "head"])
def test_each_difference_makes_it_another_file(field, shown, tmp_path):
    done = made(tmp_path, shown, **{field: 12345})
    assert done.stdout == "test;[a.so] [file changed] 1\n"
    assert done.stderr.count("\n") == 1
    assert f"{shown} was replaced since it was sampled: its functions have no names" in done.stderr


def test_two_files_of_one_path_are_two(shown, tmp_path):
    """Of a program that was rebuilt between two of its processes, the later one has names."""
    done = made(tmp_path, shown, inode=12345)
    os.rename(tmp_path / "one.spool", tmp_path / "first.spool")
    done = made(tmp_path, shown)
    done = flametrap("fold", tmp_path / "first.spool", tmp_path / "one.spool")
    assert sorted(done.stdout.splitlines()) == ["test;[a.so] [file changed] 1", "test;shown 1"]


def test_a_program_that_was_rebuilt_has_no_names(tmp_path):
    app = build(tmp_path, "true_name", tmp_path / "app")
    status = app.stat()
    done = launch(tmp_path, "--format", "spool,folded", app)
    true, = weights(done, tmp_path / "profile.folded", "true_name")
    assert true > 0
    build(tmp_path, "fake_name", app)
    os.utime(app, ns=(status.st_atime_ns, status.st_mtime_ns))
    (spool,) = tmp_path.glob("profile.*.spool")
    done = flametrap("fold", spool)
    assert "_name" not in done.stdout and "[app] [file changed]" in done.stdout
    assert "was replaced" in done.stderr


def test_a_program_that_is_replaced_while_it_runs_has_no_names(tmp_path):
    app = build(tmp_path, "true_name", tmp_path / "app")
    build(tmp_path, "fake_name", tmp_path / "next")
    done = launch(tmp_path, "--format", "folded", "sh", "-c",
                  f"mv {tmp_path}/next {app} & exec {app}")
    fake, = weights(done, tmp_path / "profile.folded", "fake_name")
    assert fake == 0


def test_a_library_that_is_replaced_before_its_first_sample_has_its_own_names(tmp_path):
    app = build(tmp_path, "own", tmp_path / "app")
    plugin = library(tmp_path, "true_name", tmp_path / "plugin.so")
    library(tmp_path, "fake_name", tmp_path / "next.so")
    done = launch(tmp_path, "--format", "folded", app, plugin,
                  f"!mv {tmp_path}/next.so {plugin}")
    true, fake = weights(done, tmp_path / "profile.folded", "true_name", "fake")
    assert true > 0 and fake == 0


def test_a_plugin_that_is_rebuilt_and_loaded_again_is_another(tmp_path):
    app = build(tmp_path, "own", tmp_path / "app")
    plugin = library(tmp_path, "true_name", tmp_path / "plugin.so")
    library(tmp_path, "next_name", tmp_path / "next.so")
    done = launch(tmp_path, "--format", "folded", app, plugin, "!true",
                  f"!mv {tmp_path}/next.so {plugin}", plugin)
    first, then, true = weights(done, tmp_path / "profile.folded", "plugin.so] [file changed]",
                                "next_name", "true_name")
    assert first > 0 and then > 0 and true == 0


@pytest.fixture
def hidden(tmp_path):
    """A directory `out` of fakes, and the command that starts a shell where `in` hides them."""
    program("unshare")
    for name, folder in (("true_name", tmp_path / "in"), ("fake_name", tmp_path / "out")):
        folder.mkdir()
        build(tmp_path, name, folder / "app")
        library(tmp_path, name, folder / "plugin.so")
    mount = ["unshare", "-m", "sh", "-c",
             f'mount --bind {tmp_path}/in {tmp_path}/out && exec "$@"', "sh"]
    if subprocess.run([*mount, "true"], check=False, stderr=subprocess.DEVNULL).returncode:
        pytest.skip("this user may not mount")
    return mount


def test_another_file_in_a_mount_namespace_gives_no_names(hidden, tmp_path):
    done = launch(tmp_path, "--format", "folded", *hidden, tmp_path / "out" / "app")
    fake, changed = weights(done, tmp_path / "profile.folded", "fake_name", "[file changed]")
    assert fake == 0 and changed > 0


def test_the_file_of_a_running_process_is_found_in_its_own_root(hidden, tmp_path):
    folder = tmp_path / "spools"
    folder.mkdir()
    out = tmp_path / "out"
    environment = clean_environment(LD_PRELOAD=str(LIBRARY_FILE), FLAMETRAP_SPOOL=str(folder),
                                    FLAMETRAP_EVENTS="task-clock")
    argv = [*hidden, out / "app", out / "plugin.so", "!true", "!echo done; exec cat"]
    with subprocess.Popen(argv, env=environment, stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as child:
        assert child.stdout.readline() == b"done\n"
        # the images before it may have left some, too
        maps = pathlib.Path(f"/proc/{child.pid}/maps").read_text(encoding="utf-8")
        spool, = set(re.findall(rf"{folder}/\S+\.spool$", maps, re.M))
        text = flametrap("fold", spool, status=0).stdout
        child.stdin.close()
    assert "true_name" in text and "fake_name" not in text


def test_a_file_that_was_removed_is_not_called_stripped(tmp_path):
    app = build(tmp_path, "true_name", tmp_path / "app")
    done = launch(tmp_path, "--format", "folded", "sh", "-c",
                  f"{app}; {app}; {app}; rm {app}", status=0)
    assert b"its file was removed" in done.stderr and b"not stripped" not in done.stderr, done


INNER_MS, OUTER_MS = 60, 30  # of the work of each
OPTIONS = ["--format", "folded", "--weight", "events", "-e", "task-clock", "-c", "100000"]
GONE_PROGRAM = ("gone_static", "gone_program")
GONE_LIBRARY = ("gone_inner", "gone_outer")


def ways(folder):
    """{way: (command, the functions)}; the files that are removed are copies."""
    library, program = folder / "libcopy.so", folder / "program"
    shutil.copy(target("libgone.so"), library)
    shutil.copy(target("gone"), program)
    program.chmod(0o755)
    return {"exec": ([target("gone"), "exec"], GONE_PROGRAM),
            "open": ([target("gone"), "open", library], GONE_LIBRARY),
            "remove": ([target("gone"), "remove", library], GONE_LIBRARY),
            "work": ([program, "work"], GONE_PROGRAM)}


def profiled(profiler, way, preexec=None):
    argv, functions = ways(profiler.folder)[way]
    result, files = profiler.launched(OPTIONS, argv, preexec=preexec)
    assert result.status == 0, result.stderr
    assert b"has them" not in result.stderr  # no advice to find a file that is not stripped
    return Folded(files["profile.folded"]), functions


@pytest.mark.parametrize("way", ["exec", "open", "remove", "work"])
def test_functions_of_a_file_that_is_gone_have_their_names(profiler, way):
    folded, (inner, outer) = profiled(profiler, way)
    assert folded.burnt(inner) >= least_ns(INNER_MS)
    assert folded.burnt(outer) >= least_ns(INNER_MS + OUTER_MS)
    assert folded.burnt(inner) < folded.burnt(outer)


@pytest.mark.skipif(os.geteuid() != 0, reason="another user needs root")
@pytest.mark.parametrize("way", ["exec", "open", "remove", "work"])
def test_without_rights_those_that_are_exported_have_theirs(profiler, way):
    """/proc/self/map_files is not for everybody; /proc/self/exe is, of the program itself."""
    def become_nobody():
        for place in (profiler.folder, *profiler.folder.glob("launch-*")):
            place.chmod(0o777)
        rights.become_nobody()

    folded, (inner, outer) = profiled(profiler, way, become_nobody)
    assert folded.burnt(outer) >= least_ns(INNER_MS + OUTER_MS)
    if way in ("exec", "work"):
        assert folded.burnt(inner) >= least_ns(INNER_MS)


@pytest.fixture
def app(tmp_path):
    return shutil.copy(target("burn"), tmp_path / "app")


def loader_of(path):
    return re.search(r"interpreter: (.*)\]", run("readelf", "-lW", path))[1]


@pytest.mark.parametrize("strict", [[], ["--strict"]], ids=["as usual", "strict"])
def test_a_program_that_the_loader_starts_has_its_own_name_and_functions(strict, app, tmp_path):
    done = launch(tmp_path, *strict, "--kernel", "no", "--format", "folded", loader_of(app), app, 100,
                  status=7)
    folded = Folded((tmp_path / "profile.folded").read_text())
    assert folded.inclusive("burn_here.*") > 0 and {stack[0] for stack in folded.stacks} == {"app"}
    assert b"replaced" not in done.stderr and b"symbols" not in done.stderr


def test_its_files_are_named_after_it(app, tmp_path):
    flametrap("--format", "folded", loader_of(app), "--library-path", "/none", app, "100", cwd=tmp_path)
    assert len(list(tmp_path.glob("flametrap.app.*.folded"))) == 1


def test_it_is_recognised_without_a_build_id(app, tmp_path):
    run("objcopy", "--remove-section=.note.gnu.build-id", app)
    done = launch(tmp_path, "--format", "folded", loader_of(app), app, 100)
    assert Folded((tmp_path / "profile.folded").read_text()).inclusive("burn_here.*") > 0
    assert b"replaced" not in done.stderr
