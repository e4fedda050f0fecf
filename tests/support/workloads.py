"""Programs of the distribution, stripped and optimised as they come, each with work for about a
second: for the tests and benches that ask how whole their stacks are.
"""

import pathlib
import shutil

PYTHON = """
import json, re, sqlite3, zlib
words = [f"word{n * 7919 % 100003}" for n in range(60000)]
table = json.loads(json.dumps({word: [len(word), word[::-1]] for word in words}))
print(sum(len(re.findall("[0-9]+", word)) for word in sorted(table)))
print(len(zlib.compress(" ".join(words).encode())))
print(sqlite3.connect(":memory:").execute("with recursive n(x) as (select 1 union all "
      "select x + 1 from n where x < 200000) select sum(x * 7 % 13) from n").fetchone())
"""
PERL = """
my ($sum, %seen) = (0);
for my $n (1 .. 1500000) { $sum = ($sum * 31 + $n) % 1000003; $seen{"k" . $sum % 5000}++; }
print join(",", sort map { s/1(\\d)/$1-/gr } keys %seen), "\\n";
"""
SQL = ("create table t(a integer, b text); insert into t with recursive n(x) as (select 1 union "
       "all select x + 1 from n where x < 200000) select x * 7919 % 100003, hex(x) from n; "
       "create index i on t(b, a); select count(*), sum(a), max(b) from t where b like '%3%'; "
       "select sum(p.a * q.a) from t p join t q on p.b = q.b and p.a = q.a;")
AWK = ("{ for (i = 1; i <= NF; i++) { count[$i]++; gsub(/word/, \"w\", $i); all += length($i) } }"
       " END { for (w in count) n++; print n, all }")
BASH = ("for ((i = 0; i < 60000; i++)); do a[i]=$((i * i % 977)); s=\"${a[i]}x\"; "
        "case $s in *77*) n+=1;; esac; done; echo ${#a[@]} ${a[@]//1/x}")
TCL = ("for {set i 0} {$i < 1200000} {incr i} { lappend l [expr {$i * 7 % 1013}]; "
       "dict incr d [lindex $l end] }; puts [llength [lsort -integer $l]]")
CPLUSPLUS = """
#include <algorithm>
#include <iostream>
#include <map>
#include <regex>
#include <string>
int main(int argc, char **argv)
{
    std::map<std::string, int> found;
    for (int i = 0; i < argc; i++)
        if (std::regex_match(argv[i], std::regex("a(b|c)*d")))
            found[argv[i]]++;
    std::for_each(found.begin(), found.end(), [](auto &f) { std::cout << f.first; });
}
"""
NODE = """
const words = {}; let sum = 0;
for (let i = 0; i < 4000000; i++) { sum = (sum * 31 + i) % 1000003; words["k" + sum % 997] = i; }
console.log(sum, Object.keys(words).sort().length);
"""
JAVA = """
public class Work {
    public static void main(String[] a) {
        java.util.Map<String, Integer> m = new java.util.TreeMap<>();
        long sum = 0;
        for (int i = 0; i < 2000000; i++) {
            sum = (sum * 31 + i) % 1000003;
            m.merge("k" + sum % 997, 1, Integer::sum);
        }
        System.out.println(sum + " " + m.size());
    }
}
"""


def words(lines, seed):
    """Text that compresses like text and is the same in every run."""
    known = [f"word{n * n % 9973:x}" for n in range(4096)]
    state = seed
    for _ in range(lines):
        line = []
        for _ in range(12):
            state = (state * 1103515245 + 12345) % 2147483648
            line.append(known[state >> 19])
        yield " ".join(line) + "\n"


def c_source():
    yield "#include <stdio.h>\n#include <string.h>\n"
    for n in range(150):
        yield (f"static int f{n}(int a, char *s) {{ int i, t = {n}; for (i = 0; i < a; i++) {{ "
               f"switch (i % 7) {{ case 0: t += s[i]; break; case 3: t ^= i * {n}; break; "
               f"default: t += (int)strlen(s + i); }} }} return t; }}\n")
    yield "int main(int c, char **v) { int t = 0;\n"
    for n in range(150):
        yield f"t += f{n}(c, v[0]);\n"
    yield "printf(\"%d\\n\", t); return 0; }\n"


