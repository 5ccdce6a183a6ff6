"""The stage of the tests from outside: the service on free loopback ports, with a cache and a configuration of its own.

The program under test is `.build/release/avatar-server` of this package, or what SERVER_UNDER_TEST names. Everything
that a test starts ends with it. Standard library only.
"""
import contextlib
import concurrent.futures
import glob
import json
import os
import pathlib
import random
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import unittest
from base64 import urlsafe_b64encode
from urllib.parse import quote, urlsplit

import client
from origin import Origin

PACKAGE = pathlib.Path(__file__).resolve().parents[2]
SERVER = os.path.abspath(os.environ.get("SERVER_UNDER_TEST") or PACKAGE / ".build/release/avatar-server")
REQUEST_BUDGET = 4.0
# What a loaded machine may add to a budget: seconds until a client is scheduled and has read.
TOLERANCE = 1.0
START_LIMIT = 30


# Below those that Linux gives to clients by itself (ip_local_port_range), so that no connection takes one between its
# choice and its use. In an order of this process's own.
_PORTS = iter(random.SystemRandom().sample(range(10_000, 32_768), 22_768))


def free_port():
    """A port that nobody has at the moment; never the same twice, as two are often chosen before either is bound."""
    for port in _PORTS:
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # As servers do: old connections do not count.
            probe.bind(("127.0.0.1", port))
            return port
    raise AssertionError("no port is left")


def eventually(question, within=20, what="it"):
    """Asks until the answer is true; returns it. For what has no event to wait for."""
    end = time.monotonic() + within
    while True:
        answer = question()
        if answer:
            return answer
        if time.monotonic() > end:
            raise AssertionError(f"{what} did not come true within {within} s; the last answer was {answer!r}")
        time.sleep(0.02)


def at_once(count, work):
    """Runs `work(index)` on so many threads at once; the results in order."""
    with concurrent.futures.ThreadPoolExecutor(count) as pool:
        return list(pool.map(work, range(count)))


def temporary(case):
    """A folder that goes with the test or, given a class, with the class."""
    folder = tempfile.mkdtemp(prefix="avatar-test-")
    (case.addClassCleanup if isinstance(case, type) else case.addCleanup)(shutil.rmtree, folder, ignore_errors=True)
    return folder


def segment(*sources, fit=None):
    """The path segment of an avatar URL: unpadded base64url of the sources' lines."""
    lines = ([f"fit={fit}"] if fit else []) + list(sources)
    return urlsafe_b64encode("\n".join(lines).encode()).decode().rstrip("=")


def local(url):
    """Path and query of a URL that was handed out."""
    parts = urlsplit(url)
    return parts.path + (f"?{parts.query}" if parts.query else "")


