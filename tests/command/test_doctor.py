"""flametrap events and flametrap doctor say what is so here, found out by trying."""

import errno
import os
import re
import resource

import pytest

import rights
from launching import run
from running import COMMAND


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


def test_a_pattern_that_nothing_has_is_a_failure(tmp_path):
    done, found = events(tmp_path, "no-such-*")
    assert done.returncode == 1 and not found
    assert done.stderr == b"flametrap: no event here matches no-such-*\n"


def test_wrong_usage_is_status_2(tmp_path):
    assert run([COMMAND, "events", "a", "b"], tmp_path).returncode == 2
    assert run([COMMAND, "doctor", "now"], tmp_path).returncode == 2


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
