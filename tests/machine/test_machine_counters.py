"""Hardware counters, counted exactly, on every kernel that tells of overflows by SIGTRAP, and
on one from before it."""

import collections
import re

import pytest

from running import FIRST_FRAMES, LEAF_ONLY, ROOT
from spool import SIGIO, SIGTRAP

PERIOD = 1000000
HEAVY = "inner_caller", "heavy_work"
LIGHT = "inner_caller", "light_work"
EVERY = [pytest.param(("5.10", "old"), marks=pytest.mark.long, id="5.10"),
         pytest.param(("6.1", "counters"), marks=pytest.mark.long, id="6.1"),
         pytest.param(("6.12", "counters"), id="6.12")]
MODERN = [pytest.param("6.1", marks=pytest.mark.long), "6.12"]
# tests/machine/targets/frames.c: what main called, by what worked
WORK_OF_FRAMES = {"leaf_plain": "leaf_plain", "leaf_of_alloca": "with_alloca",
                  "compare_slowly": "through_libc", "on_signal": "through_signal"}


@pytest.fixture(params=EVERY)
def every(machines, request):
    return machines.guest(*request.param)


@pytest.fixture(params=MODERN)
def modern(machines, request):
    return machines.guest(request.param, "counters")


def by_tail(stacks, count=2):
    """{the last frames: value}; a stack must begin where the program does."""
    found = {}
    for frames, value in stacks.items():
        assert frames[1] in (*FIRST_FRAMES, LEAF_ONLY), frames
        found[frames[-count:]] = found.get(frames[-count:], 0) + value
    return found


def periods(value, expected, slack=3, of=PERIOD):
    """So many periods, but for those that the beginning takes or adds: the first period is random, and
    with the first sample, whose stack is the dearest, the counter is opened again."""
    return abs(value / of - expected) <= slack


def heavy_and_light(stacks, of=1):
    """And little else: a period may begin before main, or end behind it."""
    found = by_tail(stacks)
    others = sum(value for frames, value in found.items() if frames not in (HEAVY, LIGHT))
    return periods(found[HEAVY], 45, of=of) and periods(found[LIGHT], 15, of=of) and \
        periods(others, 0, of=of)


def test_the_kernel_is_the_one_asked_for(every):
    assert every.text("tour").startswith(every.kernel + ".")


def test_every_period_of_a_group_is_a_sample_with_exact_counts(every):
    spool = every.spool("raw")
    thread, = spool.threads
    assert [counter.name for counter in spool.counters] == ["cycles:u", "instructions:u"]
    assert periods(thread.samples(), 60, of=1)
    assert periods(thread.events(0), 60) and periods(thread.events(1), 60)
    assert thread.count["SAMPLES"] == thread.samples()
    assert thread.count["COMPLETE"] == thread.samples() - thread.count["LEAF_ONLY"] > 0
    assert not any(value for name, value in thread.count.items()
                   if name.startswith(("LOST", "TRUNCATED", "MALFORMED", "GUESSED")))


def test_the_folded_output_has_exact_counts_of_both_counters(every):
    every.ended_well("group_events")
    for counter in "cycles-u", "instructions-u":
        stacks = every.folded(f"group_events/p.{counter}.folded")
        assert heavy_and_light(stacks, PERIOD), stacks


def test_the_recipe_for_instructions_per_cycle(modern):
    """One profile for each counter of the group; the one that this PMU lacks is named."""
    recipes = (ROOT / "docs" / "recipes.md").read_text(encoding="utf-8")
    command = "flametrap -e '{cycles,instructions,cache-misses}:u' --weight events ./app"
    assert command in " ".join(recipes.split())
    said = modern.ended_well("recipe")
    counted = {counter: by_tail(modern.folded(f"recipe/p.{counter}-u.folded"))
               for counter in ("cycles", "instructions")}
    for found in counted.values():
        assert found[HEAVY] == pytest.approx(3 * found[LIGHT], rel=0.2)
    assert "cache-misses" in said


def test_samples_are_those_of_the_leader(every):
    every.ended_well("group_samples")
    stacks = every.folded("group_samples/p.cycles-u.folded")
    assert heavy_and_light(stacks), stacks


