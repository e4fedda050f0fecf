"""fork without exec: every process has its own profile, and together they add up.

Weights are events, nanoseconds here: on a machine whose host gives it no time, samples come
late and stand for more than their period.
"""

import pytest

from running import PERIOD_NS, Folded, carry_all_time, least_ns, target

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


def test_a_pattern_without_pid_does_not_lose_a_profile(profiler):
    result, files = profiler.files([target("workers"), 6, BURN_MS], period=PERIOD_NS,
                                   output=profiler.folder / "same")
    assert result.status == 0
    found = [path for path in profiler.folder.iterdir() if path.name.startswith("same")
             and path.name.endswith(".folded")]
    assert not files
    assert len(found) == 7
    assert profiler.folder / "same.folded" in found


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
