"""Stacks below deep recursion are right at every instruction, in programs of C, OCaml, Rust, Lua and
Erlang.  What their own unwind information is untrue of is named."""

import re
import shutil
import subprocess

import pytest

from test_unwind import judged

OCAML = """exception Stop of int
type tree = Leaf | Node of tree * int * tree
let rec insert x = function
  | Leaf -> Node (Leaf, x, Leaf)
  | Node (l, y, r) -> if x < y then Node (insert x l, y, r) else Node (l, y, insert x r)
let rec sum = function Leaf -> 0 | Node (l, x, r) -> sum l + x + sum r
let rec fall n = if n = 0 then raise (Stop n) else 1 + fall (n - 1)
let rec below n f = if n = 0 then f () else 1 + below (n - 1) f
let work () =
  let t = ref Leaf in
  for i = 1 to 40 do t := insert (i * 37 mod 61) !t done;
  let s = List.fold_left (+) 0 (List.map (fun x -> x * 2) [1; 2; 3]) in
  let f = try fall 5 with Stop n -> n in
  let text = Printf.sprintf "%d %s %.3f" s "text" (sqrt (float s)) in
  Array.sort compare (Array.init 30 (fun i -> i * 7 mod 31));
  Gc.minor ();
  sum !t + f + String.length text
let () = Printf.printf "%d\\n" (below (int_of_string Sys.argv.(1)) work)
"""

RUST = """use std::collections::HashMap;
fn black_box<T: Copy>(value: T) -> T { unsafe { std::ptr::read_volatile(&value) } }
fn below(n: u32, f: &dyn Fn() -> u64) -> u64 {
    if n == 0 { f() } else { black_box(1 + below(n - 1, f)) }
}
fn fall(n: u32) -> u32 {
    let text = format!("{}", n);
    if n == 0 { panic!("thrown") }
    fall(n - 1) + text.len() as u32
}
fn work() -> u64 {
    let mut map = HashMap::new();
    for i in 0..30u64 { *map.entry(i * 37 % 11).or_insert(0) += i; }
    let mut names: Vec<String> = (0..30).map(|i| format!("name{}", i * 7 % 31)).collect();
    names.sort();
    let caught = std::panic::catch_unwind(|| fall(4)).is_err();
    let long = names.iter().filter(|n| n.len() > 5).count();
    map.values().sum::<u64>() + long as u64 + caught as u64
}
fn main() {
    std::panic::set_hook(Box::new(|_| {}));
    println!("{}", below(std::env::args().nth(1).unwrap().parse().unwrap(), &work));
}
"""

LUA = """jit.off()
local function below(n, f) if n == 0 then return f() end return 1 + below(n - 1, f) end
local function nested(n)  -- each level is one of C, too
  return n == 0 and 0 or 1 + (string.gsub("a", "a", function() nested(n - 1) end) and 0)
end
local function work()
  local resume = coroutine.wrap(function(a) for i = 1, 5 do a = coroutine.yield(a + i) end end)
  local s = 0
  for i = 1, 5 do s = s + resume(i) end
  local ok = pcall(function() error("x") end)
  local t = setmetatable({}, { __index = function(_, k) return #tostring(k) end })
  table.sort({ 3, 1, 2 }, function(a, b) return a < b end)
  return s + t.abc + nested(20) + (ok and 1 or 0)
end
print(below(tonumber(arg[1]), work))
"""

ERLANG = """-module(deep).
-export([main/1]).
below(0, F) -> F();
below(N, F) -> 1 + below(N - 1, F).
work() ->
    M = lists:foldl(fun(I, A) -> maps:put(I rem 7, I, A) end, #{}, lists:seq(1, 50)),
    C = try throw(x) catch throw:_ -> 1 end,
    Self = self(),
    P = spawn(fun() -> Self ! {self(), lists:sum(lists:sort([I * 7 rem 31 || I <- lists:seq(1, 60)]))} end),
    R = receive {P, S} -> S end,
    C + length(lists:flatten(io_lib:format("~p ~s", [M, "text"]))) + R.
main(N) -> io:format("~p~n", [below(N, fun work/0)]).
"""

