#!/bin/sh
# Step the CPythons of a newer suite of Debian for long, in a minimal root:
#   make test-fresh SUITE=sid COMMAND=tests/interp/newest.sh
set -eu
tests/setup.sh build
apt-get -y install python3 python3-pytest
apt-get -y install python3.14 || echo "newest: this suite has no Python 3.14"
make all interp-programs
HARM_LONG=1 python3 -B -m pytest -q -p no:cacheprovider tests/interp/test_python_oracle.py
