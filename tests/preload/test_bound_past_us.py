"""H8: a plugin that the loader binds to libc and not to us (RTLD_DEEPBIND, a namespace of its own) may
set the action of SIGTRAP, block it, execute programs and make threads as without us."""

import pytest

from running import clean_environment, execute, program

MAIN = r"""
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
int main(int count, char **words)
{
	int mode = strstr(words[1], "lazy") ? RTLD_LAZY : RTLD_NOW;
	if (strstr(words[1], "deep")) mode |= RTLD_DEEPBIND;
	void *plugin = !strncmp(words[1], "space", 5) ? dlmopen(LM_ID_NEWLM, words[2], mode) : dlopen(words[2], mode);
	if (!plugin) { puts(dlerror()); return 1; }
	return ((int (*)(const char *))dlsym(plugin, "go"))(words[3]);
}
"""
PLUGIN = r"""
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile unsigned long turns;
static volatile int traps;
__attribute__((noinline)) void plugin_burn(unsigned long n) { for (unsigned long i = 0; i < n; i++) turns++; }
static void on_trap(int number) { (void)number; traps++; }
static void *run(void *unused) { plugin_burn(60000000); return unused; }
static int execs(void)
{
	int bad = 0, status;
	for (int i = 0; i < 80; i++) {
		pid_t child = fork();
		if (!child) {
			for (int k = 0; k < 300 + i; k++) { plugin_burn(3000 + 997 * (i % 13)); getppid(); }
			execl("/bin/true", "true", (char *)NULL);
			_exit(9);
		}
		if (waitpid(child, &status, 0) != child || status) bad++;
	}
	return bad;
}
int sighold(int number);
int go(const char *what)
{
	struct sigaction action, seen;
	sigset_t all;
	pthread_t id;
	int bad = 0;
	memset(&action, 0, sizeof(action));
	sigemptyset(&action.sa_mask);
	if (!strcmp(what, "exec")) bad = execs();
	if (!strcmp(what, "handler")) {
		action.sa_handler = on_trap;
		bad = sigaction(SIGTRAP, &action, NULL);
		plugin_burn(40000000);
		bad += traps;
		raise(SIGTRAP);
		bad += traps != 1 || sigaction(SIGTRAP, NULL, &seen) || seen.sa_handler != on_trap;
	}
	if (!strcmp(what, "default")) {
		action.sa_handler = SIG_DFL;
		sigaction(SIGTRAP, &action, NULL);
		plugin_burn(40000000);
	}
	if (!strcmp(what, "signal")) { bad = signal(SIGTRAP, on_trap) != SIG_DFL; plugin_burn(40000000); bad += traps; }
	if (!strcmp(what, "mask")) {
		sigfillset(&all);
		sigprocmask(SIG_BLOCK, &all, NULL);
		plugin_burn(40000000);
		sigprocmask(SIG_SETMASK, NULL, &all);
		bad = !sigismember(&all, SIGTRAP);
	}
	if (!strcmp(what, "error")) { errno = 0; bad = sigaction(400, &action, NULL) != -1 || errno != EINVAL; }
	if (!strcmp(what, "thread")) { bad = pthread_create(&id, NULL, run, NULL); pthread_join(id, NULL); }
	if (!strcmp(what, "own")) bad = sighold(12345) != 77;
	printf("%d bad\n", bad);
	fflush(stdout);
	return 0;
}
"""
OWN = "int sighold(int number) { return number == 12345 ? 77 : -1; }"
WAYS = ["now", "now,deep", "lazy,deep"]
NOT_SAMPLED = b"threads that a plugin in a namespace of its own made (dlmopen) were not sampled"


@pytest.fixture(name="plugin", scope="module")
def maker(tmp_path_factory):
    """main, and plugins that are linked as distributions link them: plugin[flag]."""
    folder = tmp_path_factory.mktemp("plugins")
    for name, text in (("main", MAIN), ("plugin", PLUGIN), ("own", OWN)):
        (folder / f"{name}.c").write_text(text, encoding="ascii")
    for argv in (["-o", "main", "main.c"], ["-shared", "-fPIC", "-o", "libown.so", "own.c"],
                 *(["-shared", "-fPIC", "-pthread", "-o", f"{name}.so", "plugin.c", *flags]
                   for name, flags in (("lazy", ["-Wl,-z,lazy"]), ("now", ["-Wl,-z,now,-z,relro"]),
                                       ("noplt", ["-fno-plt"]),
                                       ("own", ["-Wl,-z,lazy", "-L.", "-lown", "-Wl,-rpath,$ORIGIN"])))):
        done = execute([program("gcc"), "-O1", "-w", "-D_GNU_SOURCE", *argv], clean_environment(), cwd=folder)
        assert done.status == 0, done.stderr.decode()
    return folder


def run(profiler, folder, way, name, what):
    argv = [folder / "main", way, folder / f"{name}.so", what]
    plain = profiler.plain(argv)
    assert plain.outcome() == (0, b"0 bad\n", b"")
    result, files = profiler.launched(["-e", "task-clock", "-F", "2000"], argv)
    assert (result.status, result.stdout) == (0, b"0 bad\n"), result.stderr
    return result, files


@pytest.mark.parametrize("way, name", [("lazy,deep", "lazy"), ("lazy,deep", "now"), ("now,deep", "lazy"),
                                       ("now,deep", "noplt"), ("space,lazy", "lazy"), ("space", "now")])
def test_a_plugin_does_as_without_us(profiler, plugin, way, name):
    for what in ("handler", "default", "signal", "mask", "error"):
        run(profiler, plugin, way, name, what)


@pytest.mark.parametrize("way", [*WAYS, "space"])
def test_what_a_plugin_executes_lives(profiler, plugin, way):
    run(profiler, plugin, way, "lazy", "exec")


@pytest.mark.parametrize("way", WAYS)
def test_a_thread_of_a_plugin_is_sampled(profiler, plugin, way):
    _, files = run(profiler, plugin, way, "lazy", "thread")
    assert any(";plugin_burn" in text for text in files.values())


def test_threads_of_a_namespace_are_told_of(profiler, plugin):
    result, _ = run(profiler, plugin, "space", "lazy", "thread")
    assert NOT_SAMPLED in result.stderr


def test_a_function_of_the_plugin_s_own_stays(profiler, plugin):
    run(profiler, plugin, "lazy,deep", "own", "own")
