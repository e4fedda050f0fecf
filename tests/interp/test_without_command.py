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


def test_functions_have_their_names(python, tmp_path):
    library = shutil.copy(LIBRARY, tmp_path)
    qualified = {"co_qualname": "odd;na\nme"} if python.has_qualified_names else {}
    done = execute([python.path, "-S", "-c", f"QUALIFIED = {qualified!r}\n" + PROGRAM],
                   clean_environment(LD_PRELOAD=str(library), FLAMETRAP_EVENTS="task-clock",
                                     FLAMETRAP_PERIOD="1000000", FLAMETRAP_SPOOL=str(tmp_path),
                                     FLAMETRAP_OUTPUT=str(tmp_path / "x")))
    assert (done.status, done.stdout) == (0, b""), done.stderr
    lines = (tmp_path / "x.folded").read_text("utf-8").splitlines()
    burning = [line for line in lines if "burn_[p]" in line]
    fire = "Kiln.fire_[p]" if python.has_qualified_names else "fire_[p]"
    assert burning
    for line in burning:
        frames = line.rsplit(" ", 1)[0].split(";")
        names = [frame for frame in frames if frame.endswith("_[p]")]
        assert names == ["<module>_[p]", "odd:na me_[p]", fire, "burn_[p]"], line
