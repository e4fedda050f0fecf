"""The spec of an RPM builds from the source tarball, by rpm's own tools."""

import re

import pytest

from making import ROOT, dist, need, run

SPEC = ROOT / "packaging/flametrap.spec"


@pytest.fixture(scope="module", name="rpm")
def build_rpm(tmp_path_factory):
    need("rpmbuild")
    top = tmp_path_factory.mktemp("rpm")
    tarball = dist(top / "dist")
    # --nodeps: what building needs is there as Debian's packages, of which rpm knows nothing
    done = run(["rpmbuild", "-tb", "--nodeps", "-D", f"_topdir {top}", "-D",
                "debug_package %{nil}", tarball])
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    return next((top / "RPMS").rglob("flametrap-*.rpm"))


def test_the_package_holds_all_that_is_installed(rpm):
    files = run(["rpm", "-qlp", rpm]).stdout.split()
    assert "/usr/bin/flametrap" in files
    assert any(re.fullmatch(r"/usr/lib(64)?/libflametrap\.so", name) for name in files)
    for part in ("/man1/flametrap.1", "/man7/flametrap-settings.7", "completions/flametrap",
                 "/_flametrap", "/flametrap.fish", "/LICENSE", "/README.md"):
        assert [name for name in files if part in name], part


def test_the_package_requires_what_is_loaded(rpm):
    requires = run(["rpm", "-qRp", rpm]).stdout
    for soname in ("libdw.so.1", "libelf.so.1", "libprotobuf-c.so.1", "libz.so.1"):
        assert f"{soname}()(64bit)" in requires
    assert run(["rpm", "-qp", "--recommends", rpm]).stdout.split() == ["capstone", "libRmath"]
    assert re.search(r"^libunwind-\w+\.so\.8\(\)\(64bit\)$", requires, re.M)


def test_rpmlint_finds_no_error():
    need("rpmlint")
    done = run(["rpmlint", SPEC])
    assert re.search(r"\b0 errors\b", done.stdout), done.stdout + done.stderr
