"""H8: a program frees the signal stack that it has registered, and nobody writes there; its handlers
run on that stack, in frames as the kernel makes them, and return or leave as they do without us."""

import ctypes
import platform
import re
import signal

import pytest

from running import build_go, compiled, program, target

BURN_MS = 60
MAPPED_BYTES = 1 << 20  # by malloc, whose free unmaps it
HEAP_BYTES = 40960
PERIODS = [1000000, 125000]

THROWS = r"""
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <execinfo.h>
static int (*volatile send)(int) = raise;
static volatile int whole;
static void throws(int, siginfo_t *, void *)
{
	void *frames[64];
	int count = backtrace(frames, 64);
	char **names = backtrace_symbols(frames, count);
	for (int i = 0; names && i < count; i++)
		whole += std::strstr(names[i], "(outermost") != nullptr;
	std::free(names);
	throw 42;
}
extern "C" __attribute__((noinline)) int outermost()
{
	int caught = 0;
	for (int i = 0; i < 200; i++) {
		try { send(SIGUSR1); } catch (int value) { caught += value == 42; }
	}
	return caught;
}
int main()
{
	struct sigaction action = {};
	stack_t stack = {};
	stack.ss_size = 1 << 20;
	stack.ss_sp = std::malloc(stack.ss_size);
	sigaltstack(&stack, nullptr);
	action.sa_sigaction = throws;
	action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK;
	sigaction(SIGUSR1, &action, nullptr);
	int caught = outermost();
	std::printf("caught %d, whole %d\n", caught, whole);
}
"""

GO = """
package main

/*
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#define BYTES (1 << 20)
static char *low;
static int inside;

static void on_signal(int signal, siginfo_t *info, void *context)
{
	inside += (uintptr_t)__builtin_frame_address(0) - (uintptr_t)low < BYTES;
}

static void set(void)
{
	struct sigaction action = { .sa_sigaction = on_signal, .sa_flags = SA_ONSTACK | SA_SIGINFO };
	stack_t stack = { .ss_sp = low = malloc(BYTES), .ss_size = BYTES };

	sigaltstack(&stack, NULL);
	sigaction(SIGUSR1, &action, NULL);
}

static void hit(int number)
{
	syscall(SYS_tgkill, getpid(), (int)syscall(SYS_gettid), number);
}

static int seen(void) { return inside; }

static void spin(long n)
{
	for (volatile long i = 0; i < n; i++)
		;
}
*/
import "C"

import (
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"syscall"
)

func fault() (caught bool) {
	defer func() { caught = recover() != nil }()
	var p *int
	*p = 1
	return false
}

// The first thread, which the kernel chooses for a signal to the process, runs main: it is
// interrupted on a goroutine's stack.
func init() {
	runtime.LockOSThread()
}

func main() {
	got := make(chan os.Signal, 1000)
	signal.Notify(got, syscall.SIGUSR2)
	trapped := make(chan os.Signal, 1000)
	signal.Notify(trapped, syscall.SIGTRAP)
	if len(os.Args) > 1 {
		C.set()
	}
	caught := 0
	for i := 0; i < 50; i++ {
		C.hit(C.int(syscall.SIGUSR2))
		<-got
		if len(os.Args) > 1 {
			C.hit(C.int(syscall.SIGUSR1))
		}
		syscall.Kill(syscall.Getpid(), syscall.SIGTRAP)
		<-trapped
		if fault() {
			caught++
		}
		C.spin(300000)
	}
	runtime.GC()
	fmt.Println(caught, C.seen())
}
"""

RUBY = """
def deep(n) = deep(n + 1)
def overflow = 2.times { begin; deep(0); rescue SystemStackError => e; puts e.class; end }
overflow
Thread.new { overflow }.join
sum = 0
1_000_000.times { |i| sum += i }
puts sum
"""

PYTHON = """
import faulthandler, os, signal, sys
faulthandler.enable()
faulthandler.register(signal.SIGUSR1, all_threads=False)
for _ in range(5):
    os.kill(os.getpid(), signal.SIGUSR1)
print(sum(i * i for i in range(500000)))
faulthandler.unregister(signal.SIGUSR1)
faulthandler.disable()
print(sum(i * i for i in range(500000)), flush=True)
faulthandler.enable()
faulthandler._stack_overflow()
"""

LISP = """
(defun deep (n) (+ 1 (deep n)))
(dotimes (i 3) (handler-case (deep 1) (storage-condition () (format t "caught~%"))))
(print (loop for i fixnum below 30000000 sum (logand i 7)))
(terpri)
(sb-ext:exit)
"""