def test_each_thread_has_counters_of_its_own(every):
    spool = every.spool("threads")
    workers = [thread for thread in spool.threads if thread.samples()]
    number = sum(thread.events() for thread in workers) / PERIOD
    assert abs(number - 120) <= 8  # a period at the beginning and at the end of each thread


def test_stacks_are_complete_and_named_through_every_kind_of_frame(every):
    """On a busy host the handler seems slow to itself: it takes some leaves alone, and a longer
    period."""
    every.ended_well("frames_named")
    stacks = {frames: value
              for frames, value in every.folded("frames_named/p.folded").items()
              if "ld-linux-aarch64.so.1" not in frames[-1] and {"main", LEAF_ONLY} & {*frames}}
    leaves = collections.Counter()
    for frames, value in stacks.items():
        leaves[frames[-1]] += value
        assert frames[1] in ("_start", LEAF_ONLY), frames
    # what a sample stands for began before it, maybe in another leaf; the handler's own instructions
    # are counted too
    for leaf, times in (("leaf_plain", 1), ("leaf_of_alloca", 1), ("compare_slowly", 1),
                        ("on_signal", 2)):
        assert abs(leaves[leaf] - 4 * PERIOD * times) <= PERIOD * times, leaf
    spool, = every.spools("frames")
    count = spool.threads[0].count
    assert count["GUESSED"] == 0 and count["COMPLETE"] == count["SAMPLES"] - count["LEAF_ONLY"] > 0
    for frames in stacks:
        if frames[1] == LEAF_ONLY:
            continue
        start = frames.index("main")
        if frames[-1] not in WORK_OF_FRAMES:
            continue  # the handler's own instructions have moved a sample
        assert "__libc_start_main" in frames[1:start], frames
        assert frames[start + 1] == WORK_OF_FRAMES[frames[-1]], frames


def test_functions_bound_at_their_first_call_have_complete_stacks(modern):
    """glibc describes _dl_runtime_resolve with a CFA that is 16 bytes low."""
    seen = ""
    for period in 7001, 8009, 9001:
        spool = modern.spool(f"lazy_{period}")
        count = spool.threads[0].count
        report = modern.text(f"lazy_{period}_report/stdout")
        # each period is shorter than a rule takes to ask for: the handler may slow itself down
        walked = count["SAMPLES"] - count["LEAF_ONLY"]
        assert count["COMPLETE"] == walked > 0, report
        # compilers' start files describe nothing: _init, and what ends a library that is stripped
        start_files = re.findall(r"([\d.]+) % +\d+  (?:_init|_fini|\[lib\S+\])$", report, re.M)
        assert count["GUESSED"] <= sum(map(float, start_files)) / 100 * count["SAMPLES"] + 0.5, report
        seen += report
    assert "call_all" in seen and "ld-linux-aarch64" in seen


def test_without_settings_cycles_are_sampled(every):
    every.ended_well("default")
    stacks = every.folded("default/p.folded")
    assert any(frames[-2:] == HEAVY for frames in stacks)


def test_sigtrap_tells_of_overflows(modern):
    for name in "raw", "finer", "threads":
        spool, = modern.spools(name)
        assert spool.engine == SIGTRAP
    # 240 of the program, and what the handler's own instructions make up
    thread, = modern.spools("finer")[0].threads
    assert periods(thread.samples(), 240, slack=12, of=1)
    assert periods(thread.events(), 240, slack=12, of=250000)


def test_sigio_on_request_is_as_exact(modern):
    spool = modern.spool("sigio")
    assert spool.engine == SIGIO
    thread, = spool.threads
    assert periods(thread.samples(), 60, of=1)
    assert periods(thread.events(0), 60) and periods(thread.events(1), 60)


def test_instructions_can_lead(modern):
    """The emulator is late with their overflows (targets/ticker.c): samples, not deltas."""
    spool = modern.spool("instructions")
    assert spool.counters[0].name == "instructions:u"
    assert periods(spool.threads[0].samples(), 60, of=1)


