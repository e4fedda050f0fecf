"""The README says what the program says: its table of settings is `flametrap help settings`.

After a change of the settings:  python3 tests/preload/test_readme.py build/flametrap
prints the table anew.
"""

import re
import subprocess
import sys


def settings_rows(text):
    """(variable, options, argument, meaning, accepted, default) of each setting."""
    rows = []
    for line in text.splitlines():
        if line and not line.startswith(" "):
            names, _, argument = line.partition("  ")
            variable, *options = names.split(", ")
            rows.append([variable, options, argument, "", "", ""])
        elif line.startswith("    accepted: "):
            rows[-1][4] = line.partition(": ")[2]
        elif line.startswith("    default: "):
            rows[-1][5] = line.partition(": ")[2]
        elif line.strip():
            rows[-1][3] = (rows[-1][3] + " " + line.strip()).strip()
    return rows


def settings_table(text):
    lines = ["| variable | option | meaning | accepted | default |", "|---|---|---|---|---|"]
    for variable, options, argument, meaning, accepted, default in settings_rows(text):
        option = ", ".join(f"`{name}`" for name in options)
        option = f"{option} {argument}" if option else argument
        lines.append(f"| `{variable}` | {option} | {meaning} | {accepted} | {default} |")
    return "\n".join(line.replace("  ", " ") for line in lines)


def test_the_table_of_settings_is_what_the_command_prints():
    from running import COMMAND, ROOT, clean_environment, execute
    done = execute([COMMAND, "help", "settings"], clean_environment())
    assert done.status == 0
    table = settings_table(done.stdout.decode())
    assert table.count("\n") > 10
    assert table in (ROOT / "README.md").read_text(encoding="utf-8")


def test_every_file_the_readme_shows_is_there():
    from running import ROOT
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)#]+)\)", text)
    assert links
    for link in links:
        if "://" not in link:
            assert (ROOT / link).exists(), link


def test_every_interposed_name_is_named():
    from running import ROOT
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for name in (ROOT / "tests" / "preload" / "exports.txt").read_text(encoding="ascii").split():
        assert f"`{name}`" in text, name


def test_every_system_call_of_ours_is_named():
    from running import ROOT
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    source = (ROOT / "runtime" / "sample" / "sys.c").read_text(encoding="utf-8")
    calls = set(re.findall(r"\bSYS_(\w+)", source))
    assert len(calls) > 20
    for name in calls:
        assert f"`{name}`" in text, name


if __name__ == "__main__":
    print(settings_table(subprocess.run([sys.argv[1], "help", "settings"], check=True,
                                        stdout=subprocess.PIPE).stdout.decode()))
