"""What can be counted here: flametrap events and flametrap doctor find it out by trying, a run refuses the
rest before the program starts, and a processor's own names are libpfm4's."""

import ctypes
import errno
import os
import pathlib
import re
import resource
import shutil
import subprocess

import pytest

import rights
from launching import flametrap, left_in, one_line, run
from rights import become_nobody, needs_root, needs_user_counters, refuse_counters
from running import COMMAND, LIBRARY, clean_environment, program, target


def events(folder, *argv, preexec=None):
    done = run([COMMAND, "events", *argv], folder, preexec=preexec)
    found = {}
    for line in done.stdout.decode().splitlines():
        match = re.match(r"  (\S+)\s+(opens.*?|refused \(.*?\)|not tried)(  |$)", line)
        if match:
            found[match[1]] = match[2]
    return done, found


def doctor(folder, preexec=None):
    done = run([COMMAND, "doctor"], folder, preexec=preexec)
    findings, name = {}, None
    for line in done.stdout.decode().splitlines():
        match = re.match(r"(good|less|bad )  (.{14}) (.*)", line)
        if match:
            name = match[2].strip()
            findings[name] = [match[1].strip(), match[3], ""]
        elif line.startswith(" ") and name:
            findings[name][2] = line.strip().removeprefix("-> ")
    return done, findings


def sample_rate():
    with open("/proc/sys/kernel/perf_event_max_sample_rate", encoding="ascii") as file:
        return int(file.read())


def test_software_events_open_for_who_may_count(tmp_path):
    done, found = events(tmp_path)
    assert done.returncode == 0
    for name in ("task-clock", "cpu-clock", "page-faults", "context-switches", "cpu-migrations"):
        assert found[name] == ("opens" if not os.geteuid() else found[name])
    assert len(found) > 40, "software, hardware, cache, breakpoints, probes"


def test_a_pattern_chooses_names(tmp_path):
    _, found = events(tmp_path, "*-faults")
    assert set(found) == {"page-faults", "minor-faults", "major-faults", "alignment-faults",
                          "emulation-faults"}


def test_a_word_that_is_no_name_stands_for_those_it_is_a_part_of(tmp_path):
    _, found = events(tmp_path, "aults")
    assert {"page-faults", "minor-faults", "major-faults"} <= set(found)
    assert all("aults" in name for name in found)
    _, found = events(tmp_path, "page-faults")
    assert set(found) == {"page-faults"}
    done, found = events(tmp_path, "aults?")
    assert done.returncode == 1 and not found


def test_an_ordinary_user_is_told_what_the_user_side_has(tmp_path):
    rights.needs_user_counters()
    _, found = events(tmp_path, preexec=rights.become_nobody)
    assert found["task-clock"] == "opens, user side"
    assert found["context-switches"] == "refused (EACCES)", "it would count nothing"


@pytest.mark.parametrize("err", rights.REFUSALS, ids=errno.errorcode.get)
def test_a_seccomp_filter_is_seen_in_the_events(tmp_path, err):
    done, found = events(tmp_path, "task-clock", preexec=rights.refuse_counters(err))
    assert found == {"task-clock": f"refused ({errno.errorcode[err]})"}
    assert "a seccomp filter is in force" in done.stdout.decode()


def test_tracepoints_are_listed_where_they_can_be_read(tmp_path):
    rights.needs_private_mounts()
    done = run(["sh", "-c",
                'ls /sys/kernel/tracing/events/sched || exit 77\necho "--"\n"$0" events "sched:*"',
                COMMAND], tmp_path, preexec=rights.mount_tracefs)
    if done.returncode == 77:
        pytest.skip("tracefs cannot be mounted")
    names, listed = done.stdout.decode().split("--\n")
    expected = {name for name in names.split() if name not in ("enable", "filter")}
    assert set(re.findall(r"^  sched:(\S+)  +opens$", listed, re.M)) == expected


