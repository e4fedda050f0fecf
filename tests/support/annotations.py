"""Profiles with chosen addresses of a file, and what flametrap annotate says of them."""

import json
import re

import pytest

import launching
from symbol_table import run

needs_capstone = pytest.mark.skipif(not re.search(r"libcapstone\.so\.[45] ", run("/sbin/ldconfig", "-p")),
                                    reason="no libcapstone4 or libcapstone5")


def annotate(*words, status=0, **options):
    done = launching.flametrap("annotate", *words, **options, status=status)
    return done.stdout if status == 0 else done.stderr


def data(*words, **options):
    return json.loads(annotate("--json", *words, **options))
