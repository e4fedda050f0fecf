"""`make install` puts what works where it was told to, and `make uninstall` takes it all back."""

import gzip
import re
import subprocess
import sys

import pytest

from making import BUILD, BUSY, ROOT, TRIPLET, dist, files_below, made, make, need, run

LIBDIRS = ["lib", "lib64", f"lib/{TRIPLET}"]


def installed(tmp_path, libdir="lib"):
    words = [f"DESTDIR={tmp_path / 'root'}", "PREFIX=/opt/it", f"LIBDIR=/opt/it/{libdir}"]
    made("install", *words)
    return tmp_path / "root", words


@pytest.mark.parametrize("libdir", LIBDIRS)
def test_command_and_library_find_each_other_where_they_were_installed(tmp_path, libdir):
    root, _ = installed(tmp_path, libdir)
    command = root / "opt/it/bin/flametrap"
    library = root / "opt/it" / libdir / "libflametrap.so"
    done = run([command, "sh", "-c", "echo $LD_PRELOAD"], cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, f"{library}\n")
    run([sys.executable, "-c", BUSY], cwd=tmp_path, environment={
        "LD_PRELOAD": str(library), "FLAMETRAP_OUTPUT": str(tmp_path / "alone"),
        "FLAMETRAP_FORMAT": "svg"})
    header = root / "opt/it/include/flametrap.h"
    assert header.read_bytes() == (ROOT / "preload/labels/flametrap.h").read_bytes()
    assert (tmp_path / "alone.svg").exists(), "only the command writes pictures"


def test_pages_completion_and_documents_are_installed(tmp_path):
    root, _ = installed(tmp_path)
    share = root / "opt/it/share"
    pages = files_below(share / "man")
    assert {"man1/flametrap.1", "man3/flametrap_label.3", "man7/flametrap-events.7",
            "man7/flametrap-settings.7"} <= set(pages)
    assert all((share / "man" / page).read_text().startswith(".") for page in pages)
    for path in ("bash-completion/completions/flametrap", "zsh/site-functions/_flametrap",
                 "fish/vendor_completions.d/flametrap.fish"):
        assert "off-cpu" in (share / path).read_text()
    documents = share / "doc/flametrap"
    for name in ("README.md", "LICENSE", "CHANGELOG.md", "docs/recipes.md"):
        assert (documents / name).read_bytes() == (ROOT / name).read_bytes()
    for page in (documents / "README.md", *(documents / "docs").glob("*.md")):
        for link in re.findall(r"\]\(([^)#]+)", page.read_text(encoding="utf-8")):
            assert "://" in link or (page.parent / link).exists(), (page.name, link)


@pytest.mark.parametrize("libdir", LIBDIRS)
def test_uninstall_leaves_nothing(tmp_path, libdir):
    root, words = installed(tmp_path, libdir)
    assert len(files_below(root)) > 20
    made("uninstall", *words)
    assert list(root.iterdir()) == []


def test_uninstall_leaves_what_is_another_s(tmp_path):
    root, words = installed(tmp_path)
    (root / "opt/it/bin/flametrap-viewer").write_text("#!/bin/sh\n")
    made("uninstall", *words)
    assert files_below(root) == ["opt/it/bin/flametrap-viewer"]


def test_a_folder_where_the_command_finds_no_library_is_refused(tmp_path):
    done = make("install", f"DESTDIR={tmp_path}", "PREFIX=/opt/it", "LIBDIR=/opt/other")
    assert done.returncode == 2
    assert "flametrap: LIBDIR=/opt/other: the command finds its library in: /opt/it/lib " \
        in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_the_tarball_is_the_same_each_time(tmp_path):
    first, second = dist(tmp_path / "first"), dist(tmp_path / "second")
    assert first.name == second.name
    assert first.read_bytes() == second.read_bytes()
    assert gzip.decompress(first.read_bytes())[257:262] == b"ustar"


@pytest.mark.long  # it compiles all of the product, which make deb also does from the tarball
def test_the_tarball_builds(tmp_path):
    tarball = dist(tmp_path / "dist")
    need("tar")
    subprocess.run(["tar", "-xf", tarball, "-C", tmp_path], check=True)
    folder = tmp_path / tarball.name[:-len(".tar.gz")]
    assert not (folder / ".git").exists()
    made("-j2", "BUILD=build", "CFLAGS=-O1", "all", folder=folder)
    done = run([folder / "build/flametrap", "--version"])
    assert done.stdout == run([BUILD / "flametrap", "--version"]).stdout
