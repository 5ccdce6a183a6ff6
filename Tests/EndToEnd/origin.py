"""An origin for tests: each page says what its test tells it to, misbehaves on demand, and remembers what it was asked."""
import email.utils
import itertools
import random
import socket
import ssl
import struct
import threading
import time
import zlib

COLOURS = {
    "red": (220, 40, 40), "green": (40, 170, 60), "blue": (50, 70, 200), "yellow": (230, 200, 40),
    "grey": (128, 128, 128), "white": (255, 255, 255), "black": (0, 0, 0),
}
QUARTERS = ("red", "green", "blue", "yellow")


def _chunk(kind, content):
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def _wrap(width, height, scan):
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", header) + _chunk(b"IDAT", scan) + _chunk(b"IEND", b"")


def _png(side, rows, height=None):
    return _wrap(side, height or side, zlib.compress(rows))


def plain(colour, side=64):
    """A PNG of one colour: a name of COLOURS or three numbers."""
    return _png(side, (b"\0" + bytes(COLOURS.get(colour, colour)) * side) * side)


def banner(colour, width, height):
    """A PNG of one colour that is no square."""
    return _png(width, (b"\0" + bytes(COLOURS[colour]) * width) * height, height)


def bomb(side):
    """A PNG of so many pixels a side in a few kilobytes, that takes its time to decode."""
    press, row = zlib.compressobj(1), b"\4" + bytes(3 * side)  # The filter that costs most.
    return _wrap(side, side, b"".join(press.compress(row) for _ in range(side)) + press.flush())


def claim(width, height):
    """A PNG whose header says so much, with nothing behind it."""
    return _wrap(width, height, zlib.compress(b"\0"))


def quarters(side=256):
    """A PNG whose quarters are red, green, blue and yellow: turned or cropped wrongly, it shows."""
    half = side // 2
    rows = [b"\0" + bytes(COLOURS[left]) * half + bytes(COLOURS[right]) * half
            for left, right in (QUARTERS[:2], QUARTERS[2:])]
    return _png(side, rows[0] * half + rows[1] * half)


def noise(seed, side=64):
    """A PNG like no other with another seed."""
    source = random.Random(seed)
    return _png(side, b"".join(b"\0" + source.randbytes(3 * side) for _ in range(side)))


class Request:
    """What the origin was asked."""

    def __init__(self, method, target, headers, peer):
        self.method, self.target, self.headers, self.peer, self.at = method, target, headers, peer, time.monotonic()


class Page:
    """What one path says. Every attribute may be changed while the service runs.

    `act`: "" says it all at once; "hang" takes the request and says nothing; "hang-body" stops after half of the body;
    "drip" sends a byte each 50 ms; "cut" closes after half of the body; "reset" closes without a word.
    """

    def __init__(self, origin, path, body, status=200, headers=None, etag=None, last_modified=None, act="", delay=0.0,
                 content_type="image/png"):
        self.origin, self.path, self.body, self.status, self.act, self.delay = origin, path, body, status, act, delay
        self.headers, self.etag, self.last_modified = dict(headers or {}), etag, last_modified
        self.content_type = content_type
        self.requests, self._seen, self._open = [], threading.Condition(), threading.Event()
        self._open.set()

    @property
    def url(self):
        return self.origin.base + self.path

    @property
    def count(self):
        """How often it was asked."""
        with self._seen:
            return len(self.requests)

    def hold(self):
        """Answers wait until `release`."""
        self._open.clear()
        return self

    def release(self):
        self._open.set()

    def wait_for(self, count, within=20):
        """Waits until it was asked `count` times."""
        with self._seen:
            if not self._seen.wait_for(lambda: len(self.requests) >= count, within):
                raise AssertionError(f"{self.path} was asked {len(self.requests)} times in {within} s, not {count}")

    def note(self, request):
        with self._seen:
            self.requests.append(request)
            self._seen.notify_all()

    def may_answer(self, ended):
        """Waits out `hold` and `delay`; false if the origin ends meanwhile."""
        while not self._open.wait(0.05):
            if ended.is_set():
                return False
        return not ended.wait(self.delay) if self.delay else True


