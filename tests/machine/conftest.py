"""One emulated machine for all tests; its guests start in the background, two at a time."""

import pytest

import guest


@pytest.fixture(scope="session")
def machines():
    try:
        made = guest.Machines()
    except guest.Missing as reason:
        pytest.skip(f"no emulated machine: {reason}")
    for kernel, tour, cpu in guest.PLANNED:
        made.start(kernel, tour, cpu)
    yield made
    made.close()
