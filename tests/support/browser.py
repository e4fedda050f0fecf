"""A headless Chromium, driven by chromedriver with what Python brings along.

Only what a user can do and see: open, click, type, resize, go back, look.
"""

import base64
import json
import os
import re
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

HANG_S = 600  # against a hang; nothing passes or fails by being fast
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
KEYS = {"Control": "\ue009", "Shift": "\ue008", "Escape": "\ue00c", "Enter": "\ue007",
        "Up": "\ue013", "Down": "\ue015", "Left": "\ue012", "Right": "\ue014", "F3": "\ue033",
        "Tab": "\ue004"}
DECODE = """
    const [png, done] = arguments, image = new Image();
    image.onload = () => {
        const canvas = document.createElementNS('http://www.w3.org/1999/xhtml', 'canvas');
        [canvas.width, canvas.height] = [image.width, image.height];
        const context = canvas.getContext('2d');
        context.drawImage(image, 0, 0);
        const { data } = context.getImageData(0, 0, image.width, image.height);
        let text = '';
        for (let at = 0; at < data.length; at += 8192)
            text += String.fromCharCode(...data.subarray(at, at + 8192));
        done([image.width, btoa(text)]);
    };
    image.src = 'data:image/png;base64,' + png;
"""


def chromium():
    return shutil.which("chromium") or shutil.which("chromium-browser") or \
        shutil.which("google-chrome")


def missing():
    """Why there is no browser here, or None."""
    for name, path in (("chromium", chromium()), ("chromedriver", shutil.which("chromedriver"))):
        if not path:
            return f"{name} is not installed"
    try:
        socket.getaddrinfo("localhost", None)
    except OSError:
        return "localhost has no address here, by which chromedriver finds its browser"
    return None


class Browser:
    def __init__(self, width=1200, height=800):
        # The path of a socket is short, whatever TMPDIR is.
        self.profile = tempfile.TemporaryDirectory(dir="/tmp", ignore_cleanup_errors=True)
        self.driver = subprocess.Popen(
            ["chromedriver", "--port=0"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, env=dict(os.environ, TMPDIR=self.profile.name))
        self.base = f"http://127.0.0.1:{self.port()}"
        self.session = ""
        try:
            self.until(lambda: self.call("GET", "/status")["ready"], OSError)
            self.session = "/session/" + self.open_session()["sessionId"]
            self.resize(width, height)
        except BaseException:
            self.close()
            raise

    def port(self):
        """The one that it found free and says."""
        for line in self.driver.stdout:
            found = re.search(rb"started successfully on port (\d+)", line)
            if found:
                return int(found[1])
        self.driver.wait()
        self.profile.cleanup()
        raise AssertionError("chromedriver did not start")

    def open_session(self):
        arguments = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic",
                     "--no-first-run", "--disable-background-networking",
                     "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
                     "--hide-scrollbars", "--force-device-scale-factor=1",
                     f"--user-data-dir={self.profile.name}"]
        return self.call("POST", "/session", {"capabilities": {"alwaysMatch": {
            "browserName": "chrome",
            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
            "goog:chromeOptions": {"binary": chromium(), "args": arguments}}}})

    def close(self):
        try:
            if self.session:
                self.call("DELETE", "")
        finally:
            self.driver.terminate()
            self.driver.wait()
            self.driver.stdout.close()
            self.profile.cleanup()

    def until(self, question, *ignored):
        """The first answer that is not empty; what is asked may not be there yet."""
        deadline = time.monotonic() + HANG_S
        while True:
            try:
                answer = question()
                if answer:
                    return answer
            except ignored:
                pass
            if time.monotonic() > deadline:
                raise TimeoutError("the browser hangs, or this never becomes true")
            time.sleep(0.02)

    def call(self, method, path, body=None):
        data = None if body is None and method != "POST" else json.dumps(body or {}).encode()
        request = urllib.request.Request(
            self.base + self.session + path, method=method, data=data,
            headers={"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=HANG_S) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{path}: {error.read().decode()[:2000]}") from None

    def cdp(self, command, **parameters):
        return self.call("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def open(self, url):
        self.call("POST", "/url", {"url": "about:blank"})
        self.call("POST", "/url", {"url": str(url)})

    def js(self, script, *arguments):
        return self.call("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def resize(self, width, height):
        self.cdp("Emulation.setDeviceMetricsOverride", width=width, height=height,
                 deviceScaleFactor=1, mobile=False)

    def scheme(self, name):
        self.cdp("Emulation.setEmulatedMedia",
                 features=[{"name": "prefers-color-scheme", "value": name}])

    def mouse(self, element, *then):
        self.call("POST", "/actions", {"actions": [{
            "type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"},
            "actions": [{"type": "pointerMove", "duration": 0, "x": 0, "y": 0,
                         "origin": {ELEMENT: element}}, *then]}]})

    def hover(self, element):
        self.mouse(element)

    def click(self, element):
        self.mouse(element, {"type": "pointerDown", "button": 0},
                   {"type": "pointerUp", "button": 0})

    def keys(self, *names):
        """Press all together, in order, then let go."""
        values = [KEYS.get(name, name) for name in names]
        self.call("POST", "/actions", {"actions": [{
            "type": "key", "id": "keyboard",
            "actions": [{"type": "keyDown", "value": value} for value in values] +
                       [{"type": "keyUp", "value": value} for value in reversed(values)]}]})

    def type(self, text):
        for character in text:
            self.keys(character)

    def find(self, css):
        return self.call("POST", "/element", {"using": "css selector", "value": css})[ELEMENT]

    def errors(self):
        """What the console holds since it was last asked."""
        log = self.call("POST", "/se/log", {"type": "browser"})
        return [entry["message"] for entry in log]

    def requests(self):
        """URLs asked for since it was last asked."""
        urls = []
        for entry in self.call("POST", "/se/log", {"type": "performance"}):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                urls.append(message["params"]["request"]["url"])
        return urls

    def pixels(self):
        return self.decoded(self.call("GET", "/screenshot"))

    def decoded(self, png):
        """Rows of (red, green, blue) of a picture, in base64, as the browser decodes it."""
        width, text = self.call("POST", "/execute/async", {"script": DECODE, "args": [png]})
        data = base64.b64decode(text)
        colours = list(zip(data[::4], data[1::4], data[2::4]))
        return [colours[at:at + width] for at in range(0, len(colours), width)]