@pytest.mark.parametrize("mounted", [False, True], ids=["as it is", "tracefs mounted"])
def test_all_lists_what_is_else_counted_or_says_why_there_is_nothing(tmp_path, mounted):
    if mounted:
        rights.needs_private_mounts()
    preexec = rights.mount_tracefs if mounted else None
    counted, listed = (run([COMMAND, "events", *words], tmp_path, preexec=preexec).stdout.decode()
                       for words in ([], ["--all"]))
    for section in ("tracepoints of the kernel", "the processor's own names"):
        short, long = (re.search(rf"^{section}.*\n((?:  .*\n)+)", text, re.M)[1] for text in (counted, listed))
        number = re.match(r"  (\d+)\b.*; flametrap events --all lists them\n$", short)
        if number:  # of tracepoints, some are the kernel's own and cannot be counted
            assert .9 * int(number[1]) <= long.count("\n") <= int(number[1]) and "--all" not in long
        else:
            assert long == short and re.match(r"  none .*: ", short)
    if mounted and not re.search(r"tracepoint.*\n  \d", counted):
        pytest.skip("tracefs cannot be mounted")


def test_the_doctor_finds_a_healthy_machine_healthy(tmp_path):
    done, findings = doctor(tmp_path)
    if findings["counters"][0] != "good":
        pytest.skip(findings["counters"][1])
    assert done.returncode == 0
    for name in ("sigtrap", "timers", "library", "libunwind", "descriptors"):
        assert findings[name][0] == "good", findings[name]


def test_the_doctor_names_a_sample_rate_that_the_kernel_has_lowered(tmp_path):
    """Which it does where interrupts take long."""
    rate = 0
    while rate != sample_rate():
        rate = sample_rate()
        _, findings = doctor(tmp_path)
    grade, text, advice = findings["sample rate"]
    assert text.startswith(f"up to {rate} a second ")
    assert (grade, bool(advice)) == (("good", False) if rate >= 999 else ("bad", True))


@pytest.mark.parametrize("err", rights.REFUSALS, ids=errno.errorcode.get)
def test_the_doctor_names_a_seccomp_filter_and_what_is_left(tmp_path, err):
    done, findings = doctor(tmp_path, preexec=rights.refuse_counters(err))
    assert done.returncode == 0, "timers are left"
    assert findings["seccomp"][0] == "less" and "seccomp=PROFILE" in findings["seccomp"][2]
    assert findings["counters"][0] == "bad"
    assert "a seccomp filter is in force" in findings["counters"][1]
    assert findings["timers"][0] == "good"


def test_the_doctor_tells_an_ordinary_user_which_setting_to_change(tmp_path):
    rights.needs_user_counters()
    _, findings = doctor(tmp_path, preexec=rights.become_nobody)
    for name in ("rights", "kernel side"):
        assert findings[name][0] == "less"
        assert findings[name][2] == "sudo sysctl kernel.perf_event_paranoid=1"
    assert findings["counters"][0] == "good"


def limited(size):
    def limit():
        resource.setrlimit(resource.RLIMIT_MEMLOCK, (size, size))
        rights.become_nobody()
    return limit


def test_the_doctor_reckons_how_many_threads_fit_into_locked_memory(tmp_path):
    """The number it promises must be the number of rings that it could map."""
    rights.needs_user_counters()
    _, without = doctor(tmp_path, preexec=limited(0))
    _, more = doctor(tmp_path, preexec=limited(10 * 17 * resource.getpagesize()))
    whole = [int(re.search(r"(\d+) threads with whole rings", each["locked memory"][1])[1])
             for each in (without, more)]
    tried = [int(re.search(r"\((\d+) rings tried\)", each["locked memory"][1])[1])
             for each in (without, more)]
    assert whole[1] - whole[0] in (10, 11)
    if max(whole) < 64:
        assert tried == whole
    assert "kernel.perf_event_mlock_kb" in without["locked memory"][2]


PMU = pathlib.Path("/sys/bus/event_source/devices/cpu")
SOME = ["sh", "-c", "echo ran > marker; exit 6"]