def prepare(folder):
    """Write the inputs."""
    folder = pathlib.Path(folder)
    (folder / "text").write_text("".join(words(60000, 1)))
    (folder / "large").write_text("".join(words(240000, 3)))
    (folder / "other").write_text("".join(words(60000, 2)))
    (folder / "many.c").write_text("".join(c_source()))
    (folder / "regex.cc").write_text(CPLUSPLUS)
    (folder / "work.js").write_text(NODE)
    (folder / "Work.java").write_text(JAVA)
    (folder / "rules").write_text(
        "x := $(foreach a,1 2 3 4 5 6 7 8 9,$(foreach b,1 2 3 4 5 6 7 8 9,$(foreach c,"
        "1 2 3 4 5 6 7 8 9,$(foreach d,1 2 3 4 5 6 7 8 9,$(subst 1,x,$a$b$c$d)))))\n"
        "y := $(foreach n,$(wordlist 1,400,$(x)),$(filter %x3,$(sort $(x:%3=%x3))))\n"
        "all: ; @echo $(words $(y))\n"
        + "".join(f"all: t{n}\nt{n}: t{n + 1}\n" for n in range(100)) + "t100:\n")
    return folder


def commands(folder):
    """{name: argv}; the status of each is 0, or 1 where two files differ."""
    text, other, large = folder / "text", folder / "other", folder / "large"
    return {
        "python3": ["python3", "-S", "-c", PYTHON],
        "perl": ["perl", "-e", PERL],
        "sqlite3": ["sqlite3", "-batch", ":memory:", SQL],
        "openssl": ["openssl", "enc", "-aes-256-ctr", "-pbkdf2", "-iter", "1200000", "-S",
                    "0011223344556677", "-pass", "pass:flame", "-in", text],
        "openssl-prime": ["openssl", "prime", "-checks", "60", str(2 ** 3217 - 1)],
        "xz": ["xz", "-3", "-T2", "--block-size=1MiB", "-c", text],
        "gzip": ["gzip", "-6", "-n", "-c", text],
        "bzip2": ["bzip2", "-9", "-c", text],
        "zstd": ["zstd", "-q", "-12", "-c", text],
        "sort": ["sort", "-k", "3", large, other],
        "awk": ["awk", AWK, text, other],
        "sed": ["sed", "-E", "s/([a-f]+)([0-9]+)/\\2\\1/g", text],
        "grep": ["grep", "-cE", "(word[0-9a-f]+) .*\\1( |$)", text],
        "git": ["git", "diff", "--no-index", "--patience", "--stat", large, other],
        "gcc": ["gcc", "-O2", "-c", "-o", folder / "many.o", folder / "many.c"],
        "g++": ["g++", "-O0", "-c", "-o", folder / "regex.o", folder / "regex.cc"],
        "bash": ["bash", "-c", BASH],
        "gdb": ["gdb", "-nx", "-batch", "-ex", "python print(sum(len(str(n)) for n in "
                "range(1500000)))", "-ex", "info functions sort", shutil.which("gdb") or "gdb"],
        "tar": ["tar", "-c", "-C", "/usr/lib", "python3", "gcc"],
        "find": ["find", "/usr", "-name", "*[a-f]x*", "-size", "+1k"],
        "make": ["make", "-s", "-r", "-f", folder / "rules"],
        "bc": ["sh", "-c", "echo 'scale=1500; 4*a(1)' | bc -l"],
        "gpg": ["gpg", "--homedir", folder, "--batch", "--no-options", "--print-md", "sha512"]
               + [large] * 8,
        "file": ["sh", "-c", "file -b /usr/bin/[a-m]*"],
        "sha256sum": ["sha256sum"] + [text] * 12,
        "objdump": ["sh", "-c", "objdump -d $(command -v openssl) $(command -v git)"],
        "diff": ["diff", large, other],
        "jq": ["jq", "-n", "[range(150000) | {k: (. * 7 % 13 | tostring), v: .}] | group_by(.k)"
               " | map(length) | add"],
        "tclsh": ["sh", "-c", f"echo '{TCL}' | tclsh"],
    }


def compiling(folder):
    """Those whose code is made while they run, which has no unwind information."""
    return {
        "node": ["node", folder / "work.js"],
        "java": ["java", "-XX:+PreserveFramePointer", folder / "Work.java"],
    }


def find(argv):
    """argv with the distribution's own program; None if there is none."""
    path = shutil.which(argv[0], path="/usr/bin:/bin:/usr/sbin:/sbin")
    return [path, *argv[1:]] if path else None


def is_there(name):
    """Whether the program that a workload is named after is installed."""
    return shutil.which(name.split("-")[0], path="/usr/bin:/bin:/usr/sbin:/sbin") is not None
