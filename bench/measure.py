"""What the benches share: where things are, runs in turn, one line per figure.

Variants are run in turn, round after round, so that a machine that changes its pace changes
it for all of them.
"""

import concurrent.futures
import os
import pathlib
import shutil
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(os.environ.get("FLAMETRAP_BUILD", ROOT / "build")).resolve()
LIBRARY = BUILD / "libflametrap.so"
COMMAND = BUILD / "flametrap"
PROGRAMS = BUILD / "bench"

median, tool = statistics.median, shutil.which

sys.path.insert(0, str(ROOT / "tests" / "support"))


def environment(preload=None, **settings):
    """The environment without us; with the shim and its settings when preload is given."""
    result = {key: value for key, value in os.environ.items()
              if not key.startswith(("FLAMETRAP", "CPUPROFILE")) and key != "LD_PRELOAD"}
    if preload:
        result["LD_PRELOAD"] = str(preload)
    for key, value in settings.items():
        result[key if key.isupper() else "FLAMETRAP_" + key.upper()] = str(value)
    return result


def output(argv, env, cwd=None):
    done = subprocess.run([str(word) for word in argv], env=env, cwd=cwd, check=False,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE)
    if done.returncode:
        sys.exit(f"{argv[0]}: status {done.returncode}\n{done.stderr.decode()}")
    return done.stdout.decode()


def sweep(folder, value=None):
    """The value, when what a program left in the folder is removed."""
    for path in pathlib.Path(folder).iterdir():
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()
    return value


def spent_us(argv, env, folder):
    """CPU time of a command and of all that it waited for; the files that it leaves are removed."""
    child = subprocess.Popen(argv, env=env, cwd=folder, stdin=subprocess.DEVNULL,
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        sys.exit(f"{argv[0]}: status {child.returncode}")
    sweep(folder)
    return (usage.ru_utime + usage.ru_stime) * 1e6


def measured(argv):
    """(CPU seconds, peak resident MB) of a command and what it starts."""
    child = subprocess.Popen([str(word) for word in argv], stdout=subprocess.DEVNULL,
                             stdin=subprocess.DEVNULL, env=environment())
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        sys.exit(f"{argv[0]}: status {child.returncode}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def apart(function, *arguments):
    """What a function returns, run in another process: the peak of a command that is started
    from here includes ours."""
    with concurrent.futures.ProcessPoolExecutor(1) as pool:
        return pool.submit(function, *arguments).result()


def in_turn(variants, rounds):
    """{name: [value of each round]} of functions {name: function}."""
    found = {name: [] for name in variants}
    for _ in range(rounds):
        for name, function in variants.items():
            found[name].append(function())
    return found


def line(name, value, unit, runs):
    digits = 0 if abs(value) >= 1000 else 3
    print(f"{name} {value:.{digits}f} {unit} {runs}", flush=True)
