"""Profiles with chosen addresses of a file, and what flametrap annotate says of them."""

import json
import re

import pytest

import launching
from spool_writer import GONE, Spool
from symbol_table import BASE, build_id, run

needs_capstone = pytest.mark.skipif(not re.search(r"libcapstone\.so\.[45] ", run("/sbin/ldconfig", "-p")),
                                    reason="no libcapstone4 or libcapstone5")


def annotate(*words, status=0, **options):
    done = launching.flametrap("annotate", *words, **options, status=status)
    return done.stdout if status == 0 else done.stderr


def data(*words, **options):
    return json.loads(annotate("--json", *words, **options))


def spool_of(folder, path, weights, name="made.spool", identity=None):
    """A profile with so many samples at each of these addresses of a file."""
    made = Spool(GONE)
    identity = bytes.fromhex(build_id(path)) if identity is None else identity
    made.module(path, BASE, BASE + 0x10000000, BASE, identity)
    for address, samples in weights.items():
        made.node(BASE + address, None, samples)
    made.write(folder / name)
    return folder / name