class Origin:
    """A threaded HTTP/1.1 server on a loopback address and a port of its own; with `tls`, paths of certificate and key, HTTPS."""

    def __init__(self, host="127.0.0.1", port=0, tls=None):
        self.host = host
        self.pages, self._names = {}, itertools.count(1)
        self._ended, self._sockets, self._lock = threading.Event(), set(), threading.Lock()
        self.connections = 0
        self._listener = socket.create_server((host, port), backlog=1024)
        self.port = self._listener.getsockname()[1]
        self.base = f"{'https' if tls else 'http'}://{host}:{self.port}"
        self._tls = None
        if tls:
            self._tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self._tls.load_cert_chain(*tls)
        threading.Thread(target=self._accept, name="origin", daemon=True).start()

    def page(self, body=None, path=None, **behaviour):
        """A new page; without a body, a picture like no other."""
        number = next(self._names)
        path = path or f"/page-{number}.png"
        page = Page(self, path, noise(number * 65536 + self.port) if body is None else body, **behaviour)
        self.pages[path] = page
        return page

    def close(self):
        """No more connections, and those that are there end."""
        self._ended.set()
        # Closed alone, a socket goes on listening for as long as its thread waits in accept.
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        with self._lock:
            for open_socket in list(self._sockets):
                try:
                    open_socket.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass  # It has gone already.

    def _accept(self):
        while True:
            try:
                accepted, peer = self._listener.accept()
            except OSError:
                return  # Closed.
            with self._lock:
                self._sockets.add(accepted)
                self.connections += 1
            threading.Thread(target=self._serve, args=(accepted, peer), daemon=True).start()

    def _serve(self, accepted, peer):
        try:
            accepted.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if self._tls:
                accepted = self._tls.wrap_socket(accepted, server_side=True)
            with accepted, accepted.makefile("rb") as stream:
                while line := stream.readline(65536):
                    method, target, _ = line.decode("latin-1").split(" ", 2)
                    headers = {}
                    while (line := stream.readline(65536)) not in (b"\r\n", b""):
                        name, _, value = line.decode("latin-1").partition(":")
                        headers[name.strip().lower()] = value.strip()
                    if not self._answer(accepted, Request(method, target, headers, peer)):
                        return
        except OSError:
            pass  # The service left, as it may.
        finally:
            with self._lock:
                self._sockets.discard(accepted)

    def _answer(self, connection, request):
        """Answers one request; false to end the connection."""
        page = self.pages.get(request.target.split("?", 1)[0])
        if page is None:
            connection.sendall(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
            return True
        page.note(request)
        if not page.may_answer(self._ended):
            return False
        act, body = page.act, page.body
        if act == "reset":
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            return False
        if act == "hang":
            self._ended.wait()
            return False
        status, fields = page.status, {"Date": email.utils.formatdate(usegmt=True), **page.headers}
        if page.etag:
            fields["ETag"] = page.etag
        if page.last_modified:
            fields["Last-Modified"] = page.last_modified
        if status == 200 and self._is_same(page, request):
            status, body = 304, b""
        if status != 304:
            fields = {"Content-Type": page.content_type, "Content-Length": str(len(body)), **fields}
        head = f"HTTP/1.1 {status} Said\r\n" + "".join(f"{name}: {value}\r\n" for name, value in fields.items()) + "\r\n"
        connection.sendall(head.encode("latin-1"))
        if act in ("hang-body", "cut"):
            connection.sendall(body[: len(body) // 2])
            if act == "hang-body":
                self._ended.wait()
            return False
        if act == "drip":
            for byte in body:
                if self._ended.wait(0.05):
                    return False
                connection.sendall(bytes([byte]))
            return True
        connection.sendall(body)
        return True

    @staticmethod
    def _is_same(page, request):
        if "if-none-match" in request.headers:
            return page.etag is not None and page.etag in request.headers["if-none-match"].split(", ")
        return page.last_modified is not None and request.headers.get("if-modified-since") == page.last_modified
