"""exec with an overflow on its way: the new image must not die of a signal meant for the old.  fork
without exec: every process has its own profile, and together they add up.

Weights are events, nanoseconds here: on a machine whose host gives it no time, samples come
late and stand for more than their period."""

import subprocess

import pytest

from running import (COMMAND, PERIOD_NS, Folded, carry_all_time, clean_environment, execute, least_ns,
                     target)

OFTEN_NS = 100000


def test_two_thousand_execs_with_kernel_sampling_end_well(profiler):
    result, spools = profiler.collected([target("exec_chain"), 2000], period=OFTEN_NS,
                                        memory="1M")
    assert (result.status, result.stdout, result.stderr) == (0, b"ok\n", b"")
    # One spool per image, but for those without a sample, where the timer was late; of each way to
    # exec some images work for longer than it can be.
    assert len(spools) <= 2001
    names = {thread.name for spool in spools for thread in spool.threads}
    assert names >= {f"way {way}" for way in range(11)}, "by which each has become the next"
    assert len({spool.pid for spool in spools}) == 1
    if not spools[0].counters[0].flags & 1:
        assert sum(spool.count("KERNEL_SAMPLES") for spool in spools) > 0


def test_the_launcher_folds_the_images_of_one_process_into_one_profile(profiler):
    result, files = profiler.launched(["-e", "task-clock", "-c", OFTEN_NS, "--memory", "1M"],
                                      [target("exec_chain"), 50])
    assert (result.status, result.stdout) == (0, b"ok\n")
    assert "main" in files["profile.folded"]


@pytest.mark.parametrize("follow, followed", [("no", False), ("burn", True), ("b*", True),
                                              ("gcc*", False)])
def test_children_are_followed_as_asked(profiler, follow, followed):
    script = f"{target('burn')} 50; exit 0"
    _, spools = profiler.collected(["/bin/sh", "-c", script], follow=follow)
    assert any(spool.command == "burn" and spool.samples() for spool in spools) == followed


BURNT_MS = 40


@pytest.fixture(scope="module")
def deaf(tmp_path_factory):
    """A program that cannot be preloaded."""
    path = tmp_path_factory.mktemp("deaf") / "deaf"
    source = b".globl _start\n_start: movl $60, %eax; xorl %edi, %edi; syscall\n"
    made = subprocess.run(["cc", "-nostdlib", "-static", "-x", "assembler", "-", "-o", path],
                          input=source, capture_output=True, check=False)
    if made.returncode:
        pytest.skip("no static program can be built here")
    return path


def burnt_ns(folded):
    return Folded(folded).burnt("burn_here")


def test_the_command_collects_what_gave_way_to_a_program_it_cannot_preload(profiler, deaf):
    result, files = profiler.launched(["-e", "task-clock", "--weight", "events", "-c", 100000],
                                      [target("burn"), BURNT_MS, "exec", deaf])
    assert result.status == 0
    assert burnt_ns(files["profile.folded"]) >= least_ns(BURNT_MS)


@pytest.mark.parametrize("depth", [1, 2])
def test_a_preloaded_parent_collects_what_its_children_left(profiler, deaf, tmp_path, depth):
    """Also where it has no samples of its own, and what their children left in turn."""
    script = f"{target('burn')} {BURNT_MS} exec {deaf}; exit 3"
    for _ in range(depth - 1):
        script = f"({script}); exit 3"
    spools = tmp_path / "spools"
    spools.mkdir()
    result, _ = profiler.files(["/bin/sh", "-c", script], weight="events", period=100000,
                               spool=spools, output=tmp_path / "out-%e-%p")
    assert result.status == 3
    # of shells, in whose few milliseconds no late timer rings
    assert all(line.startswith(b"flametrap: no samples: task-clock did not overflow in ")
               for line in result.stderr.splitlines()), result.stderr
    assert list(spools.iterdir()) == []
    written = [path.read_text(encoding="utf-8") for path in tmp_path.glob("out-*.folded")]
    assert sum(burnt_ns(text) for text in written) >= least_ns(BURNT_MS)
    assert all(path.name.startswith("out-burn-") for path in tmp_path.glob("out-*.folded")
               if "burn_here" in path.read_text(encoding="utf-8"))


