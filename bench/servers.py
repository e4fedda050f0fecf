"""What does a server pay, and how much less does it serve, with default settings?

Each server gets the same requests in turn: bare, with flametrap, with `perf record -g -F 999`, and
with gperftools at 999 Hz.  `cpu` is the CPU time of the server's processes, and of the profiler's, from
the first request to the last, as a multiple of bare; `rate` is requests per second, the same.  A
server's start and end are not in it.  `ping_pong` has no server: two threads, or two processes,
hand a byte to each other through pipes; and `chromium` draws a page, in some ten processes, from its
start to its end.  What is not installed (`tests/setup.sh servers` installs
them; Debian starts some of them at once) is left out, and said.  SERVERS="redis nginx" names some.
"""

import contextlib
import ctypes
import os
import pathlib
import pwd
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

from measure import COMMAND, PROGRAMS, environment, in_turn, line, median, sweep, tool
from overhead import profiler_library

ROUNDS = 3
LIMIT_S = 300
TICKS = os.sysconf("SC_CLK_TCK")
CLIENTS = 8
USER = "nobody"  # servers that refuse to run as root


PR_SET_CHILD_SUBREAPER = 36  # <linux/prctl.h>
PAGE = """<!doctype html><body><script>
const heights = [];
for (let round = 0; round < 200; round++) {
    const list = document.createElement("ul");
    for (let i = 0; i < 2000; i++) {
        const item = document.createElement("li");
        item.textContent = `${round} ${Math.sqrt(i * round).toFixed(3)}`;
        list.append(item);
    }
    document.body.replaceChildren(list);
    heights.push(list.offsetHeight);
}
document.body.textContent = heights.join(" ");
</script>
"""


class Missing(Exception):
    """A program that is not here, or does not run like this."""


def need(name):
    """Where a program is, also outside of an ordinary user's path."""
    places = [*map(str, sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)),
              os.environ["PATH"], "/usr/sbin", "/sbin"]
    found = shutil.which(name, path=":".join(places))
    if not found:
        raise Missing(name)
    return found


def as_user(words):
    """The words, which root runs as somebody else."""
    if os.geteuid():
        return words
    return [need("setpriv"), f"--reuid={USER}", f"--regid={pwd.getpwnam(USER).pw_gid}",
            "--clear-groups", *words]


def run(words, **more):
    done = subprocess.run([str(word) for word in words], check=False, timeout=LIMIT_S,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, **{"env": environment(), **more})
    if done.returncode:
        sys.exit(f"{words[0]}: status {done.returncode}\n{done.stdout.decode()}")


def free_port():
    with contextlib.closing(socket.socket()) as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


class Server:
    """How a server is made ready once, started, asked, and ended."""

    end = signal.SIGTERM

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.port = free_port()
        self.prepare()

    def prepare(self):
        """What the server needs before its first start."""

    def words(self):
        """The server's command line."""
        raise NotImplementedError

    def load(self):
        """The load's command line, which ends when all is served."""
        raise NotImplementedError

    def answers(self):
        with contextlib.closing(socket.socket()) as asked:
            return asked.connect_ex(("127.0.0.1", self.port)) == 0


class Pgbench(Server):
    end = signal.SIGINT  # "fast": it waits for nobody

    def prepare(self):
        self.data = self.folder / "data"
        run(as_user([need("initdb"), "-D", self.data, "-A", "trust", "-U", USER, "--no-sync"]))
        with started(self, [], environment()):
            run([need("pgbench"), *self.where(), "-i", "-s", "5", "-q", "postgres"])

    def where(self):
        return ["-h", "127.0.0.1", "-p", self.port, "-U", USER]

    def words(self):
        return as_user([need("postgres"), "-D", self.data, "-p", self.port, "-k", self.folder,
                        "-c", "fsync=off"])

    def answers(self):
        return not subprocess.run([need("pg_isready"), "-q", "-h", "127.0.0.1", "-p",
                                   str(self.port)], check=False).returncode

    def load(self):
        return [need("pgbench"), *self.where(), "-n", "-S", "-c", CLIENTS, "-j", 1, "-t", 8000,
                "postgres"]


