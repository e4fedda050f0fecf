"""Stacks that the library writes itself, where there is no command, name interpreted functions."""

import shutil

from pythons import BURNS
from running import LIBRARY, clean_environment, execute

PROGRAM = BURNS + """
class Kiln:
    def fire(self):
        return burn()

named = type("one;two\\nthree", (Kiln,), {})
exec("def f(self):\\n return self.fire()", {}, vars_ := {})
vars_["f"].__code__ = vars_["f"].__code__.replace(co_name="odd;na\\nme", **QUALIFIED)
vars_["f"](named())
"""


COLLECTS = """
import gc, time
kept = [[i] for i in range(200000)]
while time.thread_time() < 0.5:
    gc.collect()
"""


def folded_lines(python, program, tmp_path):
    library = shutil.copy(LIBRARY, tmp_path)
    done = execute([python.path, "-S", "-c", program],
                   clean_environment(LD_PRELOAD=str(library), FLAMETRAP_EVENTS="task-clock",
                                     FLAMETRAP_PERIOD="1000000", FLAMETRAP_SPOOL=str(tmp_path),
                                     FLAMETRAP_OUTPUT=str(tmp_path / "x")))
    assert (done.status, done.stdout) == (0, b""), done.stderr
    return (tmp_path / "x.folded").read_text("utf-8").splitlines()


def test_functions_have_their_names(python, tmp_path):
    qualified = {"co_qualname": "odd;na\nme"} if python.has_qualified_names else {}
    lines = folded_lines(python, f"QUALIFIED = {qualified!r}\n" + PROGRAM, tmp_path)
    burning = [line for line in lines if "burn_[p]" in line]
    fire = "Kiln.fire_[p]" if python.has_qualified_names else "fire_[p]"
    assert burning
    for line in burning:
        frames = line.rsplit(" ", 1)[0].split(";")
        names = [frame for frame in frames if frame.endswith("_[p]")]
        assert names == ["<module>_[p]", "odd:na me_[p]", fire, "burn_[p]"], line


def test_collections_of_garbage_have_their_name(python, tmp_path):
    lines = folded_lines(python, COLLECTS, tmp_path)
    stacks = [line.rsplit(" ", 1)[0].split(";") for line in lines]
    collecting = [frames for frames in stacks if "[gc]_[p]" in frames]
    assert collecting or python.version < (3, 11)
    for frames in collecting:
        assert frames[frames.index("[gc]_[p]") - 1] in ("<module>_[p]", "<listcomp>_[p]")