def test_what_nobody_is_left_to_collect_can_be_recovered(profiler, deaf, tmp_path):
    spools = tmp_path / "spools"
    spools.mkdir()
    result, _ = profiler.files([target("burn"), BURNT_MS, "exec", deaf], weight="events",
                               period=100000, spool=spools, output=tmp_path / "out")
    assert (result.status, len(list(spools.iterdir()))) == (0, 1)
    assert execute([COMMAND, "recover", spools], clean_environment()).status == 0
    assert list(spools.iterdir()) == []
    assert burnt_ns((tmp_path / "out.folded").read_text(encoding="utf-8")) >= least_ns(BURNT_MS)


WORKERS = 50
BURN_MS = 30


@pytest.mark.parametrize("leave", [[], ["exit"]], ids=["return", "_exit"])
def test_fifty_workers_leave_51_spools_that_add_up(profiler, leave):
    result, spools = profiler.collected([target("workers"), WORKERS, BURN_MS, *leave])
    assert (result.status, result.stdout) == (0, b"ok\n")
    assert len(spools) == WORKERS + 1
    assert len({spool.pid for spool in spools}) == WORKERS + 1
    carry_all_time(spools, result)
    folded = profiler.fold(spools, "--weight", "events")
    assert folded.burnt("worker_work") >= WORKERS * least_ns(BURN_MS)
    assert folded.inclusive(r"parent_work|\[no tick\]") > 0  # the parent waits often: a timer


def test_a_child_starts_empty(profiler):
    _, spools = profiler.collected([target("workers"), 2, 100])
    parent = {spool.parent_pid for spool in spools} & {spool.pid for spool in spools}
    for spool in spools:
        folded = profiler.fold([spool])
        if spool.pid in parent:
            assert folded.inclusive("parent_work") > 0
            assert folded.inclusive("worker_work") == 0
        else:
            assert folded.inclusive("worker_work") > 0
            assert folded.inclusive("parent_work") == 0


def test_preload_alone_writes_51_profiles(profiler):
    result, files = profiler.files([target("workers"), WORKERS, BURN_MS], period=PERIOD_NS,
                                   weight="events")
    assert (result.status, result.stdout, result.stderr) == (0, b"ok\n", b"")
    folded = [Folded(text) for name, text in files.items() if name.endswith(".folded")]
    assert len(folded) == WORKERS + 1
    assert len(files) == WORKERS + 1
    of_workers = [one for one in folded if not one.inclusive("parent_work")]
    assert len(of_workers) == WORKERS
    assert min(one.burnt("worker_work") for one in of_workers) >= least_ns(BURN_MS)


def test_the_launcher_merges_them_into_one(profiler):
    result, files = profiler.launched(["-e", "task-clock", "-c", PERIOD_NS, "--weight", "events"],
                                      [target("workers"), WORKERS, BURN_MS])
    assert (result.status, result.stdout) == (0, b"ok\n")
    assert set(files) == {"profile.folded", "profile.html", "profile.svg"}
    folded = Folded(files["profile.folded"])
    assert folded.burnt("worker_work") >= WORKERS * least_ns(BURN_MS)
    assert b"51 processes" in result.stderr


def test_a_handler_may_fork_in_the_middle_of_a_fork(profiler):
    result, _ = profiler.collected([target("forks"), "handler", 100], period=250000)
    assert result.outcome() == (0, b"good\n", b"")


def faults_of_a_thread(run):
    """Pages that a forked child touches for each thread that its parent has."""
    faults = [int(run([target("forks"), "many", threads]).stdout) for threads in (10, 210)]
    return (faults[1] - faults[0]) / 200


def test_a_child_does_not_pay_for_the_threads_of_its_parent(profiler):
    bare = faults_of_a_thread(profiler.plain)
    assert bare > 0  # libc takes back their stacks
    assert faults_of_a_thread(lambda argv: profiler.collected(argv)[0]) < bare + 0.5


def test_a_child_may_have_threads_of_its_own(profiler):
    result, spools = profiler.collected([target("forks"), "many", 20, BURN_MS])
    assert (result.status, len(spools)) == (0, 2)
    carry_all_time(spools, result)
    folded = profiler.fold(spools, "--weight", "events")
    assert folded.burnt("child_work") >= 2 * least_ns(BURN_MS)


def test_a_child_of_a_thread_s_dlopen_asks_the_loader_for_nothing(profiler):
    result, spools = profiler.collected([target("forks"), "loading"])
    assert result.outcome() == (7, b"child 5\n", b"")
    assert len([spool for spool in spools if spool.samples()]) == 2
