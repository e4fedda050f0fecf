"""A program that gives up its system calls is not killed by one of ours; what was sampled until
then is kept."""

import os

import pytest

from running import COMMAND, Folded, clean_environment, execute, least_ns, program, target

BURN_MS = 40
PERIOD_NS = 100000
WANTED = least_ns(BURN_MS)


@pytest.mark.parametrize("mode", ["strict", "filter", "seccomp"])
def test_a_sandbox_is_entered_alive_and_the_profile_ends_there(profiler, mode):
    argv = [target("harm_sandbox"), BURN_MS, mode]
    _, files = profiler.alike(argv, (7, b"inside\nok\n", b""), how="files", period=PERIOD_NS,
                              weight="events")
    (text,) = files.values()
    assert Folded(text).burnt("work_burn") >= WANTED


@pytest.mark.parametrize("mode", ["strict", "filter", "seccomp"])
def test_a_sandboxed_program_is_folded_by_the_launcher(profiler, mode):
    result, files = profiler.launched(["-e", "task-clock", "-c", PERIOD_NS, "--weight", "events"],
                                      [target("harm_sandbox"), BURN_MS, mode])
    assert (result.status, result.stdout) == (7, b"inside\nok\n")
    assert Folded(files["profile.folded"]).burnt("work_burn") >= WANTED


def test_asking_for_filters_ends_nothing(profiler):
    argv = [target("harm_sandbox"), BURN_MS, "asked"]
    result, files = profiler.files(argv, period=PERIOD_NS)
    assert result.outcome() == (7, b"inside\nok\n", b"")
    (text,) = files.values()
    assert Folded(text).leaf("main") > 0, "the work after the question was sampled"


@pytest.mark.parametrize("mode", ["exec", "early"])
def test_a_program_started_inside_a_sandbox_that_kills_for_counters_lives(profiler, mode):
    argv = [target("harm_sandbox"), BURN_MS, mode, target("burn"), BURN_MS]
    profiler.alike(argv, (7, b"inside\nok\n", b""), how="files", period=PERIOD_NS, log="quiet")


@pytest.mark.parametrize("outer", [[], ["/bin/sh", "-c", '"$@"; exit $?', "sh"]])
@pytest.mark.parametrize("follow", ["no", "burn*", "other*"])
def test_who_is_followed_is_asked_inside_the_sandbox(profiler, follow, outer):
    """By the program's name and its parent's library, which takes calls that may kill."""
    argv = [*outer, target("harm_sandbox"), BURN_MS, "early", target("burn"), BURN_MS]
    plain = profiler.plain(argv)
    result, _ = profiler.files(argv, period=PERIOD_NS, follow=follow)
    assert (result.status, result.stdout) == (plain.status, plain.stdout) == (7, b"inside\nok\n")
    assert (b"the sandbox of this program" in result.stderr) == (not outer)


@pytest.mark.parametrize("tool", ["memcheck", "none"])
def test_valgrind_s_client_lives_and_is_left_alone(profiler, tool):
    argv = [program("valgrind"), "-q", f"--tool={tool}", target("burn"), "1", "_exit"]
    plain = profiler.plain(argv)
    shell = ["/bin/sh", "-c", 'while [ "${i:=0}" -lt 20000 ]; do i=$((i + 1)); done; "$@"; exit $?',
             "sh", *argv]
    # the shell's samples wait for an image that never comes: recover has them
    result, files = profiler.files(shell, period=PERIOD_NS, spool=profiler.folder)
    assert result.outcome() == plain.outcome() == (7, b"ok\n", b"")
    assert not [name for name in files if name.startswith("burn")]
    result, files = profiler.files(argv)
    assert (result.status, result.stdout, files) == (7, b"ok\n", {})
    assert result.stderr == (b"flametrap: valgrind does not let signals through; the program runs "
                             b"unprofiled\n")


def test_landlock_takes_the_files_away_but_no_sample(profiler):
    """A program that may open nothing any more is sampled on; its profile waits for `recover`."""
    argv = [target("harm_sandbox"), BURN_MS, "landlock"]
    plain = profiler.plain(argv)
    if plain.status == 77:
        pytest.skip("no Landlock in this kernel")
    result, files = profiler.files(argv, period=PERIOD_NS, weight="events", spool=profiler.folder)
    assert (result.status, result.stdout) == (plain.status, plain.stdout) == (7, b"inside\n")
    spool, = [name for name in os.listdir(profiler.folder) if name.endswith(".spool")]
    assert result.stderr.decode() == (
        "flametrap: neither the flametrap command nor the library could write the profile; the "
        f"samples are kept in {profiler.folder}/{spool} (flametrap recover)\n")
    assert not files
    assert execute([COMMAND, "recover", profiler.folder], clean_environment()).status == 0
    text, = [path.read_text() for path in profiler.folder.rglob("*.folded")]
    assert Folded(text).burnt("work_burn") >= least_ns(2 * BURN_MS)


def test_under_the_command_a_landlocked_program_is_profiled_whole(profiler):
    result, files = profiler.launched(["-e", "task-clock", "-c", PERIOD_NS, "--weight", "events"],
                                      [target("harm_sandbox"), BURN_MS, "landlock"])
    if result.status == 77:
        pytest.skip("no Landlock in this kernel")
    assert (result.status, result.stdout) == (7, b"inside\n")
    assert Folded(files["profile.folded"]).burnt("work_burn") >= least_ns(2 * BURN_MS)