needs_no_pmu = pytest.mark.skipif(PMU.exists(), reason="this machine has a PMU")


def run_some(folder, events, *options, preexec=None):
    folder.chmod(0o777)
    return run([COMMAND, "-e", events, "-o", "profile", *options, *SOME], folder, preexec=preexec)


def was_refused(done, folder):
    """Status and files of a program that never ran; the line that says why."""
    line = one_line(done)
    assert (done.returncode, done.stdout, left_in(folder)) == (125, b"", []), line
    assert "not loaded" not in line and "runs unprofiled" not in line
    return line


def has_run(done, folder):
    assert done.returncode == 6 and "marker" in left_in(folder), done.stderr
    return done.stderr.decode()


@needs_no_pmu
@pytest.mark.parametrize("events, named", [
    ("cycles", "cycles"), ("{cycles,instructions}:u", "cycles:u"),
    ("L1-dcache-load-misses,r1c2", "L1-dcache-load-misses"), ("cycles:P", "cycles:P")])
def test_a_hardware_counter_without_a_pmu_is_refused(tmp_path, events, named):
    line = was_refused(run_some(tmp_path, events), tmp_path)
    assert line == (f"flametrap: {named} cannot be counted (ENOENT): this machine has no such "
                    "counter; -e task-clock works everywhere\n")


@needs_no_pmu
def test_one_event_of_the_list_that_counts_is_enough(tmp_path):
    assert "cycles (refused)" in has_run(run_some(tmp_path, "cycles,task-clock"), tmp_path)


@needs_no_pmu
def test_a_timer_that_stands_in_is_not_foreseen_as_a_refusal(tmp_path):
    has_run(run_some(tmp_path, "cycles", "--notify", "timer"), tmp_path)


def test_a_filter_that_refuses_counters_leaves_the_timer(tmp_path):
    has_run(run_some(tmp_path, "cycles", preexec=refuse_counters(errno.EPERM)), tmp_path)


def test_a_filter_that_refuses_what_no_timer_replaces_is_named(tmp_path):
    line = was_refused(run_some(tmp_path, "page-faults", preexec=refuse_counters(errno.EPERM)),
                       tmp_path)
    assert line == ("flametrap: page-faults cannot be counted (EPERM): a seccomp filter is in force; "
                    "let the container's seccomp profile allow perf_event_open\n")


@pytest.mark.parametrize("events, code", [
    ("uprobe:main", "EACCES"), ("off-cpu", "EACCES"), ("off-cpu:u", "EACCES"),
    ("context-switches", None), ("page-faults:k", None)])
def test_what_an_ordinary_user_may_not_count_is_refused(tmp_path, events, code):
    needs_user_counters()
    if events.startswith("uprobe") and not PMU.with_name("uprobe").exists():
        pytest.skip("this kernel has no uprobes")
    line = was_refused(run_some(tmp_path, events, preexec=become_nobody), tmp_path)
    assert line.startswith(f"flametrap: {events} cannot be counted"
                           + (f" ({code}): " if code else ": the event happens in the kernel only"))
    assert "perf_event_paranoid=1" in line


@pytest.mark.parametrize("events", ["mem:no_such_symbol:w", "page-faults", "task-clock:u"])
def test_what_depends_on_the_program_is_left_to_it(tmp_path, events):
    needs_user_counters()
    has_run(run_some(tmp_path, events, preexec=become_nobody), tmp_path)


def test_root_s_probe_of_a_symbol_that_may_come_is_left_to_the_program(tmp_path):
    needs_root()
    if not PMU.with_name("uprobe").exists():
        pytest.skip("this kernel has no uprobes")
    has_run(run_some(tmp_path, "uprobe:no_such_symbol"), tmp_path)


@needs_no_pmu
def test_a_preloaded_program_runs_all_the_same(tmp_path):
    shutil.copy(target("burn"), tmp_path / "app")
    done = run([tmp_path / "app", "1"], tmp_path, LD_PRELOAD=str(LIBRARY),
               FLAMETRAP_EVENTS="cycles", status=7)
    assert "perf_event_open refused cycles (ENOENT)" in one_line(done)
    assert os.listdir(tmp_path) == ["app"]


