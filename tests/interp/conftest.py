"""Each test of `python` runs with every CPython that is found here."""

import pytest

import pythons


def pytest_generate_tests(metafunc):
    if "python" in metafunc.fixturenames:
        found = pythons.found()
        metafunc.parametrize("python", found or [None], ids=str, indirect=True, scope="module")


@pytest.fixture(scope="module")
def python(request):
    if request.param is None:
        pytest.skip("no CPython of a known version is installed")
    if request.param.free_threaded:
        pytest.skip("free-threaded builds are left alone")
    return request.param