def test_a_group_larger_than_the_pmu_is_said_to_be_and_the_rest_counts(modern):
    """The kernel refuses the ninth member; the first eight have room if nobody else holds a
    counter, and are found idle at start if somebody does."""
    spool = modern.spool("crowded")
    refused = [counter.name for counter in spool.counters if counter.flags & 4]
    assert refused in (["9"], list("123456789"))
    assert spool.note.startswith("not counted: 9 (EINVAL): ")
    assert "the PMU has no room for the group; ask for fewer events" in spool.note
    assert spool.samples(9) > 0, "task-clock"


def test_a_group_that_never_gets_onto_the_pmu_is_found_at_start(modern):
    """Another program holds four of its counters for good: the group opens, and never runs."""
    spool = modern.spool("starved")
    assert [counter.name for counter in spool.counters if counter.flags & 4] == list("1234")
    assert spool.samples(4) > 0, "task-clock goes on"
    said = modern.ended_well("starved_said")
    assert said == ("flametrap: not counted: 1: the PMU never had room for the group: it was "
                    "enabled and did not run; ask for fewer events in a group; sysctl "
                    "kernel.nmi_watchdog=0 frees a counter\n")
    spool = modern.spool("fitting")
    assert not [counter for counter in spool.counters if counter.flags & 4]
    assert spool.events(1) > 0


def counted(guest, name):
    """[(counted, in stacks) of each counter] as the report has it, which adds up."""
    lines = re.findall(r"counted (\d+) events = in stacks (\d+) events .*"
                       r"\+ lost (\d+) events ([+-]) unsampled (\d+) events",
                       guest.text(f"{name}_report/stdout"))
    values = [(*map(int, line[:3]), int("".join(line[3:]))) for line in lines]
    for total, *parts in values:
        assert total == sum(parts)
    return [value[:2] for value in values]


def test_the_totals_are_those_of_the_last_record_where_user_code_may_not_read(modern):
    modern.ended_well("reads_0")
    for total, stacks in counted(modern, "reads_0"):
        assert periods(stacks, 60) and abs(total - stacks) <= PERIOD


def test_the_totals_are_read_by_user_code_where_it_may(modern):
    """The program ends within a period of its last sample; both counters see the same
    instructions, but for the few between the two reads."""
    modern.ended_well("reads_1")
    cycles, instructions = counted(modern, "reads_1")
    assert periods(cycles[1], 60) and periods(instructions[1], 60)
    assert 60 * PERIOD < cycles[0] < 62 * PERIOD
    assert 0 <= instructions[0] - cycles[0] < 1000


def test_the_command_profiles_and_draws(modern):
    said = modern.ended_well("command")
    assert re.search(r"\b(5[789]|6[0123]) samples \(cycles:u, sigtrap, every 1000000 events\)", said)
    assert heavy_and_light(modern.folded("command/p.folded"))
    assert "heavy_work" in modern.text("command/p.svg")


def test_the_processors_own_names_count_what_they_say(modern):
    """libpfm4 knows the Cortex-A57; the program is handed numbers."""
    said = modern.ended_well("own_names")
    assert re.search(r"\b(5[789]|6[0123]) samples \(CPU_CYCLES:u INST_RETIRED:u, sigtrap, every 1000000 "
                     r"events\)", said)
    for counter in "CPU_CYCLES-u", "INST_RETIRED-u":
        stacks = modern.folded(f"own_names/p.{counter}.folded")
        assert heavy_and_light(stacks, PERIOD), stacks
    assert "  INST_RETIRED                      opens" in modern.text("own_list/stdout")


@pytest.mark.long
def test_a_kernel_before_sigtrap_refuses_it_in_two_ways_and_sigio_takes_over(machines):
    old = machines.guest("5.10", "old")
    assert old.text("refused/stdout").splitlines() == [
        "plain opens", "sigtrap EINVAL", "sigtrap with sig_data E2BIG"]
    for name in "raw", "threads":
        spool, = old.spools(name)
        assert spool.engine == SIGIO


@pytest.mark.long
def test_a_kernel_before_sigtrap_says_so_when_sigtrap_is_insisted_on(machines):
    old = machines.guest("5.10", "old")
    said = old.ended_well("insisted")
    assert said.count("\n") == 1 and "E2BIG" in said and "needs Linux 5.13" in said
    assert "insisted/p.folded" not in old.files