def environment(extra=None):
    """The environment without any setting of the service, and with `extra`."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("AVATAR_")}
    return {**kept, **(extra or {})}


def command(*arguments, text=None, env=None, cwd=None, timeout=60):
    """Runs the program to its end: exit status, standard output, standard error."""
    done = subprocess.run(
        [SERVER, *arguments], input=text, capture_output=True, text=True, env=environment(env), cwd=cwd, timeout=timeout)
    return done


class Service:
    """One running `avatar-server serve`. `config` takes dotted keys over defaults that suit tests."""

    def __init__(self, config=None, directory=None, env=None, ready=True, home=None):
        self.home = home or tempfile.mkdtemp(prefix="avatar-test-")
        self.cache = directory or os.path.join(self.home, "cache")
        self.port, self.control = free_port(), free_port()
        self.config_file, self.log_file = os.path.join(self.home, "config.json5"), os.path.join(self.home, "log")
        self.env, self.process = env, None
        self.settings = {
            "listen": f"127.0.0.1:{self.port}", "controlListen": f"127.0.0.1:{self.control}",
            "cache.directory": self.cache, "fetch.allowAddresses": ["127.0.0.0/8"], "freshness.minimum": "1s",
            "fetch.totalTimeout": "3s",
            # One origin plays many hosts here: the failures of one test are not to shut out the next.
            "breaker.failures": 1000, "fetch.perHostConcurrency": 64, "log.format": "json", **(config or {}),
        }
        self.write_config()
        try:
            self.start(ready)
        except BaseException:
            self.close()
            raise

    def write_config(self, **changes):
        """Writes the settings out as a file; keyword arguments with `__` for a dot change some first."""
        self.settings |= {name.replace("__", "."): value for name, value in changes.items()}
        tree = {}
        for key, value in self.settings.items():
            *groups, last = key.split(".")
            place = tree
            for group in groups:
                place = place.setdefault(group, {})
            place[last] = value
        pathlib.Path(self.config_file).write_text(json.dumps(tree, indent=1))

    def start(self, ready=True):
        if not os.path.exists(SERVER):
            raise AssertionError(f"there is no {SERVER}: build it, or name another in SERVER_UNDER_TEST")
        with open(self.log_file, "ab") as log:
            self.process = subprocess.Popen(
                [SERVER, "serve", "--config", self.config_file], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                env=environment(self.env), cwd=self.home, start_new_session=True)
        eventually(lambda: self._answers("/readyz" if ready else "/healthz"), START_LIMIT, "the start")

    def _answers(self, path):
        if self.process.poll() is not None:
            raise AssertionError(f"the service ended with {self.process.returncode}:\n{self.log[-2000:]}")
        try:
            return client.ask(self.control, path).status == 200
        except OSError:
            return False  # Not listening yet.

    def stop(self, within=REQUEST_BUDGET + 4):
        """SIGTERM; must end with exit 0."""
        self.process.send_signal(signal.SIGTERM)
        self.wait(within)

    def wait(self, within):
        try:
            status = self.process.wait(within)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"still there {within} s after SIGTERM:\n{self.log[-2000:]}") from None
        if status != 0:
            raise AssertionError(f"exit {status} after SIGTERM:\n{self.log[-2000:]}")

    def restart(self):
        self.stop()
        self.start()

    def kill(self):
        """SIGKILL, to the server alone; its workers have to notice."""
        self.process.kill()
        self.process.wait()

    def close(self, keep=False):
        """Ends what still runs, and removes its files."""
        if self.process:
            self.process.kill()
            self.process.wait()
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)  # Its workers, if it left any.
        if not keep:
            shutil.rmtree(self.home, ignore_errors=True)

    # What it says

    @property
    def log(self):
        return pathlib.Path(self.log_file).read_text(errors="replace")

    def events(self, name, **fields):
        """The log's lines of one event with these fields, so far: lines are written a moment after what they tell of."""
        lines = [json.loads(line) for line in self.log.splitlines() if line.startswith("{")]
        return [line for line in lines if line["event"] == name and fields.items() <= line.items()]

    def logged(self, name, count=1, **fields):
        """Waits until the log has so many such lines; returns all it has."""
        return eventually(lambda: len(lines := self.events(name, **fields)) >= count and lines,
                          what=f"{count} of {name} {fields} in the log")

    def reload(self, event="reloaded"):
        """Has the configuration read anew and waits for the line that tells how it went."""
        count = len(self.events(event))
        self.process.send_signal(signal.SIGHUP)
        self.logged(event, count + 1)

    def metric(self, name, **labels):
        """The sum of a metric's samples with these labels."""
        total = 0.0
        for line in client.ask(self.control, "/metrics").body.decode().splitlines():
            found = re.fullmatch(r"(\w+)(?:\{(.*)\})? (\S+)", line)
            if found and found[1] == name and all(f'{key}="{value}"' in (found[2] or "") for key, value in labels.items()):
                total += float(found[3])
        return total

    @property
    def workers(self):
        """The ids of its worker processes."""
        found = []
        for path in glob.glob(f"/proc/{self.process.pid}/task/*/children"):
            with contextlib.suppress(OSError):
                found += [int(word) for word in pathlib.Path(path).read_text().split()]
        return sorted(found)

    def objects(self):
        """The files of objects in its cache: hash -> path."""
        return {path.stem: path for path in pathlib.Path(self.cache, "objects").rglob("*.jpg")}

    # Asking

    def path(self, *sources, fit=None):
        """The unsigned avatar path of sources."""
        return f"/avatar/unsigned/{segment(*sources, fit=fit)}.jpg"

    def get(self, *sources, fit=None, method="GET", **headers):
        """An avatar; keyword arguments are header fields, with `_` for a hyphen."""
        fields = {name.replace("_", "-"): value for name, value in headers.items()}
        return client.ask(self.port, self.path(*sources, fit=fit), method, fields)

    def by_query(self, *sources, **headers):
        query = "&".join("src=" + quote(source, safe="") for source in sources)
        return client.ask(self.port, f"/avatar?{query}", headers={n.replace("_", "-"): v for n, v in headers.items()})

    def call(self, path, body=None, method="POST", headers=None):
        """The control side, with a JSON body."""
        fields = dict(headers or {})
        content = None
        if body is not None:
            fields = {"Content-Type": "application/json", **fields}
            content = body if isinstance(body, bytes) else json.dumps(body).encode()
        return client.ask(self.control, path, method, fields, content)

    def command(self, *arguments, **options):
        """A command of the program on the same configuration."""
        return command(*arguments, "--config", self.config_file, cwd=self.home, **options)


class Case(unittest.TestCase):
    """A test with an origin, and a service for the whole class: `settings` on top of the stage's own."""

    settings: dict = {}
    service: Service
    origin: Origin

    @classmethod
    def setUpClass(cls):
        cls.origin = Origin()
        cls.addClassCleanup(cls.origin.close)
        cls.service = cls.start(cls.settings)

    @classmethod
    def start(cls, config=None, **options):
        """Another service, which ends with the class."""
        service = Service(config, **options)
        cls.addClassCleanup(service.close)
        return service

    def run(self, result=None):
        """Shows the end of the service's log with each failure."""
        before = len(result.failures) + len(result.errors) if result else 0
        done = super().run(result)
        service = getattr(self, "service", None)
        if result and service and len(result.failures) + len(result.errors) > before and os.path.exists(service.log_file):
            print(f"\n--- log of the service at the end of {self.id()}\n{service.log[-3000:]}", flush=True)
        return done

    def assert_colour(self, answer, colour, tolerance=12):
        """The avatar is of one colour."""
        from origin import COLOURS
        want, got = COLOURS.get(colour, colour), answer.picture.mean()
        self.assertTrue(all(abs(a - b) <= tolerance for a, b in zip(want, got)), f"mean {got}, want {colour} {want}")

    def assert_problem(self, answer, status, code):
        self.assertEqual((answer.status, answer.code), (status, code), f"{answer}")
