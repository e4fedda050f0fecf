"""A Django application, served by gunicorn and by uWSGI under load: nobody gets another answer, and
the profile shows the views, and under them where they wait."""

import collections
import concurrent.futures
import http.client
import os
import re
import signal
import socket
import subprocess
import threading
import time

import pytest

import pythons
from launching import SUMMARY
from pythons import PROGRAMS, in_order, shorts
from rights import may_see_the_kernel
from running import COMMAND, LIMIT_S, Folded, clean_environment, program, wait_until

PATHS = ("/prices", "/listing", "/slow", "/asks", "/fails", "/missing")
REQUESTS = 360
CLIENTS = 4
NAP_NS = 20000000  # as shop.py and the backend have it


class Backend:
    """A server that answers after a while."""

    def __init__(self, path):
        self.path = path
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(path))
        self.listener.listen(64)
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.answer, args=(connection,), daemon=True).start()

    @staticmethod
    def answer(connection):
        with connection:
            connection.recv(100)
            time.sleep(NAP_NS / 1e9)
            connection.sendall(b"forty-two")


@pytest.fixture
def backend(tmp_path):
    server = Backend(tmp_path / "backend")
    yield server.path
    server.listener.close()


class Connection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost", timeout=LIMIT_S)
        self.path = str(path)

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(LIMIT_S)
        self.sock.connect(self.path)


def ask(path, page):
    """(page, status, body) of one request."""
    connection = Connection(path)
    try:
        connection.request("GET", page)
        response = connection.getresponse()
        return page, response.status, response.read()
    finally:
        connection.close()


def wait_until_it_answers(path, server, log):
    def answers():
        assert server.poll() is None, log.read_text()
        try:
            return ask(path, "/prices")
        except OSError:
            return None

    wait_until(answers)


def gunicorn(folder, *more):
    return [program("gunicorn"), "--bind", f"unix:{folder}/socket", "--pid", folder / "pid",
            "--workers", "2", "--log-level", "warning", *more, "shop:application"]


def uwsgi(folder, *more):
    return [program("uwsgi"), "--plugin", "python3", "--http-socket", folder / "socket", "--pidfile",
            folder / "pid", "--master", "--processes", "2", "--enable-threads", "--wsgi-file",
            PROGRAMS / "shop.py", "--need-app", "--die-on-term", "--disable-logging", *more]


SERVERS = {
    "gunicorn": (gunicorn, ()),
    "gunicorn threads": (gunicorn, ("--threads", "2")),
    "gunicorn gevent": (gunicorn, ("--worker-class", "gevent")),
    "uwsgi": (uwsgi, ()),
    "uwsgi threads": (uwsgi, ("--threads", "2")),
}


def serve(folder, backend, prefix, server):
    """({(page, status, body): number}, what the command said)."""
    words, more = SERVERS[server]
    folder.mkdir()
    log = folder / "log"
    with open(log, "wb") as errors:
        running = subprocess.Popen(
            [str(word) for word in [*prefix, *words(folder, *more)]], cwd=PROGRAMS,
            env=clean_environment(BACKEND=str(backend), PYTHONDONTWRITEBYTECODE="1",
                                  PATH="/usr/bin:/bin", PYTHONPATH=str(PROGRAMS)),
            stdin=subprocess.DEVNULL, stdout=errors, stderr=errors)
        try:
            wait_until_it_answers(folder / "socket", running, log)
            pages = [PATHS[number % len(PATHS)] for number in range(REQUESTS)]
            with concurrent.futures.ThreadPoolExecutor(CLIENTS) as clients:
                answers = collections.Counter(
                    clients.map(lambda page: ask(folder / "socket", page), pages))
            os.kill(int((folder / "pid").read_text()), signal.SIGTERM)
            status = running.wait(LIMIT_S)
        finally:
            if running.poll() is None:
                running.send_signal(signal.SIGTERM)
                running.wait(LIMIT_S)
    return status, answers, log.read_text()


def served_alike(plain, profiled):
    status, answers, log = profiled
    assert status == plain[0], log
    assert answers == plain[1]
    statuses = {(page, status) for page, status, _ in answers}
    assert statuses == {("/prices", 200), ("/listing", 200), ("/slow", 200), ("/asks", 200),
                        ("/fails", 500), ("/missing", 404)}


@pytest.mark.parametrize("server", SERVERS)
def test_a_django_site_answers_as_ever_and_shows_its_views(profiler, backend, server,
                                                           record_property):
    if not may_see_the_kernel():
        pytest.skip("switches may not be sampled")
    python = pythons.distributions()
    pythons.needs_module(python, "django")
    if "gevent" in server:
        pythons.needs_module(python, "gevent")
    plain = serve(profiler.folder / "plain", backend, [], server)
    profile = profiler.folder / "profile"
    profiled = serve(profiler.folder / "profiled", backend,
                     [COMMAND, "-e", "task-clock,off-cpu", "-c", "1000000", "--weight", "events",
                      "-o", profile, "--"], server)
    served_alike(plain, profiled)
    summary = SUMMARY.search(profiled[2])
    assert int(summary["processes"]) >= 3  # one that leads, two that work
    busy = Folded((profile.parent / "profile.task-clock.folded").read_text("utf-8"))
    off = Folded((profile.parent / "profile.off-cpu.folded").read_text("utf-8"))
    for names in (("prices", "compute_prices", "price_of"), ("listing", "render_list", "render")):
        assert in_order(busy, "get_response", *names) > 0, names
    if "gevent" in server:
        return  # a greenlet does not wait: the others go on, and the hub waits for all
    naps_ns = REQUESTS // len(PATHS) * NAP_NS
    slept, asked = (in_order(off, "get_response", *names) for names in
                    (("slow", "wait_a_little"), ("asks", "ask_backend")))
    record_property("milliseconds of naps, slept, asked", [ns // 1000000 for ns in
                                                           (naps_ns, slept, asked)])
    assert slept >= naps_ns * 0.95 and asked >= naps_ns * 0.95
    waits_in = re.compile(r".*(nanosleep|recv|unix_stream|schedule|poll|select).*_\[k\]")
    for name in ("wait_a_little", "ask_backend"):
        below = [frames for frames in off.stacks if name in shorts(frames)]
        assert any(waits_in.fullmatch(frame) for frames in below for frame in frames)