# Whose unwind information says where it is about to be: a C library's jump, an exception on its way,
# and OCaml's raise, inlined, whose last instructions have left the frame that they still describe.
UNTRUE = re.compile(r"[mw] (libc\.so\.6 \?\+0x0 .* end 2 at \? \?|libc\.so\.6 __longjmp|libgcc_s\.so|"
                    r"deep camlDeep__fall_)")

# By language: source, how it is compiled, how it runs, what it prints below no levels, and the frames
# of the native stack that a level has.
LANGUAGES = {
    "ocaml": ("deep.ml", OCAML, ["ocamlopt", "-o", "deep", "deep.ml"], ["./deep"], 1195, 1),
    "rust": ("deep.rs", RUST, ["rustc", "-O", "-o", "deep", "deep.rs"], ["./deep"], None, 1),
    "luajit": ("deep.lua", LUA, [], ["luajit", "deep.lua"], None, 0),
}
LEVELS = [1000, pytest.param(10000, marks=pytest.mark.long)]


def need(program):
    if not shutil.which(program):
        pytest.skip(f"{program} is not installed")


def oracle(command, folder, steps, **settings):
    """(what it printed, counts, lines by kind of what is not known to be untrue: w for wrong stacks, m for
    wrong ones that are marked as a guess)"""
    done, found, lines = judged(command, folder / "report", steps, cwd=folder, **settings)
    assert done.returncode == 0
    wrong = {kind: [line for line in lines if line[0] == kind and not UNTRUE.match(line)] for kind in "wm"}
    return done.stdout, found, wrong


@pytest.mark.parametrize("levels", LEVELS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_stacks_of_a_language_are_right(language, levels, tmp_path):
    name, source, compiling, command, result, frames = LANGUAGES[language]
    (tmp_path / name).write_text(source, encoding="utf-8")
    need((compiling or command)[0])
    if compiling:
        subprocess.run(compiling, cwd=tmp_path, check=True)
    expected = subprocess.run([*command, str(levels)], cwd=tmp_path, check=True, text=True,
                              stdout=subprocess.PIPE).stdout
    printed, found, wrong = oracle([*command, str(levels)], tmp_path, 4000000,
                                   ORACLE_SKIP="1")
    assert printed == expected and (result is None or int(printed) == result + levels)
    assert not wrong["w"] and not wrong["m"], "\n".join(wrong["w"][:20] + wrong["m"][:20])
    assert found["mistaken"] <= 10, found
    assert found["steps"] > 50000 and found["deepest"] > levels * frames
    # what throws, and OCaml's raise through its runtime, are cut
    assert found["truncated"] <= 300, found
    # each is a few instructions of one exception
    assert found["wrong"] <= (500 if language == "rust" else 100), found


@pytest.mark.parametrize("levels", [250, pytest.param(2000, marks=pytest.mark.long)])
def test_stacks_of_a_shell_s_functions_are_right(levels, tmp_path):
    """Five frames of C for each, stepped from the innermost one on."""
    need("bash")
    script = "f() { if (( $1 )); then f $(($1 - 1)); else umask; fi; }; f " + str(levels)
    _, found, wrong = oracle(["bash", "-c", script], tmp_path, 20000, ORACLE_UMASK="1")
    assert not wrong["w"] and found["deepest"] > 5 * levels
    assert found["steps"] == found["right"] == 20000, found


@pytest.mark.parametrize("steps", [220000, pytest.param(1000000, marks=pytest.mark.long)])
def test_no_stack_of_erlang_looks_whole_and_is_not(steps, tmp_path):
    """Its compiled code has no unwind information, and stacks on its heap.  What C code it calls is
    followed up to it, where the stack is cut, with a reason."""
    need("erlc")
    (tmp_path / "deep.erl").write_text(ERLANG, encoding="utf-8")
    subprocess.run(["erlc", "deep.erl"], cwd=tmp_path, check=True)
    printed, found, wrong = oracle(
        ["erl", "+S", "1:1", "-noshell", "-eval", "deep:main(1000), halt()."], tmp_path,
        steps, ORACLE_SKIP="1", ORACLE_THREAD="1_scheduler")
    assert int(printed) > 1000
    assert not wrong["w"] and found["wrong"] <= 60, "\n".join(wrong["w"][:20])
    assert found["steps"] == steps and found["truncated"] > 1000 and found["elsewhere"] > 500