JAVA = """
public class Deep {
    static int deep(int n) { return 1 + deep(n + 1); }
    public static void main(String[] arguments) {
        int caught = 0;
        long sum = 0;
        for (int i = 0; i < 3; i++)
            try { deep(0); } catch (StackOverflowError e) { caught++; }
        Object none = null;
        for (int i = 0; i < 1000; i++)
            try { none.hashCode(); } catch (NullPointerException e) { caught++; }
        for (int i = 0; i < 20000000; i++)
            sum += i & 7;
        System.out.println(caught + " " + sum);
    }
}
"""

pytestmark = pytest.mark.skipif(
    platform.machine() != "x86_64" or not hasattr(ctypes.CDLL(None), "_dl_find_object"),
    reason="frames are moved on x86-64, with glibc 2.35")


@pytest.mark.parametrize("period", PERIODS)
@pytest.mark.parametrize("size", [HEAP_BYTES, MAPPED_BYTES])
def test_a_freed_signal_stack_is_not_written_to(profiler, size, period):
    argv = [target("stack_ends"), "freed", BURN_MS, size]
    said = f"{size} bytes, flags 0, written 0\n" * 2 + "ok\n"
    _, spools = profiler.alike(argv, (0, said.encode(), b""),
                               period=period)
    assert spools[0].samples()


@pytest.mark.parametrize("notify, period", [("sigtrap", 1000000), ("sigtrap", 50000), ("timer", 200000)])
def test_a_handler_runs_on_its_own_signal_stack(profiler, notify, period):
    plain = profiler.plain([target("own_stack")])
    assert plain.status == 0, plain.stderr
    assert len(re.findall(rb"wrong 0\b", plain.stdout)) == plain.stdout.count(b"seen ") == 78
    result, _ = profiler.collected([target("own_stack")], notify=notify, period=period)
    assert (result.status, result.stdout) == (0, plain.stdout), result.stderr


@pytest.mark.parametrize("follow", ["y", "n"])
@pytest.mark.parametrize("way, status", [("coroutines", 0), ("overflow", -signal.SIGSEGV),
                                         ("full", -signal.SIGSEGV), ("gone", -signal.SIGSEGV),
                                         ("fork", 0), ("together", 0)])
def test_unusual_uses_end_as_without_us(profiler, way, status, follow):
    argv = [target("stack_ends"), way]
    result, _ = profiler.alike(argv, period=50000, follow=follow)
    assert result.status == status and b"outside 1" not in result.stdout


def test_a_handler_may_throw_and_be_unwound(profiler, tmp_path):
    throws = compiled(tmp_path, "throws", THROWS, "-O1", "-fnon-call-exceptions", "-rdynamic",
                      compiler="g++")
    profiler.alike([throws], (0, b"caught 200, whole 200\n", b""), period=200000)


@pytest.mark.parametrize("notify", ["sigtrap", "timer"])
@pytest.mark.parametrize("sets", [[], ["set"]], ids=["none", "of C"])
def test_go_keeps_its_handlers_beside_a_signal_stack_of_c(profiler, tmp_path, sets, notify):
    argv = [build_go(tmp_path, GO, "program"), *sets]
    plain = profiler.plain(argv)
    assert plain.outcome() == (0, b"50 50\n" if sets else b"50 0\n", b"")
    result, _ = profiler.collected(argv, notify=notify, period=200000)
    assert (result.status, result.stdout) == (0, plain.stdout), result.stderr


def without_addresses(text):
    return re.sub(rb"0x[0-9a-f]+", b"", text)


@pytest.mark.parametrize("period", PERIODS)
@pytest.mark.parametrize("name, options, script", [
    ("ruby", [], RUBY), ("python3", [], PYTHON),
    ("sbcl", ["--noinform", "--no-sysinit", "--no-userinit", "--disable-debugger", "--load"], LISP),
    ("java", [], JAVA)], ids=["ruby", "python", "sbcl", "java"])
def test_runtimes_with_signal_stacks_do_as_without_us(profiler, tmp_path, name, options, script, period):
    (tmp_path / "Deep.java").write_text(script, encoding="ascii")
    argv = [program(name), *options, tmp_path / "Deep.java"]
    plain = profiler.plain(argv)
    assert plain.stdout
    result, _ = profiler.collected(argv, period=period)
    assert (result.status, result.stdout) == (plain.status, plain.stdout)
    if name == "python3":
        assert without_addresses(result.stderr) == without_addresses(plain.stderr)
