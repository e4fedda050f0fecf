"""`make deb` makes a package that lintian has nothing against, and that says what it needs."""

import os
import pathlib
import re
import subprocess

import pytest

from making import ROOT, TRIPLET, files_below, made, need, need_repository, run

SONAMES = re.compile(r'^#define LIBRARY\w*\s+"(lib(?!pfm)[\w-]+\.so\.\d+)"', re.M)


@pytest.fixture(scope="module", name="deb")
def build_deb(tmp_path_factory):
    need("dpkg-buildpackage", "dh", "dpkg-shlibdeps")
    need_repository()
    build = tmp_path_factory.mktemp("deb") / "build"
    made("deb", f"BUILD={build}")
    return next((build / "deb").glob("flametrap_*.deb"))


def field(deb, name):
    return run(["dpkg-deb", "-f", deb, name]).stdout.strip()


def loaded_libraries():
    """What the code opens by dlopen, by soname; libpfm4 is only suggested."""
    text = "".join(path.read_text() for folder in ("runtime", "preload")
                   for path in (ROOT / folder).rglob("*.c"))
    names = set(SONAMES.findall(text))
    return names | {f"libunwind-{TRIPLET.split('-', maxsplit=1)[0]}.so.8"}


def package_of(soname):
    found = [*pathlib.Path("/").glob(f"*lib/{TRIPLET}/{soname}")]
    found += [path for path in (pathlib.Path("/usr/lib", TRIPLET, soname),
                                pathlib.Path("/usr/lib", soname)) if path.exists()]
    assert found, f"{soname} is not installed"
    for path in {*found, *(path.resolve() for path in found)}:
        done = run(["dpkg-query", "-S", path])
        if done.returncode == 0:
            return done.stdout.split(":")[0]
    raise AssertionError(f"no package has {soname}")


def test_lintian_has_nothing_to_say(deb):
    need("lintian")
    changes = next(deb.parent.glob("*.changes"))
    done = run(["lintian", "--allow-root", "--fail-on", "error,warning", changes]
               if os.getuid() == 0 else ["lintian", "--fail-on", "error,warning", changes])
    assert (done.returncode, done.stdout) == (0, ""), done.stdout + done.stderr


def test_the_package_depends_on_all_that_is_loaded(deb):
    names = loaded_libraries()
    assert {"libdw.so.1", "libelf.so.1", "libprotobuf-c.so.1", "libRmath.so.1",
            "libz.so.1"} < names
    depends = {entry.split()[0] for entry in field(deb, "Depends").split(",")}
    assert {package_of(soname) for soname in names} | {"libc6"} == depends
    assert field(deb, "Suggests") == "libpfm4"


def test_the_package_holds_what_works(deb, tmp_path):
    subprocess.run(["dpkg-deb", "-x", deb, tmp_path / "root"], check=True)
    files = files_below(tmp_path / "root")
    assert {"usr/bin/flametrap", f"usr/lib/{TRIPLET}/libflametrap.so",
            "usr/share/man/man1/flametrap.1.gz", "usr/share/doc/flametrap/copyright",
            "usr/share/bash-completion/completions/flametrap"} <= set(files)
    assert not [name for name in files if "LICENSE" in name]
    done = run([tmp_path / "root/usr/bin/flametrap", "sh", "-c", "echo $LD_PRELOAD"], cwd=tmp_path)
    assert done.stdout == f"{tmp_path}/root/usr/lib/{TRIPLET}/libflametrap.so\n"


def test_what_building_needs_is_what_set_up_installs():
    control = (ROOT / "packaging/debian/control").read_text()
    needs = re.search(r"^Build-Depends:\n((?: .*\n)+)", control, re.M)[1]
    needs = {entry.split()[0].strip(",") for entry in needs.splitlines()}
    essential = {"gcc", "make", "libc6-dev"}
    setup = (ROOT / "tests/setup.sh").read_text()
    listed = re.search(r"^\tbuild\) echo (.*?);;", setup, re.M | re.S)[1]
    assert needs - {"debhelper-compat"} == set(re.findall(r"[\w+-]+", listed)) - essential


@pytest.mark.parametrize("path, pattern", [
    ("packaging/debian/changelog", r"^flametrap \((.*)\)"),
    ("packaging/flametrap.spec", r"^Version: +(.*)"),
])
def test_packages_carry_the_version_of_the_program(path, pattern):
    version = re.search(r"^VERSION := (.*)", (ROOT / "Makefile").read_text(), re.M)[1]
    assert re.search(pattern, (ROOT / path).read_text(), re.M)[1] == version
