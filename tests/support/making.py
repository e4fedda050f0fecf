"""Running make's targets that install and pack, and what they made."""

import os
import platform
import shutil
import subprocess

import pytest

from running import BUILD, ROOT

BUSY = "import time\nwhile time.process_time() < 0.3: pass\nprint(open('/proc/self/maps').read())"
LIMIT_S = 1800  # against a hang; no test passes or fails by being fast
TRIPLET = f"{platform.machine()}-linux-gnu"
OTHER = f"/lib/{TRIPLET}/libm.so.6"  # something that may be preloaded, for an example


def run(argv, **options):
    environment = {name: value for name, value in os.environ.items()
                   if not name.startswith(("MAKE", "FLAMETRAP", "LD_", "DEBUGINFOD"))}
    environment.update(options.pop("environment", {}))
    return subprocess.run([str(word) for word in argv], env=environment, check=False,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=LIMIT_S, text=True, **options)


def make(*words, folder=ROOT):
    """The result of make, with this build unless BUILD= says otherwise."""
    return run(["make", "-s", "--no-print-directory", f"BUILD={os.path.relpath(BUILD, ROOT)}",
                *words], cwd=folder)


def made(*words, folder=ROOT):
    done = make(*words, folder=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def files_below(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*")
                  if not path.is_dir())


def need(*programs):
    for program in programs:
        if shutil.which(program) is None:
            pytest.skip(f"no {program}")


def need_repository():
    need("git")
    if run(["git", "-C", ROOT, "rev-parse", "--verify", "-q", "HEAD"]).returncode:
        pytest.skip("not in a git repository")


def dist(folder):
    """The source tarball, made in this folder."""
    need_repository()
    made("dist", f"BUILD={folder}")
    return next(folder.glob("flametrap-*.tar.gz"))
