"""What has another name on each side of flametrap ab is compared as one, and the answer says so."""

import json
import shutil

from launching import flametrap
from running import program

SCRIPT = """
def parse(count):
    return sum(i * i for i in range(count))

for _ in range(30):
    parse(20000)
"""


def answer(folder, *words):
    done = flametrap("ab", "--json", "-n", "2", "--warmup", "0", "--no-picture", *words, cwd=folder,
                     status=0)
    return json.loads(done.stdout)


def test_scripts_of_two_names_are_compared(tmp_path):
    for name in ("old", "new"):
        (tmp_path / f"{name}.py").write_text(SCRIPT, encoding="utf-8")
    found = answer(tmp_path, "--", "python3", "old.py", "--", "python3", "new.py")
    assert "old.<module>_[p] and new.<module>_[p] are compared as one." in found["notes"]
    functions = {item["name"]: item["total"] for item in found["counters"][0]["functions"]}
    assert not [name for name in functions if name.startswith("old.")]
    for name in ("new.<module>_[p]", "new.parse_[p]"):
        assert functions[name]["before"] > 0 and functions[name]["after"] > 0


def test_programs_of_two_names_are_named_in_the_answer(tmp_path):
    for name in ("tool_one", "tool_two"):
        shutil.copy(program("bc"), tmp_path / name)
    count = tmp_path / "count"
    count.write_text("for (i = 0; i < 300000; i++) s += i\n", encoding="utf-8")
    found = answer(tmp_path, "--input", count, "--", "./tool_one", "--", "./tool_two")
    assert "tool_one and tool_two are compared as one." in found["notes"]
