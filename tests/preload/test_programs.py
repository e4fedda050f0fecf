"""Programs that nobody here wrote run as ever under the shim, and their profiles are right.

For each: same output and status, all of its CPU time in the stacks, at least 99 % of these
whole, and the function that does the work is there.  What its share of all would be is the
machine's matter, where starting costs page faults: it is taken of what the program does itself.
"""

import re

import pytest

from running import LATE_NS, Folded, are_whole, carry_all_time, program, target

PYTHON_CODE = """
def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)
print(fibonacci(31))
print(sorted(str(n * 7919 % 100003) for n in range(600000))[1234])
"""
PERL_CODE = """
my ($sum, %seen) = (0);
for my $n (1 .. 8000000) { $sum = ($sum * 31 + $n) % 1000003; $seen{$sum % 1000}++; }
print "$sum ", scalar(keys %seen), "\\n";
"""
SQL = """
create table t(a integer, b text);
insert into t with recursive n(x) as (select 1 union all select x + 1 from n where x < 400000)
  select x * 7919 % 100003, hex(x) from n;
create index i on t(b, a);
select count(*), sum(a), max(b) from t where b like '%3%';
select sum(p.a * q.a) from t p join t q on p.b = q.b and p.a = q.a;
"""


@pytest.fixture(scope="module")
def text_file(tmp_path_factory):
    """Five megabytes that compress like text and are the same in every run."""
    path = tmp_path_factory.mktemp("input") / "input"
    state = 1
    words = [f"word{n * n % 9973:x}" for n in range(4096)]
    with open(path, "w", encoding="ascii") as file:
        for number in range(700000):
            state = (state * 1103515245 + 12345) % 2147483648
            file.write(words[state >> 19])
            file.write("\n" if number % 13 == 0 else " ")
    return path


# name: arguments, then what must be on most stacks (a function, or the module where the
# distribution strips the names), and the least share of its own time that has it.
PROGRAMS = {
    "python3": (lambda path: ["/usr/bin/python3", "-S", "-c", PYTHON_CODE],
                r"_PyEval_EvalFrameDefault", 0.8),
    "xz": (lambda path: ["xz", "-6", "-T2", "--block-size=1MiB", "-c", path],
           r"\[?liblzma\.so.*|lzma_.*|bt_.*|.*_encode.*", 0.9),
    "sqlite3": (lambda path: ["sqlite3", "-batch", ":memory:", SQL], r"sqlite3_step", 0.8),
    "perl": (lambda path: ["perl", "-e", PERL_CODE], r"Perl_runops_standard", 0.9),
    "gzip": (lambda path: ["gzip", "-9", "-n", "-c", path], r"\[?gzip(@.*|\])?|deflate|longest_match", 0.9),
    "openssl": (lambda path: ["openssl", "enc", "-aes-256-ctr", "-pbkdf2", "-iter", "1500000",
                              "-S", "0011223344556677", "-pass", "pass:flame", "-in", path],
                r"PKCS5_PBKDF2_HMAC", 0.8),
    "throwing": (lambda path: [target("throwing"), "20000"],
                 r"shop::work(\(.*\))?", 0.9),
}


def command_line(name, path):
    argv = PROGRAMS[name][0](path)
    if name != "throwing":
        argv[0] = program(str(argv[0]))
    return argv


@pytest.fixture(params=PROGRAMS)
def profiled(request, profiler, text_file):
    """One program, without and with the shim."""
    argv = command_line(request.param, text_file)
    plain = profiler.plain(argv)
    result, spools = profiler.collected(argv)
    return request.param, profiler, plain, result, spools


def test_a_real_program_is_profiled_truly_and_unharmed(profiled):
    name, profiler, plain, result, spools = profiled
    assert result.outcome() == plain.outcome()
    assert plain.status == 0
    assert len(spools) == 1
    spool = spools[0]

    samples = spool.samples()
    assert samples == spool.count("SAMPLES")
    assert spool.cpu_ns >= 5 * LATE_NS, "the program is too short to say anything"
    carry_all_time(spools, result)

    are_whole(spools, spool.count("COMPLETE"), 0.99)
    folded = profiler.fold(spools)
    assert folded.total == samples
    are_whole(spools, sum(value for root, value in folded.roots().items()
                          if outermost(root, name)), 0.99)

    _, hot, share = PROGRAMS[name]
    own = itself(profiler.fold(spools, "--weight", "events"))
    late_ns = LATE_NS * (len(spool.threads) + spool.count("THREADS_ENDED"))
    assert own.burnt(hot) >= share * own.total - late_ns, sorted(
        own.stacks.items(), key=lambda item: -item[1])[:10]


def itself(folded):
    """Without the kernel and the loader."""
    own = Folded("")
    own.stacks = {frames: value for frames, value in folded.stacks.items()
                  if not frames[-1].endswith("_[k]")
                  and not re.match(r"_dl_|\[?ld-linux", frames[-1])}
    return own


def outermost(root, name):
    """The outermost frame of a thread: _start or clone3, or the function without a name that
    stands for it where the distribution has stripped that object."""
    if re.fullmatch(r"_start|_dl_start_user|__clone3?|clone3?|(__GI_)?___clone3?", root):
        return True
    own = {"python3": r"python3\S*", "openssl": r"openssl"}.get(name, re.escape(name))
    return re.fullmatch(rf"(libc\.so\.6|ld-linux\S*|{own})@\S+", root) is not None


def test_the_same_run_under_the_launcher_writes_both_files(profiler, text_file):
    argv = command_line("gzip", text_file)
    plain = profiler.plain(argv)
    result, files = profiler.launched(["-e", "task-clock"], argv)
    assert (result.status, result.stdout) == (plain.status, plain.stdout)
    assert set(files) == {"profile.folded", "profile.svg"}
    assert files["profile.svg"].startswith("<?xml")
    summary, *advice = result.stderr.decode().splitlines()
    assert " samples (task-clock" in summary and all("without symbols" in line for line in advice)
