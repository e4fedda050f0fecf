"""What the command's help says of its verbs, in a form that tests can compare."""

import re

from running import COMMAND, clean_environment, execute


def printed(*words):
    done = execute([COMMAND, *words], clean_environment())
    assert done.status == 0 and not done.stderr, (words, done.stderr)
    return done.stdout.decode()


def verbs():
    listed = printed("help").partition("\nVerbs:\n")[2].partition("\n\n")[0]
    return re.findall(r"^  (\w+)  ", listed, re.M)


def section(verb, name):
    return printed(verb, "--help").partition(f"\n{name}:\n")[2].partition("\n\n")[0]


def options(verb):
    """[(letter or None, name, argument or None, may it be left out)] of a verb."""
    found = re.findall(r"^  (?:-(\w), )?--([\w-]+)(?:(\[=)?([A-Z/]+)\]?| ([A-Z/=]+))?(?:  |$)",
                       section(verb, "Options"), re.M)
    return [(letter or None, name, optional_argument or argument or None, bool(optional))
            for letter, name, optional, optional_argument, argument in found]


def examples(verb):
    """[(command, what it is for)] of a verb."""
    return re.findall(r"^  (\S.*)\n      (\S.*)$", section(verb, "Examples"), re.M)