class Mariadb(Server):
    def prepare(self):
        self.data = self.folder / "data"
        run(as_user([need("mariadb-install-db"), "--no-defaults", f"--datadir={self.data}",
                     "--auth-root-authentication-method=normal", "--skip-test-db"]))

    def words(self):
        return as_user([need("mariadbd"), "--no-defaults", f"--datadir={self.data}",
                        f"--socket={self.folder}/socket", f"--port={self.port}",
                        "--bind-address=127.0.0.1", f"--pid-file={self.folder}/pid"])

    def client(self, name):
        return [need(name), "--no-defaults", "-u", "root", "-h", "127.0.0.1", "-P", str(self.port)]

    def answers(self):
        return not subprocess.run([*self.client("mariadb-admin"), "ping"], check=False,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode

    def load(self):
        return [*self.client("mariadb-slap"), f"--concurrency={CLIENTS}", "--number-of-queries=80000",
                "--create-schema=mysql", "--query=select count(*) from help_topic where help_topic_id < 9"]


class Redis(Server):
    def words(self):
        return [need("redis-server"), "--port", self.port, "--save", "", "--dir", self.folder]

    def load(self):
        return [need("redis-benchmark"), "-p", self.port, "-c", CLIENTS, "-n", 200000, "-t", "get,set",
                "-q"]


class Nginx(Server):
    def prepare(self):
        (self.folder / "index.html").write_text("a page\n" * 100, encoding="ascii")
        (self.folder / "conf").write_text(
            f"daemon off; user root; pid {self.folder}/pid; error_log {self.folder}/log;\n"
            "worker_processes 1; events {}\n"
            f"http {{ access_log off; server {{ listen 127.0.0.1:{self.port}; "
            f"root {self.folder}; }} }}\n", encoding="ascii")

    def words(self):
        return [need("nginx"), "-c", self.folder / "conf", "-p", self.folder]

    def load(self):
        return [need("ab"), "-q", "-k", "-c", CLIENTS, "-n", 150000,
                f"http://127.0.0.1:{self.port}/index.html"]


class Memcached(Server):
    def words(self):
        return [need("memcached"), "-l", "127.0.0.1", "-p", self.port, "-u", USER]

    def load(self):
        return [need("memcslap"), f"--servers=127.0.0.1:{self.port}", f"--concurrency={CLIENTS}",
                "--test=get", "--execute-number=30000", "--initial-load=1000"]


class PythonWeb(Server):
    def prepare(self):
        (self.folder / "index.html").write_text("a page\n" * 100, encoding="ascii")

    def words(self):
        return [sys.executable, "-c", "import http.server as h; h.SimpleHTTPRequestHandler.log_message "
                f"= print and (lambda *a: None); h.ThreadingHTTPServer(('127.0.0.1', {self.port}), "
                f"lambda *a: h.SimpleHTTPRequestHandler(*a, directory='{self.folder}'))"
                ".serve_forever()"]

    def load(self):
        return [need("ab"), "-q", "-c", CLIENTS, "-n", 6000,
                f"http://127.0.0.1:{self.port}/index.html"]


SERVERS = {"pgbench": Pgbench, "mariadb": Mariadb, "redis": Redis, "nginx": Nginx,
           "memcached": Memcached, "python": PythonWeb}


def tree(pid):
    """The process and all below it."""
    found = [pid]
    for one in found:
        with contextlib.suppress(OSError):
            for task in os.listdir(f"/proc/{one}/task"):
                text = pathlib.Path(f"/proc/{one}/task/{task}/children").read_text("ascii")
                found += map(int, text.split())
    return found


def cpu_s(pid):
    """CPU time of a tree, with that of children that have ended (proc(5), stat)."""
    total = 0
    for one in tree(pid):
        with contextlib.suppress(OSError):
            text = pathlib.Path(f"/proc/{one}/stat").read_text("utf-8")
            total += sum(map(int, text.rpartition(")")[2].split()[11:15]))
    return total / TICKS


@contextlib.contextmanager
def started(server, prefix, env):
    child = subprocess.Popen([str(word) for word in [*prefix, *server.words()]], env=env,
                             cwd=server.folder, stdin=subprocess.DEVNULL,
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    end_s = time.monotonic() + LIMIT_S
    while not server.answers():
        if child.poll() is not None or time.monotonic() > end_s:
            child.kill()
            child.wait()
            raise Missing(f"{server.words()[0]} that serves")
        time.sleep(0.05)
    try:
        yield child.pid
    finally:
        end(child.pid, server.end)
        child.wait(LIMIT_S)


def end(pid, number):
    """Of a wrapper's tree the server is told, which is the first process that is not a wrapper."""
    names = {"flametrap", "perf", "perf_6.1"}
    for one in tree(pid):
        name = pathlib.Path(f"/proc/{one}/comm").read_text("utf-8").strip()
        if name not in names:
            os.kill(one, number)
            return


def served(server, prefix, env):
    """(CPU seconds, seconds) that the load takes."""
    with started(server, prefix, env) as pid:
        before_s, began_s = cpu_s(pid), time.monotonic()
        run(server.load())
        return cpu_s(pid) - before_s, time.monotonic() - began_s


def played(words, prefix, env):
    """The same of a program that is its own load, with processes that outlive their parents."""
    before, began_s = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    child = subprocess.Popen([str(word) for word in [*prefix, *words]], env=env,
                             stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL)
    if child.wait(LIMIT_S):
        raise Missing(f"{words[0]} that runs with it")
    taken_s = time.monotonic() - began_s
    with contextlib.suppress(ChildProcessError):
        while os.wait():
            pass
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, taken_s


def chromium(folder):
    """The words that draw a page whose work is always the same, with a profile of its own."""
    page = pathlib.Path(folder) / "page.html"
    page.write_text(PAGE, encoding="ascii")
    return [need("chromium"), "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic",
            "--no-first-run", "--disable-background-networking", "--disable-component-update",
            "--disable-sync", f"--user-data-dir={folder}/profile", "--dump-dom", page.as_uri()]


def profilers(folder):
    """{name: (words before the command, environment)}"""
    found = {"bare": ([], environment()),
             "flametrap": ([COMMAND, "--log", "quiet", "-o", f"{folder}/out"], environment()),
             "flametrap_timer": ([COMMAND, "--log", "quiet", "--notify", "timer", "-o", f"{folder}/out"],
                                 environment())}
    if tool("perf"):
        found["perf"] = (["perf", "record", "-q", "-g", "-F", "999", "-o", f"{folder}/perf.data"],
                         environment())
    library = profiler_library()
    if library:
        found["gperftools"] = ([], environment(library, CPUPROFILE=f"{folder}/gperftools",
                                               CPUPROFILE_FREQUENCY="999"))
    return found


def show(name, found):
    bare_cpu, bare_s = (median(values) for values in zip(*found["bare"]))
    line(f"servers.{name}.bare", bare_cpu, "s", ROUNDS)
    for profiler, values in found.items():
        if profiler != "bare":
            cpu, seconds = (median(column) for column in zip(*values))
            line(f"servers.{name}.{profiler}.cpu", cpu / bare_cpu, "ratio", ROUNDS)
            line(f"servers.{name}.{profiler}.rate", bare_s / seconds, "ratio", ROUNDS)


def measure(name, function, results):
    """A peer with which the program does not run is left out."""
    ways = profilers(results)
    for profiler in list(ways):
        try:
            function(*ways[profiler])
        except Missing as error:
            print(f"servers: {name} with {profiler} is left out: no {error}", file=sys.stderr)
            del ways[profiler]
    show(name, in_turn({profiler: lambda way=way: sweep(results, function(*way))
                        for profiler, way in ways.items()}, ROUNDS))


def main():
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    wanted = os.environ.get("SERVERS", "").split()
    for name, kind in SERVERS.items():
        if wanted and name not in wanted:
            continue
        with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as results:
            for path in (folder, results):
                os.chmod(path, 0o777)
            try:
                server = kind(folder)
                server.load()
            except Missing as error:
                print(f"servers: {name} is left out: no {error} here", file=sys.stderr)
                continue
            measure(name, lambda prefix, env, server=server: served(server, prefix, env), results)
    programs = {f"ping_pong_{way}": lambda _, way=way: [PROGRAMS / "ping_pong", way, 400000]
                for way in ("threads", "processes")} | {"chromium": chromium}
    for name, words in programs.items():
        if wanted and name not in wanted:
            continue
        with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as results:
            try:
                measure(name, lambda prefix, env, argv=words(folder): played(argv, prefix, env), results)
            except Missing as error:
                print(f"servers: {name} is left out: no {error} here", file=sys.stderr)


if __name__ == "__main__":
    main()
