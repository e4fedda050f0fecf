"""What a verb refuses is told in one line, exactly, and nothing else is written; the status is 2 for
wrong usage, 1 for a file that cannot be read, and of a run 125 or 127."""

import re
import shlex

import pytest

from launching import left_in, run
from running import COMMAND
from spool_writer import GONE, Spool

FOLDED = "app;main;f 3\napp;g 40\n"
RUN = ("a process is profiled from its start (flametrap COMMAND, or LD_PRELOAD); flametrap list shows "
       "those that are, flametrap report PID reads one while it runs")
# Status, words, and what is said after "flametrap: "; what ends in … goes on.
ROWS = """
125 run --zzz | unknown option --zzz; see flametrap run --help
125 run -Z | unknown option -Z; see flametrap run --help
125 run -hZ | unknown option -Z; see flametrap run --help
125 run --help --zzz | unknown option --zzz; see flametrap run --help
125 run --freqency=9 | unknown option --freqency=9, nearest: --frequency; see flametrap run --help
125 run --frequency | option --frequency needs a value; see flametrap run --help
125 run --freq | option --freq needs a value; see flametrap run --help
125 run -F | option -F needs a value; see flametrap run --help
125 run -c1 -F | option -F needs a value; see flametrap run --help
125 run --help=1 | option --help=1 takes no value; see flametrap run --help
125 run --version=2 | option --version=2 takes no value; see flametrap run --help
125 run | no command to run; see flametrap help
125 run -- | no command to run; see flametrap help
125 run --wall | no command to run; see flametrap help
125 run --wall=yes -F9 -- | no command to run; see flametrap help
2 watch --zzz | unknown option --zzz; see flametrap run --help
2 watch -F | option -F needs a value; see flametrap run --help
2 watch -F 9 | nothing to watch; see flametrap watch --help
2 report -n | option -n needs a value; see flametrap report --help
2 report -nx a.folded | --rows x is not a number from 0 (all) to 1000000
2 report a.folded --rows=x | --rows x is not a number from 0 (all) to 1000000
2 report a.folded --row x | --rows x is not a number from 0 (all) to 1000000
2 report --rows -1 a.folded | --rows -1 is not a number from 0 (all) to 1000000
2 report --json=1 a.folded | option --json=1 takes no value; see flametrap report --help
2 report --csv --json a.folded | --csv and --json are two forms of the same report
2 report --weight kilos x.spool | --weight=kilos: 'kilos' at 1 is unknown; accepted: auto, samples, events
2 report --by colour x.spool | --by colour is not one of function, module, thread, process, file, line or label:KEY
2 report --by label x.spool | --by label is not one of function, module, thread, process, file, line or label:KEY
2 report --by thread --function f x.spool | threads, processes and labels have no callers: …
2 report --by process --function f x.spool | threads, processes and labels have no callers: …
2 report --by label: x.spool | label: is followed by the label's key of up to 128 bytes: label:request
2 report --threads label: x.spool | label: is followed by the label's key of up to 128 bytes: label:request
2 report --by label:{LONG} x.spool | the key of a label has at most 128 bytes
2 report --label request x.spool | --label request is not of the form KEY=VALUE
2 report --label =x x.spool | --label =x is not of the form KEY=VALUE
2 report --label request= x.spool | --label request= is not of the form KEY=VALUE
2 report --last -5 x.spool | --last is '-5', not a duration (30s, 200ms)
2 report --last 12:00 x.spool | --last is '12:00', not a duration (30s, 200ms)
2 report --to 25:00 x.spool | --to is '25:00', not a time: seconds or a duration since the start (1.5, 200ms), …
1 report --from 1 x.spool | x.spool: its samples have no times (--timeline no): --from, --to and --last need …
1 report --last 1s a.folded | --from, --to and --last need a spool, and a.folded is a folded file, which has no …
2 report --focus a( a.folded | --focus 'a(' is not an extended regular expression: Unmatched …
2 graph --ignore [z-a] a.folded | --ignore '[z-a]' is not an extended regular expression: Invalid range end
2 fold --hide a( a.folded | --hide 'a(' is not an extended regular expression: Unmatched …
1 report --by module a.folded | --by module needs a spool, and a.folded is a folded file, which holds names of …
1 graph --by thread a.folded | --by thread needs a spool, and a.folded is a folded file, which holds names of …
1 fold --by file a.folded | --by file needs a spool, and a.folded is a folded file, which holds names of …
1 report --by line a.folded | --by line needs a spool, and a.folded is a folded file, which holds names of …
1 report --by label:request a.folded | --by label needs a spool, and a.folded is a folded file, which holds …
1 fold --threads label:request a.folded | --threads label needs a spool, and a.folded is a folded file, …
1 fold --label request=x a.folded | --label needs a spool, and a.folded is a folded file, which holds no labels
1 graph a.folded --color-by a/b | --color-by needs spools (--format svg,spool keeps them): folded files do not …
2 graph --sort self --color-by a/b x.spool | --color-by draws frames in the order of their names: …
2 fold --sort self -o x x.spool | --sort orders folded stacks on standard output
2 fold --sort name x.spool | --sort name is neither self nor total
2 fold --by module --format pprof -o x x.spool | a pprof file holds functions, modules, lines, threads and …
2 fold --by module --format firefox x.spool | a format with the time of each sample holds functions, …
2 fold --format folded,svg a.folded | standard output takes one format: several go with -o STEM
2 fold --format pdf a.folded | --format=pdf: 'pdf' at 1 is unknown; accepted: a list of folded, svg, html, …
2 fold --format spool a.folded | only a run keeps its spools: flametrap --format folded,svg,spool COMMAND
2 fold --format svg,spool -o x a.folded | only a run keeps its spools: flametrap --format folded,svg,spool COMMAND
2 fold --counter x -o stem a.folded | -o writes all counters: --counter goes with standard output
1 fold --counter cycles x.spool | no spool given has a counter cycles
1 report --counter cycles x.spool | no spool given has a counter cycles
1 graph --counter cycles a.folded | no spool given has a counter cycles
1 annotate --counter cycles f x.spool | no spool given has a counter cycles
2 diff --counter cycles x.spool x.spool | no spool given has a counter cycles
1 fold nowhere | nowhere: No such file or directory
1 report nowhere | nowhere: No such file or directory
1 annotate f nowhere | nowhere: No such file or directory
1 annotate f a.folded | annotate needs a spool, and a.folded is a folded file, which holds no addresses: …
2 annotate f | too few arguments; usage: flametrap annotate [OPTION...] FUNCTION FILE|PID...
2 annotate --source --instructions f x.spool | --source and --instructions: one of them, or neither for both
2 fold | too few arguments; usage: flametrap fold [OPTION...] FILE|PID...
2 fold --threads | option --threads needs a value; see flametrap fold --help
2 report | too few arguments; usage: flametrap report [OPTION...] FILE|PID...
2 recover a b | too many arguments; usage: flametrap recover [--list] [DIRECTORY]
2 events a b | too many arguments; usage: flametrap events [--all] [PATTERN]
2 doctor now | too many arguments; usage: flametrap doctor
1 events no-such-* | no event here matches no-such-*
2 graph | too few arguments; usage: flametrap graph [OPTION...] FILE|PID...
2 graph a.folded --colors pink | --colors is 'pink', not hot, safe or grey
2 graph a.folded --min-width wide | --min-width is 'wide', not a number from 1e-09 to 100
2 graph a.folded --min-width 101 | --min-width is '101', not a number from 1e-09 to 100
2 graph a.folded --min-width nan | --min-width is 'nan', not a number from 1e-09 to 100
2 graph a.folded --min-width 0 | --min-width is '0', not a number from 1e-09 to 100
2 graph a.folded --width 5 | --width is '5', not a number from 100 to 100000
2 graph a.folded --width 1e9 | --width is '1e9', not a number from 100 to 100000
2 graph a.folded --threads all | --threads=all: 'all' at 1 is unknown; accepted: merge, name, id
2 graph a.folded -o x.html | graph draws an SVG: flametrap fold --format html -o STEM FILE writes a page
2 graph a.folded -o a.folded | -o a.folded names a file that is read: the picture would replace it
2 graph a.folded -o ./a.folded | -o ./a.folded names a file that is read: the picture would replace it
2 graph a.folded -o link | -o link names a file that is read: the picture would replace it
2 graph a.folded -o hard | -o hard names a file that is read: the picture would replace it
2 diff a.folded b.folded -o a.folded | -o a.folded names a file that is read: the picture would replace it
2 diff a.folded b.folded -o b.folded | -o b.folded names a file that is read: the picture would replace it
2 diff --before a.folded --after b.folded -o b.folded | -o b.folded names a file that is read: …
2 diff | too few arguments; usage: flametrap diff [OPTION...] BEFORE AFTER
2 diff a | too few arguments; usage: flametrap diff [OPTION...] BEFORE AFTER
2 diff a b c | too many arguments; usage: flametrap diff [OPTION...] BEFORE AFTER
2 diff a b --rows x | --rows x is not a number from 0 (all) to 1000000
2 diff a --before b --after c | a stands before --before and --after: name its side in front of it
2 diff --before a | --after is missing: name the files of both sides
2 diff --after a | --before is missing: name the files of both sides
2 diff a b --json --markdown | --json and --markdown exclude each other
2 diff a b --json -o - | -o - writes the picture to standard output, where JSON is written
2 diff a b --confidence 40 | --confidence 40 is not a percentage from 50 to less than 100
2 diff a b --fail-above x | --fail-above is 'x', not PERCENT or NAME=PERCENT (3%, compute=5%)
2 diff a b --fail-above f=0 | --fail-above is 'f=0', not PERCENT or NAME=PERCENT (3%, compute=5%)
2 diff a b --rename x | --rename x is not of the form OLD=NEW
127 reprot x | reprot: No such file or directory; nearest verb: report
127 grpah x | grpah: No such file or directory; nearest verb: graph
127 doc | doc: No such file or directory; nearest verb: doctor
127 lits | lits: No such file or directory; nearest verb: list
127 rec | rec: No such file or directory; nearest verb: recover
127 qwertyuiop | qwertyuiop: No such file or directory
127 run reprot | reprot: No such file or directory
127 -- reprot | reprot: No such file or directory
127 ./reprot | ./reprot: No such file or directory
127 atach | atach: No such file or directory; nearest: attach, which is not a verb: {RUN}
127 reocrd x | reocrd: No such file or directory; nearest: record, which is not a verb: flametrap COMMAND …
125 --freqency=9 true | unknown option --freqency=9, nearest: --frequency; see flametrap run --help
125 --ofcpu true | unknown option --ofcpu, nearest: --off-cpu; see flametrap run --help
125 --pdi=12 true | unknown option --pdi=12, nearest: --pid, which is none: {RUN}
2 watch --evnets x true | unknown option --evnets, nearest: --events; see flametrap run --help
2 report --ruws=3 x | unknown option --ruws=3, nearest: --rows; see flametrap report --help
2 report --pdi=12 | unknown option --pdi=12; see flametrap report --help
2 report -g x | unknown option -g; see flametrap report --help
2 graph --titel x | unknown option --titel, nearest: --title; see flametrap graph --help
2 fold --tydi x | unknown option --tydi, nearest: --tidy; see flametrap fold --help
2 diff --clors=hot x y | unknown option --clors=hot, nearest: --colors; see flametrap diff --help
2 recover --lits | unknown option --lits, nearest: --list; see flametrap recover --help
2 events --al1 | unknown option --al1, nearest: --all; see flametrap events --help
2 doctor --hlep | unknown option --hlep, nearest: --help; see flametrap doctor --help
2 start --hepl | unknown option --hepl, nearest: --help; see flametrap start --help
2 stop --xyzzyx | unknown option --xyzzyx; see flametrap stop --help
2 help fodl | no help on fodl, nearest: fold; topics: settings, events, and the verbs that flametrap help lists
2 help nonsense | no help on nonsense; topics: settings, events, and the verbs that flametrap help lists
2 help atach | no help on atach: attach is not a verb: {RUN}
2 help top | no help on top: top is not a verb: {RUN}
"""


@pytest.mark.parametrize("row", ROWS.strip().split("\n"))
def test_what_is_refused_is_told_in_one_line(tmp_path, row):
    for name in ("a.folded", "b.folded"):
        (tmp_path / name).write_text(FOLDED)
    (tmp_path / "link").symlink_to("a.folded")
    (tmp_path / "hard").hardlink_to(tmp_path / "a.folded")
    spool = Spool(GONE)
    spool.node(2, None, 3)
    spool.write(tmp_path / "x.spool")
    before = left_in(tmp_path)
    words, said = row.replace("{RUN}", RUN).replace("{LONG}", "k" * 129).split(" | ")
    status, *words = shlex.split(words)
    done = run([COMMAND, *words], tmp_path, status=int(status))
    line = re.escape(f"flametrap: {said}").replace("…", ".*")
    assert re.fullmatch(line + "\n", done.stderr.decode()) and done.stdout == b"", done.stderr
    assert left_in(tmp_path) == before and (tmp_path / "a.folded").read_text() == FOLDED
