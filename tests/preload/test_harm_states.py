"""What a program may ask the kernel for with prctl(2), arch_prctl(2), personality(2), setrlimit(2)
and their kin changes nothing between a run with us and one without.  A program that gives up its system
calls is not killed by one of ours; what was sampled until then is kept."""

import os
import re
import resource

import pytest

import rights
from running import COMMAND, ROOT, Folded, clean_environment, execute, least_ns, program, target

BURN_MS = 3
FREQUENCY_HZ = 10000
SOURCE = ROOT / "tests" / "preload" / "targets" / "harm_states.c"
PREFIXES = {"PERSON": "person_", "LIMITED": "limit_"}
STATES = [PREFIXES.get(match[1], "") + (match[2] or match[3]) for match in re.finditer(
    r'^\t(STATE|CALLED|PERSON|LIMITED|DONE)\((?:"(\w+)"|(\w+)\),$)', SOURCE.read_text(), re.M)]
OWN_LINES = re.compile(r"(flametrap: |ERROR: ld\.so: object .*libflametrap\.so).*")
# The program is out of our reach then, or out of what it needs to be sampled at all.
WITHOUT_PROFILE = ("limit_address_space", "limit_file_size", "limit_files")


def check(plain, result, texts, state):
    """The program's own part is the same, and where the profile is not there we say so."""
    died = 128 - plain.status if plain.status < 0 else plain.status  # as the command says it
    assert result.status in (plain.status, died) and result.stdout == plain.stdout
    theirs = plain.stderr.decode().splitlines()
    lines = result.stderr.decode().splitlines()
    ours = [line for line in lines if line not in theirs]
    assert [line for line in lines if line in theirs] == theirs
    assert all(OWN_LINES.fullmatch(line) for line in ours), ours
    sampled = sum(Folded(text).burnt("work_burn") for text in texts)
    assert sampled or ours or state in WITHOUT_PROFILE


def prepared(profiler, state):
    if os.geteuid() and state == "no_mode":
        pytest.skip("only root can read what nobody may")
    profiler.folder.chmod(0o1777)
    return [target("harm_states"), BURN_MS, state]


def test_all_states_are_tried():
    done = execute([target("harm_states"), "list"], clean_environment())
    assert done.stdout.decode().split() == STATES and len(STATES) > 80


@pytest.mark.parametrize("state", STATES)
def test_a_state_of_the_program_s_makes_no_difference(profiler, state):
    argv = prepared(profiler, state)
    plain = profiler.plain(argv)
    assert plain.stdout.startswith(state.encode()) or plain.stdout.startswith(b"next image")
    if plain.stdout.startswith(f"{state}: -1".encode()):
        pytest.skip(plain.stdout.splitlines()[0].decode())
    result, files = profiler.files(argv, frequency=FREQUENCY_HZ, spool=profiler.folder)
    check(plain, result, files.values(), state)
    result, files = profiler.launched(["-e", "task-clock", "-F", FREQUENCY_HZ], argv)
    check(plain, result, [files.get("profile.folded", "")], state)


@pytest.mark.parametrize("state", ["chosen_timers", "no_tsc", "counters_off", "nobody", "subreaper",
                                   "limit_signals"])
def test_nor_does_it_with_the_timer(profiler, state):
    argv = prepared(profiler, state)
    plain = profiler.plain(argv)
    result, files = profiler.files(argv, frequency=FREQUENCY_HZ, spool=profiler.folder,
                                   notify="timer")
    check(plain, result, files.values(), "limit_files")  # at most one sample per tick: or none


@pytest.mark.parametrize("way", ["main", "thread"])
def test_a_thread_whose_calls_are_dispatched_to_it_gets_none_of_ours(profiler, way):
    argv = [target("harm_dispatch"), 30, way]
    plain = profiler.plain(argv)
    if plain.status == 77:
        pytest.skip("the kernel dispatches no system calls to user code here")
    # by itself it would be a timer, since the program's own code makes calls with any number
    result, (spool,) = profiler.collected(argv, frequency=FREQUENCY_HZ, notify="sigtrap")
    assert result.outcome() == plain.outcome()
    assert re.fullmatch(rb"dispatched [1-9]\d*:( \d+)+\n", plain.stdout) and plain.status == 7
    folded = profiler.fold([spool], "--weight", "events")
    assert folded.burnt("before") >= least_ns(30) and folded.burnt("after") >= least_ns(30)
    assert "PR_SET_SYSCALL_USER_DISPATCH" in spool.note
    # what the thread did meanwhile; a new thread does the same again
    assert not [frames for frames in folded.stacks if "use_calls" in frames]


