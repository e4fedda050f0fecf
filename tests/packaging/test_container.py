"""The recipes for containers: what an image preloads stays, and flametrap brings what it needs.

Where docker builds images the Dockerfile is built; everywhere its own commands are run here.
"""

import re
import subprocess
import sys

import pytest

from making import BUSY, OTHER, ROOT, TRIPLET, dist, need, run

FOLDER = ROOT / "packaging/container"


def instructions(word):
    text = (FOLDER / "Dockerfile").read_text().replace("\\\n", " ")
    return re.findall(rf"^{word} (.*)$", text, re.M)


@pytest.fixture(scope="module", name="image")
def run_instructions(tmp_path_factory):
    """The folder that the build stage leaves, made by its commands in a copy of the sources."""
    need("tar", "ldconfig", "ldd", "patchelf")
    folder = tmp_path_factory.mktemp("image")
    tarball = dist(folder / "dist")
    subprocess.run(["tar", "-xf", tarball, "-C", folder], check=True)
    for command in instructions("RUN"):
        if "apt-get" in command or "setup.sh" in command:
            continue
        done = run(["sh", "-ec", command.replace("/out", f"{folder}/out")],
                   cwd=folder / tarball.name[:-len(".tar.gz")])
        assert done.returncode == 0, command + done.stdout[-3000:] + done.stderr[-3000:]
    return folder / "out/opt/flametrap"


def test_the_commands_of_the_image_make_a_folder_that_brings_its_libraries(image, tmp_path):
    done = run([image / "bin/flametrap", "-F", "999", "-o", tmp_path / "it", sys.executable, "-c",
                BUSY], environment={"LD_DEBUG": "files", "LD_DEBUG_OUTPUT": str(tmp_path / "ld")})
    assert done.returncode == 0, done.stderr
    for soname in (f"libunwind-{TRIPLET.split('-', maxsplit=1)[0]}.so.8", "libunwind.so.8"):
        assert f" {image}/lib/{soname}\n" in done.stdout
    text = "".join(path.read_text(errors="replace") for path in tmp_path.glob("ld.*"))
    for soname in ("libdw.so.1", "libelf.so.1", "libz.so.1"):
        assert f"calling init: {image}/bin/../lib/{soname}" in text
    assert (tmp_path / "it.svg").exists()
    assert (image / "lib/libRmath.so.1").exists()  # loaded by comparisons


def test_the_image_adds_to_what_is_preloaded():
    value = next(line for line in instructions("ENV") if line.startswith("LD_PRELOAD="))
    ours = "/opt/flametrap/lib/libflametrap.so"
    for present, expected in ((None, ours), ("", ours), ("liba.so", f"liba.so:{ours}")):
        environment = {} if present is None else {"LD_PRELOAD": present}
        # docker's substitution in ENV is that of the shell, for these forms
        done = subprocess.run(["sh", "-c", f"{value}; echo $LD_PRELOAD"], env={
            **environment, "PATH": "/usr/bin:/bin"}, capture_output=True, text=True, check=True)
        assert done.stdout == f"{expected}\n"


@pytest.mark.parametrize("present", [None, OTHER])
def test_the_pod_s_program_is_profiled_beside_what_it_preloads(image, tmp_path, present):
    yaml = pytest.importorskip("yaml")
    pod = yaml.safe_load((FOLDER / "pod.yaml").read_text())["spec"]
    bring = pod["initContainers"][0]["command"]
    volume = tmp_path / "flametrap"
    volume.mkdir()
    subprocess.run([word.replace("/opt/flametrap", str(image)) if "/opt" in word
                    else word.replace("/flametrap", str(volume)) for word in bring], check=True)
    container = pod["containers"][0]
    command = [word.replace("/flametrap", str(volume)) for word in container["command"]]
    environment = {entry["name"]: entry["value"].replace("/profiles", f"{tmp_path}/profiles")
                   for entry in container["env"]}
    if present:
        environment["LD_PRELOAD"] = present
    done = run([*command, sys.executable, "-c", BUSY], environment=environment)
    assert done.returncode == 0, done.stderr
    assert f"{volume}/lib/libflametrap.so" in done.stdout
    assert ("/libm" in done.stdout) or not present
    assert len(list((tmp_path / "profiles").glob("python3*.folded"))) == 1


def test_docker_builds_it():
    need("docker")
    if run(["docker", "info"]).returncode:
        pytest.skip("docker has no daemon here")
    base = run(["docker", "image", "inspect", "debian:bookworm", "debian:bookworm-slim"])
    if base.returncode:
        pytest.skip("the images it is built from are not here")
    done = run(["docker", "build", "-f", FOLDER / "Dockerfile", "-t", "flametrap-test", ROOT])
    assert done.returncode == 0, done.stderr[-3000:]
    done = run(["docker", "run", "--rm", "flametrap-test", "/opt/flametrap/bin/flametrap",
                "--version"])
    assert done.stdout.startswith("flametrap ")
