"""Real caches in front of the service, from the configurations in `config/` with ports and folders put in.

`.ci/setup test` installs them; without them the tests fail, they do not skip.
"""
import hashlib
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess

import client
import support


class Cache:
    """A running cache in front of `service`; ends with the test class that it is made for."""

    program = ""

    def __init__(self, case, service):
        self.folder, self.port = support.temporary(case), support.free_port()
        if not shutil.which(self.program, path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"):
            raise AssertionError(f"{self.program} is not installed: run .ci/setup test")
        self.log_path = os.path.join(self.folder, "log")
        with open(self.log_path, "wb") as log:
            self.process = subprocess.Popen(
                self.command(service), stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
        case.addClassCleanup(self.close)
        support.eventually(self._listens, 20, f"the start of {self.program}")

    def command(self, service):
        raise NotImplementedError

    def configuration(self, name, *changes):
        """A configuration of `config/` with changes, each of which must fit exactly once."""
        text = (support.PACKAGE / "config" / name).read_text()
        for pattern, replacement in changes:
            text, count = re.subn(pattern, replacement, text, flags=re.M)
            if count != 1:
                raise AssertionError(f"{pattern!r} is {count} times in config/{name}")
        path = pathlib.Path(self.folder, name)
        path.write_text(text)
        return str(path)

    def _listens(self):
        if self.process.poll() is not None:
            raise AssertionError(f"{self.program} ended:\n{pathlib.Path(self.log_path).read_text()[-2000:]}")
        try:
            client.Connection(self.port).close()
            return True
        except OSError:
            return False

    def close(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                os.killpg(self.process.pid, signal.SIGKILL)
                self.process.wait()

    def get(self, path, method="GET", **headers):
        fields = {name.replace("_", "-"): value for name, value in headers.items()}
        return client.ask(self.port, path, method, fields)


class Varnish(Cache):
    program = "varnishd"

    def command(self, service):
        path = self.configuration(
            "varnish.vcl", (r'\.port = "8080"', f'.port = "{service.port}"'))
        return ["varnishd", "-F", "-j", "none", "-n", os.path.join(self.folder, "work"), "-f", path, "-s", "malloc,64m",
                "-a", f"127.0.0.1:{self.port}"]

    def purge(self, path, source=None):
        """The status of a PURGE, sent from the address `source`."""
        where = (source or "127.0.0.1", 0)
        with socket.create_connection(("127.0.0.1", self.port), 10, where) as connection:
            connection.sendall(f"PURGE {path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".encode())
            return int(connection.recv(4096).split(b" ")[1])


class Nginx(Cache):
    program = "nginx"

    def command(self, service):
        path = self.configuration(
            "nginx.conf", (r"^user www-data;", "user root;\ndaemon off;"), (r"worker_processes auto", "worker_processes 2"),
            (r"127\.0\.0\.1:8080", f"127.0.0.1:{service.port}"), (r"listen 80;", f"listen 127.0.0.1:{self.port};"),
            (r"^pid .*;", f"pid {self.folder}/pid;"), (r"^error_log \S+ warn;", f"error_log {self.log_path} warn;"),
            (r"/var/cache/nginx/avatars", f"{self.folder}/cache"), (r"worker_connections 8192", "worker_connections 512"))
        return ["nginx", "-c", path, "-e", self.log_path]

    def purge(self, path, source=None):
        """Asks, from the address `source`, to take the service's present answer in place of what is here; its status."""
        where = (source or "127.0.0.1", 0)
        with socket.create_connection(("127.0.0.1", self.port), 10, where) as connection:
            connection.sendall(f"GET {path} HTTP/1.1\r\nHost: a\r\nX-Purge: 1\r\nConnection: close\r\n\r\n".encode())
            with connection.makefile("rb") as stream:
                return int(stream.read().split(b" ")[1])

    def file(self, path):
        """Where the answer to a path is kept: the MD5 of its key, in folders named for its last digits."""
        name = hashlib.md5(path.encode()).hexdigest()
        return os.path.join(self.folder, "cache", name[-1], name[-3:-1], name)
