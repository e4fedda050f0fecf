"""exec with an overflow on its way: the new image must not die of a signal meant for the old."""

import pytest

from running import target


def test_two_thousand_execs_with_kernel_sampling_end_well(profiler):
    result, spools = profiler.collected([target("exec_chain"), 2000], frequency=10000,
                                        memory="1M")
    assert (result.status, result.stdout, result.stderr) == (0, b"ok\n", b"")
    # One spool per image, but for those without a sample, where the timer was late; each of the
    # eight ways to exec makes more than a tenth of them.
    assert len(spools) >= 1800
    assert len({spool.pid for spool in spools}) == 1
    if not spools[0].counters[0].flags & 1:
        assert sum(spool.count("KERNEL_SAMPLES") for spool in spools) > 0


def test_the_launcher_folds_the_images_of_one_process_into_one_profile(profiler):
    result, files = profiler.launched(["-e", "task-clock", "-F", "10000", "--memory", "1M"],
                                      [target("exec_chain"), 50])
    assert (result.status, result.stdout) == (0, b"ok\n")
    assert "main" in files["profile.folded"]


def test_a_shell_pipeline_is_followed(profiler):
    script = f"{target('burn')} 100; {target('burn')} 100 | cat"
    result, files = profiler.launched(["-e", "task-clock"], ["/bin/sh", "-c", script])
    assert (result.status, result.stdout) == (0, b"ok\nok\n")
    assert files["profile.folded"].count("burn_here") >= 1


@pytest.mark.parametrize("follow, followed", [("no", False), ("burn", True), ("b*", True),
                                              ("gcc*", False)])
def test_children_are_followed_as_asked(profiler, follow, followed):
    script = f"{target('burn')} 50; exit 0"
    _, spools = profiler.collected(["/bin/sh", "-c", script], follow=follow)
    assert any(spool.command == "burn" and spool.samples() for spool in spools) == followed
