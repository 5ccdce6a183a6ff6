"""A headless Chromium, driven over the WebDriver protocol (W3C) that chromedriver speaks. Standard library only."""
import base64
import contextlib
import json
import os
import shutil
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

from support import eventually, free_port

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
TAB, ENTER, SPACE = "\ue004", "\ue007", " "


class Browser:
    """One browser with a profile of its own. `hosts` maps names to addresses, past any resolver."""

    def __init__(self, hosts=None, arguments=()):
        driver, chromium = shutil.which("chromedriver"), shutil.which("chromium")
        if not driver or not chromium:
            raise AssertionError("chromium and chromium-driver are needed: .ci/setup test installs them")
        self.profile = tempfile.mkdtemp(prefix="avatar-test-browser-")
        port = free_port()
        self.base = f"http://127.0.0.1:{port}"
        self._driver = subprocess.Popen(
            [driver, f"--port={port}", "--silent"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, start_new_session=True)
        self.session = None
        try:
            eventually(self._is_up, 30, "chromedriver's start")
            rules = ",".join(f"MAP {name} {address}" for name, address in (hosts or {}).items())
            options = {
                "binary": chromium,
                "args": ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--mute-audio",
                         "--no-first-run", "--disable-background-networking", "--disable-component-update",
                         "--disable-sync", f"--user-data-dir={self.profile}", "--no-proxy-server",
                         *([f"--host-resolver-rules={rules}"] if rules else []), *arguments],
            }
            wanted = {"browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
            made = self._call("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
            self.session = made["sessionId"]
        except BaseException:
            self.close()
            raise

    def close(self):
        if self.session:
            with contextlib.suppress(OSError, AssertionError):
                self._call("DELETE", f"/session/{self.session}")
        self._driver.terminate()
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._driver.pid, 9)  # The browser, where the driver has left it behind.
        self._driver.wait()
        shutil.rmtree(self.profile, ignore_errors=True)

    def _is_up(self):
        try:
            return self._call("GET", "/status")["ready"]
        except OSError:
            return False  # Not listening yet.

    def _call(self, method, path, body=None):
        content = None if method != "POST" else json.dumps(body or {}).encode()
        request = urllib.request.Request(self.base + path, content, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=60) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{method} {path}: {json.load(error)['value']['message'][:500]}") from None

    def _ask(self, method, path, body=None):
        return self._call(method, f"/session/{self.session}{path}", body)

    def open(self, url):
        self._ask("POST", "/url", {"url": url})

    def run(self, script, *arguments):
        """The value of a function body."""
        return self._ask("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def run_async(self, script, *arguments):
        """The value with which a function body calls its last argument."""
        return self._ask("POST", "/execute/async", {"script": script, "args": list(arguments)})

    def text(self, selector):
        """What a person reads in the element."""
        return self.run("const e = document.querySelector(arguments[0]); return e ? e.innerText : null;", selector)

    def shows(self, selector):
        return self.run(
            "const e = document.querySelector(arguments[0]); return !!e && e.getClientRects().length > 0;", selector)

    def until(self, question, what="it", within=20):
        return eventually(question, within, what)

    def element(self, selector):
        return self._ask("POST", "/element", {"using": "css selector", "value": selector})[ELEMENT]

    def click(self, selector):
        self._ask("POST", f"/element/{self.element(selector)}/click")

    def type(self, selector, text):
        """Replaces what a field holds."""
        element = self.element(selector)
        self._ask("POST", f"/element/{element}/clear")
        self._ask("POST", f"/element/{element}/value", {"text": text})

    def press(self, keys):
        """Keys for whatever has the focus."""
        actions = [step for key in keys for step in ({"type": "keyDown", "value": key}, {"type": "keyUp", "value": key})]
        self._ask("POST", "/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": actions}]})

    def console(self):
        """What was written to the console since the last call."""
        return self._ask("POST", "/se/log", {"type": "browser"})

    def look(self, width=1100, height=1500, dark=False):
        """Sets the size of what is seen, and the colour scheme."""
        self._devtools("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                       mobile=width < 600)
        self._devtools("Emulation.setEmulatedMedia",
                       features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def screenshot(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self._ask("GET", "/screenshot")))

    def _devtools(self, command, **parameters):
        return self._ask("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})