@pytest.mark.parametrize("way", ["exit", "allowed", "fork", "failing", "inside"])
def test_dispatched_calls_of_the_end_and_of_children_are_the_program_s(profiler, way):
    argv = [target("harm_dispatch"), 30, way]
    plain = profiler.plain(argv)
    if plain.status == 77:
        pytest.skip("the kernel dispatches no system calls to user code here, or not by place")
    result, files = profiler.files(argv, frequency=FREQUENCY_HZ, weight="events",
                                   spool=profiler.folder, notify="sigtrap")
    assert result.outcome() == plain.outcome() and plain.status == 7
    if way == "exit":  # the system call itself is made elsewhere: the spool waits for `recover`
        assert plain.stdout == b"dispatched 231\n"
        assert not files and list(profiler.folder.glob("*.spool"))
        return
    folded = Folded("".join(files.values()))
    assert folded.burnt("before" if way == "allowed" else "after") >= least_ns(30)
    if way == "inside":
        assert folded.inclusive("during") > 0, "what comes from our code is let through"


def test_the_reason_is_said_by_the_command(profiler):
    argv = [target("harm_dispatch"), 30, "main"]
    result, files = profiler.launched(["-e", "task-clock", "--notify", "sigtrap"], argv)
    if result.status == 77:
        pytest.skip("the kernel dispatches no system calls to user code here")
    assert (b"a thread was not sampled while its system calls were dispatched to it "
            b"(PR_SET_SYSCALL_USER_DISPATCH)\n") in result.stderr
    assert "profile.folded" in files


def test_without_the_processor_s_clock_every_sample_is_taken(profiler):
    """prctl(PR_SET_TSC): our clock is the kernel's then, and the command that writes the profile
    has the processor's again."""
    argv = [target("harm_states"), 30, "no_tsc"]
    plain = profiler.plain(argv)
    if plain.stdout.startswith(b"no_tsc: -1"):
        pytest.skip("the clock cannot be forbidden here")
    result, files = profiler.files(argv, frequency=FREQUENCY_HZ, weight="events",
                                   spool=profiler.folder)
    assert (result.status, result.stdout, result.stderr) == (
        plain.status, plain.stdout, plain.stderr)
    # of the child, which ended; the next image does not get past its loader
    assert max(Folded(text).burnt("burn_after") for text in files.values()) >= 3 * least_ns(30)


def test_counters_that_the_program_switched_off_stay_off(profiler):
    argv = [target("own_counter")]
    plain = profiler.plain(argv)
    if plain.status == 77:
        pytest.skip("this user may not count")
    result, (spool,) = profiler.collected(argv, frequency=FREQUENCY_HZ)
    assert result.outcome() == plain.outcome() == (7, b"it stands still\nit counts\n", b"")
    assert "PR_TASK_PERF_EVENTS_DISABLE" in spool.note


def test_all_memory_can_be_locked_within_the_limit_of_an_ordinary_user(profiler):
    rights.needs_root()
    profiler.folder.chmod(0o1777)

    def ordinary():
        resource.setrlimit(resource.RLIMIT_MEMLOCK, (8 << 20, 8 << 20))
        rights.become_nobody()
    argv = [target("memory_limits"), "locked", 30]
    plain = execute(argv, clean_environment(), preexec=ordinary)
    more = profiler.preloaded(frequency=FREQUENCY_HZ, kernel="no", weight="events")
    result = execute(argv, clean_environment(**more), preexec=ordinary)
    assert (result.status, result.stdout) == (plain.status, plain.stdout) == (7, b"0, Success\n")
    text, = [path.read_text(encoding="utf-8") for path in profiler.folder.glob("x*.folded")]
    if "task-clock" not in result.stderr.decode():  # else by a timer
        assert Folded(text).burnt("work_burn") >= least_ns(60)


@pytest.mark.parametrize("way", ["setrlimit", "setrlimit64", "prlimit", "prlimit64", "pid", "syscall"])
def test_a_limit_on_address_space_that_the_program_sets_is_for_the_program(profiler, way):
    """Of 40 MB it gets 31, where the spool had 64 before; and sampling goes on."""
    argv = [target("memory_limits"), way, 100, 40, 31]
    plain = profiler.plain(argv)
    result, spools = profiler.collected(argv, frequency=FREQUENCY_HZ)
    assert (result.status, result.stdout, result.stderr) == (plain.status, b"0, given\n", plain.stderr)
    assert sum(spool.events() for spool in spools) >= least_ns(100)


