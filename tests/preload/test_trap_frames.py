"""H8: a handler of SIGTRAP that was installed without SA_ONSTACK runs on the stack that it interrupted,
in a frame as the kernel builds it, and returns or leaves as it does without us."""

import platform

import pytest

from running import compiled, target

THROWS = r"""
#include <csignal>
#include <cstdio>
#include <ucontext.h>
static ucontext_t away;
static volatile int left;
static int (*volatile send)(int) = raise;
static void throws(int, siginfo_t *, void *) { throw 42; }
static void leaves(int, siginfo_t *, void *) { setcontext(&away); }
int main()
{
	struct sigaction action = {};
	int caught = 0;
	action.sa_sigaction = throws;
	action.sa_flags = SA_SIGINFO | SA_NODEFER;
	sigaction(SIGTRAP, &action, nullptr);
	for (int i = 0; i < 200; i++) {
		try { send(SIGTRAP); } catch (int value) { caught += value == 42; }
	}
	action.sa_sigaction = leaves;
	sigaction(SIGTRAP, &action, nullptr);
	getcontext(&away);
	if (left < 200) { left++; send(SIGTRAP); }
	std::printf("caught %d, left %d\n", caught, left);
}
"""

pytestmark = pytest.mark.skipif(platform.machine() != "x86_64", reason="its frames are made for x86-64")


@pytest.mark.parametrize("notify", ["sigtrap", "timer"])
def test_a_handler_has_the_frame_that_the_kernel_makes(profiler, notify):
    plain = profiler.plain([target("trap_frames")])
    assert plain.status == 0 and plain.stdout.count(b"wrong 0,") == 20, plain.stdout
    assert plain.stdout.count(b"own returns 40\n") == 2
    result, _ = profiler.collected([target("trap_frames")], notify=notify, period=200000)
    assert (result.status, result.stdout) == (0, plain.stdout), result.stderr


def test_a_handler_may_throw_and_change_the_context(profiler, tmp_path):
    throws = compiled(tmp_path, "throws", THROWS, "-O1", "-fnon-call-exceptions", compiler="g++")
    profiler.alike([throws], (0, b"caught 200, left 200\n", b""), period=200000)
