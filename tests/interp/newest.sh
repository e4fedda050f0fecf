#!/bin/sh
# Step the CPython of Debian's unstable suite for long: make test-fresh SUITE=sid COMMAND=…
set -eu
tests/setup.sh build
apt-get -y install python3.14 python3-pytest
make all interp-programs
HARM_LONG=1 python3 -B -m pytest -q -p no:cacheprovider tests/interp/test_python_oracle.py
