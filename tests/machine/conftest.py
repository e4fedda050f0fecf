"""One emulated machine for all tests of a worker; a guest starts when its first test does."""

import pytest

import guest


@pytest.fixture(scope="session")
def machines():
    try:
        made = guest.Machines()
    except guest.Missing as reason:
        pytest.skip(f"no emulated machine: {reason}")
    return made