@pytest.fixture
def skylake():
    """Settings for the names of a processor that this machine does not have: what is asked of the
    kernel is what counts."""
    try:
        ctypes.CDLL("libpfm.so.4")
    except OSError:
        pytest.skip("libpfm4 is not installed")
    return {"LIBPFM_FORCE_PMU": "skl"}


def test_the_program_is_handed_numbers(tmp_path, skylake):
    """Type, config and config1 of Skylake's events, with the user's modifiers and terms."""
    program("strace")
    # With one that counts anywhere in front the command itself tries none of the others.
    events = ("task-clock,{INST_RETIRED.ANY_P,skl::L1D.REPLACEMENT}:u,"
              "OFFCORE_RESPONSE_0.DMND_DATA_RD.L3_HIT")
    subprocess.run(["strace", "-f", "-v", "-o", tmp_path / "trace", "-e", "trace=perf_event_open",
                    COMMAND, "-o", tmp_path / "x", "-e", events, "/bin/true"], check=True,
                   capture_output=True,
                   env=clean_environment(**skylake, FLAMETRAP_NOTIFY="sigtrap"))  # it is traced
    trace = (tmp_path / "trace").read_text(encoding="utf-8")
    asked = {(match[1], match[2], match[3]) for match in re.finditer(
        r"type=PERF_TYPE_RAW, .*?config=(\w+),.*?exclude_kernel=(\d).*?config1=(\w+)", trace)}
    # The second is not tried: the leader of its group was refused.
    assert ("0xc0", "1", "0") in asked
    assert ("0x1b7", "0", "0x3f801c0001") in asked
    assert not {config for config, _, _ in asked} - {"0xc0", "0x151", "0x1b7"}


@pytest.mark.parametrize("asked, nearest", [("INST_RETIRD.ANY_P", "INST_RETIRED.ANY_P"),
                                            ("skl::l1d.replacment", "L1D.REPLACEMENT"),
                                            ("cycls", "cycles")])
def test_an_unknown_name_is_answered_with_the_nearest(skylake, asked, nearest):
    done = flametrap("-e", f"page-faults,{asked}:u", "/bin/true", settings=skylake, status=125)
    assert f"'{asked}' at 13 is not a known event, nearest: {nearest};" in done.stderr


def test_they_are_listed(skylake):
    done = flametrap("events", "INST_RETIRED.*", settings=skylake)
    lines = [line.split() for line in done.stdout.splitlines() if line.startswith("  INST_")]
    assert [line[0] for line in lines if line[0] == "INST_RETIRED.ANY_P"]
    assert all(line[1] in ("opens", "opens,", "refused") for line in lines)
    assert re.search(r"own names, from libpfm4: .*\n  \d+; flametrap events --all",
                     flametrap("events", settings=skylake).stdout)


def test_the_library_says_who_knows_them(tmp_path, skylake):
    done = subprocess.run(["/bin/sh", "-c", "cat /proc/self/maps; exit 3"], check=False,
                          capture_output=True, text=True, env=clean_environment(
                              **skylake, LD_PRELOAD=str(LIBRARY),
                              FLAMETRAP_OUTPUT=str(tmp_path / "x"),
                              FLAMETRAP_EVENTS="INST_RETIRED.ANY_P"))
    assert done.returncode == 3 and "libpfm" not in done.stdout
    assert "a processor's own names need libpfm4 and the flametrap command" in done.stderr


def test_no_profiled_program_loads_the_library(tmp_path, skylake):
    done = flametrap("-o", tmp_path / "x", "-e", "INST_RETIRED.ANY_P,task-clock",
                     "/bin/cat", "/proc/self/maps", settings=skylake)
    assert "libflametrap.so" in done.stdout and "libpfm" not in done.stdout
