"""A goroutine's stack ends in runtime.goexit, where Go begins it: that is its outermost frame."""

import pytest

from running import LEAF_ONLY, build_go

SAMPLES_MIN = 500
WHOLE_MIN = 0.98
BY_LOAD = (LEAF_ONLY, "[truncated]")  # a handler had to leave out frames on a busy machine

SOURCE = """
package main

/*
#include <stdint.h>
static uint64_t spin_c(uint64_t n)
{
	volatile uint64_t sum = 1;
	for (uint64_t i = 0; i < n; i++)
		sum = sum * 1664525 + i;
	return sum;
}
*/
import "C"
import (
	"fmt"
	"sort"
)

//go:noinline
func spinGo(n int) uint64 {
	sum := uint64(1)
	for i := 0; i < n; i++ {
		sum = sum*1664525 + uint64(i)
	}
	return sum
}

//go:noinline
func order(n int) int {
	numbers := make([]int, n)
	for i := range numbers {
		numbers[i] = i * 7919 % n
	}
	sort.Ints(numbers)
	return numbers[n/2]
}

func worker(out chan<- uint64) {
	out <- spinGo(60000000) + uint64(C.spin_c(60000000)) + uint64(order(400000))
}

func main() {
	out := make(chan uint64)
	for i := 0; i < 3; i++ {
		go worker(out)
	}
	sum := spinGo(30000000)
	for i := 0; i < 3; i++ {
		sum += <-out
	}
	fmt.Println(sum%2 < 2)
}
"""


@pytest.fixture(name="program", scope="module")
def built_program(tmp_path_factory):
    return build_go(tmp_path_factory.mktemp("go"), SOURCE, "program")


def sampled(profiler, program):
    spools = []
    while sum(spool.count("SAMPLES") for spool in spools) < SAMPLES_MIN:
        result, more = profiler.collected([program], events="task-clock:u", period=200000)
        assert result.stdout == b"true\n" and len(more) == 1
        assert more[0].count("SAMPLES")
        spools += more
    return spools


def weight_where(folded, test):
    return sum(value for frames, value in folded.stacks.items() if test(frames))


def test_stacks_of_goroutines_are_whole_and_begin_in_goexit(profiler, program):
    spools = sampled(profiler, program)
    folded = profiler.fold(spools, "--weight", "samples")
    spin = folded.inclusive("main.spinGo")
    assert spin > 0
    for function in "main.worker", "main.main":
        stacks = [(frames, value) for frames, value in folded.stacks.items()
                  if "main.spinGo" in frames and function in frames]
        whole = sum(value for frames, value in stacks if frames[1].startswith("runtime.goexit"))
        assert whole >= WHOLE_MIN * sum(value for _, value in stacks) > 0, function


def test_what_runs_on_the_thread_s_own_stack_begins_where_the_thread_does(profiler, program):
    """C that Go calls, and Go's own scheduler and collector."""
    spools = sampled(profiler, program)
    folded = profiler.fold(spools, "--weight", "samples")
    in_c = weight_where(folded, lambda frames: frames[1] not in BY_LOAD
                        and any("spin_c" in frame for frame in frames))
    begun = weight_where(folded, lambda frames: any("spin_c" in frame for frame in frames)
                         and frames[1] in ("clone3", "clone", "_start", "start_thread"))
    assert begun >= WHOLE_MIN * in_c > 0


def test_every_stack_is_whole_or_says_why(profiler, program):
    spools = sampled(profiler, program)
    count = {name: sum(spool.count(name) for spool in spools) for name in spools[0].own_count}
    cuts = {name: value for name, value in count.items()
            if name.startswith("TRUNCATED_") or name == "LEAF_ONLY"}
    assert count["COMPLETE"] + sum(cuts.values()) == count["SAMPLES"]
    stacks = count["SAMPLES"] - cuts["LEAF_ONLY"] - cuts["TRUNCATED_BUSY"]
    assert count["COMPLETE"] >= WHOLE_MIN * stacks, cuts
    assert count["GUESSED"] > 0