@pytest.mark.parametrize("limit, is_profiled", [
    ("-d 1000", False), ("-v 4000", False), ("-d 8000", True), ("-v 16000", True)])
def test_a_program_starts_under_a_limit_in_which_the_library_does_not_fit(profiler, limit, is_profiled):
    argv = ["sh", "-c", f"ulimit {limit}; {target('memory_limits')} locked 30; exit $?"]
    plain = profiler.plain(argv)
    result, spools = profiler.collected(argv, frequency=FREQUENCY_HZ)
    assert (result.status, result.stdout, result.stderr) == (7, plain.stdout, plain.stderr)
    assert any(spool.events() >= least_ns(60) for spool in spools) == is_profiled


def test_what_is_locked_is_not_the_whole_spool(profiler):
    def locked_kb(result):
        return int(re.search(rb"VmLck:\s+(\d+) kB", result.stdout)[1])
    argv = [target("memory_limits"), "locked", 30, "count"]
    plain = profiler.plain(argv)
    if not plain.stdout.startswith(b"0,"):
        pytest.skip("this user may not lock its memory")
    result, spools = profiler.collected(argv, frequency=FREQUENCY_HZ)
    assert result.status == 7 and locked_kb(result) < locked_kb(plain) + (24 << 10)
    assert sum(spool.events() for spool in spools) >= least_ns(60)


SANDBOX_BURN_MS = 40
PERIOD_NS = 100000
WANTED = least_ns(SANDBOX_BURN_MS)


def is_profiled_by_the_command(profiler, argv, said, wanted):
    result, files = profiler.launched(["-e", "task-clock", "-c", PERIOD_NS, "--weight", "events"], argv)
    assert (result.status, result.stdout) == (7, said)
    assert Folded(files["profile.folded"]).burnt("work_burn") >= wanted


@pytest.mark.parametrize("mode", ["strict", "filter", "seccomp"])
def test_a_sandbox_is_entered_alive_and_the_profile_ends_there(profiler, mode):
    argv = [target("harm_sandbox"), SANDBOX_BURN_MS, mode]
    _, files = profiler.alike(argv, (7, b"inside\nok\n", b""), how="files", period=PERIOD_NS,
                              weight="events")
    (text,) = files.values()
    assert Folded(text).burnt("work_burn") >= WANTED
    is_profiled_by_the_command(profiler, argv, b"inside\nok\n", WANTED)


def test_asking_for_filters_ends_nothing(profiler):
    argv = [target("harm_sandbox"), SANDBOX_BURN_MS, "asked"]
    result, files = profiler.files(argv, period=PERIOD_NS)
    assert result.outcome() == (7, b"inside\nok\n", b"")
    (text,) = files.values()
    assert Folded(text).leaf("main") > 0, "the work after the question was sampled"


@pytest.mark.parametrize("mode", ["exec", "early"])
def test_a_program_started_inside_a_sandbox_that_kills_for_counters_lives(profiler, mode):
    argv = [target("harm_sandbox"), SANDBOX_BURN_MS, mode, target("burn"), SANDBOX_BURN_MS]
    profiler.alike(argv, (7, b"inside\nok\n", b""), how="files", period=PERIOD_NS, log="quiet")


@pytest.mark.parametrize("outer", [[], ["/bin/sh", "-c", '"$@"; exit $?', "sh"]])
@pytest.mark.parametrize("follow", ["no", "burn*", "other*"])
def test_who_is_followed_is_asked_inside_the_sandbox(profiler, follow, outer):
    """By the program's name and its parent's library, which takes calls that may kill."""
    argv = [*outer, target("harm_sandbox"), SANDBOX_BURN_MS, "early", target("burn"), SANDBOX_BURN_MS]
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
    """A program that may open nothing any more is sampled on; its profile waits for `recover`, and the
    command has it whole."""
    argv = [target("harm_sandbox"), SANDBOX_BURN_MS, "landlock"]
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
    assert Folded(text).burnt("work_burn") >= least_ns(2 * SANDBOX_BURN_MS)
    is_profiled_by_the_command(profiler, argv, b"inside\n", least_ns(2 * SANDBOX_BURN_MS))
