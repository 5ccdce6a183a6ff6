"""What the proofs share: the program to prove, its stage, and asking many at once over one loop."""
import argparse
import itertools
import os
import pathlib
import resource
import selectors
import socket
import sys
import time

PACKAGE = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(PACKAGE / "Tests" / "EndToEnd"))
MEBIBYTE = 1 << 20


def arguments(description, **numbers):
    """The command line: --server, and a number for each keyword with its default."""
    parser = argparse.ArgumentParser(description=description.split("\n")[0])
    parser.add_argument("--server", help="the program; else SERVER_UNDER_TEST, else .build/release/avatar-server")
    for name, default in numbers.items():
        parser.add_argument(f"--{name}", type=int, default=default, help=f"default {default}")
    options = parser.parse_args()
    if options.server:
        os.environ["SERVER_UNDER_TEST"] = os.path.abspath(options.server)
    return options


def raise_descriptors(wanted):
    """Room for so many sockets here and in what is started from here; says so and ends where the system forbids it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft >= wanted:
        return
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, max(hard, wanted)))
    except (ValueError, OSError):
        sys.exit(f"{wanted} open files are needed, the system allows {hard}: raise RLIMIT_NOFILE")


def private(pid):
    """RssAnon of a process in bytes; 0 if it has gone."""
    try:
        for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("RssAnon:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass  # Gone between the two looks.
    return 0


def percentile(values, share):
    """The value below which that share of them lies."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def hit_until(port, path, ended, told):
    """Asks for a hit again and again until `ended`; puts [(seconds, status)] into `told`. For a process of its own."""
    import client
    hits = []
    with client.Connection(port) as connection:
        while not ended.is_set():
            begun = time.monotonic()
            status = connection.ask(path).status
            hits.append((time.monotonic() - begun, status))
            time.sleep(0.005)
    told.put(hits)


class Crowd:
    """Many connections over one loop: each sends one request and waits for its answer."""

    # Each crowd has an address of its own, so that the ports of an earlier one are not looked through.
    addresses = itertools.count(1)
    BIND_ADDRESS_NO_PORT = 24  # ip(7); the port is chosen at connect, when the other end is known.

    def __init__(self, port):
        self.port, self.selector, self.begun = port, selectors.DefaultSelector(), {}
        self.answers = []  # (status, seconds, path) in the order of their coming; status 0 where there was none.
        self.first = {}

    def connect(self, count):
        """Opens so many connections."""
        sockets, address = [], f"127.0.10.{next(self.addresses)}"
        for _ in range(count):
            one = socket.socket()
            one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            one.setsockopt(socket.IPPROTO_IP, self.BIND_ADDRESS_NO_PORT, 1)
            one.bind((address, 0))
            one.connect(("127.0.0.1", self.port))
            one.setblocking(False)
            sockets.append(one)
        return sockets

    def ask(self, sockets, path):
        """Sends a request on each: `path(index)`."""
        for number, one in enumerate(sockets):
            target = path(number)
            self.begun[one] = (time.monotonic(), target)
            self.first[one] = b""
            one.send(f"GET {target} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
            self.selector.register(one, selectors.EVENT_READ)

    def wait(self, limit):
        """Reads the beginning of every answer, for so many seconds at most."""
        end = time.monotonic() + limit
        while self.begun and time.monotonic() < end:
            for key, _ in self.selector.select(0.1):
                self._read(key.fileobj)
        for one in list(self.begun):
            self._settle(one, 0)

    def _read(self, one):
        try:
            received = one.recv(65536)
        except OSError:
            received = b""
        self.first[one] += received
        if b"\r\n" in self.first[one]:
            self._settle(one, int(self.first[one].split(b" ", 2)[1]))
        elif not received:
            self._settle(one, 0)

    def _settle(self, one, status):
        begun, target = self.begun.pop(one)
        self.answers.append((status, time.monotonic() - begun, target))
        self.selector.unregister(one)
