"""A client that forgives nothing: raw HTTP/1.1 over a socket, and every answer held to what all answers promise."""
import hashlib
import json
import re
import socket
import time

import jpeg

TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+\Z")
# Everything that an error may be called, by status (docs/errors.md).
CODES = {
    400: {"invalid_request", "invalid_source_url", "too_many_sources"},
    401: {"unauthorized"},
    403: {"invalid_signature", "unsigned_not_allowed", "host_not_allowed", "address_not_allowed"},
    404: {"not_found", "origin_not_found"},
    405: {"method_not_allowed"},
    413: {"body_too_large"},
    414: {"uri_too_long"},
    415: {"unsupported_media_type"},
    422: {"image_unsupported", "image_corrupt", "image_too_many_pixels", "source_too_large", "source_empty"},
    500: {"internal"},
    502: {"origin_unreachable", "origin_tls_failed", "origin_status", "origin_redirect", "origin_protocol"},
    503: {"overloaded", "origin_throttled"},
    504: {"origin_timed_out", "budget_exceeded", "not_cached"},
}


class Broken(AssertionError):
    """An answer that breaks HTTP or a promise that holds for every answer."""


class Answer:
    """One answer: `status`, `headers` (names in lower case), `body`, `elapsed` seconds until its last byte."""

    def __init__(self, status, headers, body, elapsed, method="GET"):
        self.status, self.headers, self.body, self.elapsed, self.method = status, headers, body, elapsed, method

    def __repr__(self):
        shown = self.body if self.status >= 400 else f"{len(self.body)} bytes"
        return f"{self.status} {self.headers} {shown}"

    def __getitem__(self, name):
        return self.headers.get(name.lower(), "")

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def code(self):
        """The stable code of an error, else an empty text."""
        return self.json["code"] if self["content-type"] == "application/problem+json" else ""

    @property
    def cache(self):
        """Cache-Status without the cache's name."""
        name, _, rest = self["cache-status"].partition("; ")
        if self["cache-status"] and name != "avatar-server":
            raise Broken(f"Cache-Status: {self['cache-status']}")
        return rest

    @property
    def lifetimes(self):
        """The directives of Cache-Control; numbers as numbers, others as True."""
        found = {}
        for part in self["cache-control"].split(","):
            name, _, value = part.strip().partition("=")
            found[name] = int(value) if value else True
        return found

    @property
    def picture(self):
        """The decoded avatar."""
        return jpeg.read(self.body)

    @property
    def sha256(self):
        return hashlib.sha256(self.body).hexdigest()


def _judge(answer):
    """What holds for every answer, whatever was asked."""
    wrong = [name for name in ("set-cookie", "vary", "location", "transfer-encoding") if name in answer.headers]
    if answer["x-content-type-options"] != "nosniff":
        wrong.append("no X-Content-Type-Options: nosniff")
    readiness = answer.status == 503 and answer.body.startswith(b'{"degraded":')  # What /readyz says, not a problem.
    if answer.status >= 400 and not readiness:
        if answer["content-type"] != "application/problem+json":
            wrong.append(f"an error of type {answer['content-type']!r}")
        elif answer.method != "HEAD":
            problem = answer.json
            if set(problem) != {"type", "title", "status", "code"} or problem["status"] != answer.status:
                wrong.append(f"problem {problem}")
            if problem.get("code") not in CODES.get(answer.status, ()):
                wrong.append(f"code {problem.get('code')} with {answer.status}")
            if re.search(r"\d+\.\d+\.\d+\.\d+|::|/tmp|/objects", answer.body.decode()):
                wrong.append("an address or a path in the error")
        if "cache-control" not in answer.headers:
            wrong.append("an error without Cache-Control")
    if answer.status == 200 and answer["content-type"] == "image/jpeg":
        if answer.method != "HEAD":
            jpeg.check(answer.body)
            if answer["etag"] != f'"{answer.sha256}"':
                wrong.append(f"ETag {answer['etag']} of other bytes ({answer.sha256})")
    if wrong:
        raise Broken(f"{', '.join(wrong)} in {answer}")
    return answer


class Connection:
    """A connection to one side of the service. `ask` sends and reads; `send` and `read` do the halves."""

    def __init__(self, port, host="127.0.0.1", timeout=20, tls=None):
        self.host, self.port, self.timeout = host, port, timeout
        self.socket = socket.create_connection((host, port), timeout)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if tls:
            self.socket = tls.wrap_socket(self.socket, server_hostname=host)
        self.pending = b""
        self.sent_at = time.monotonic()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.socket.close()

    def ask(self, target, method="GET", headers=None, body=None):
        self.send(target, method, headers, body)
        return self.read(method)

    def send(self, target, method="GET", headers=None, body=None):
        fields = {"Host": f"{self.host}:{self.port}", **(headers or {})}
        if body is not None:
            fields.setdefault("Content-Length", str(len(body)))
        lines = [f"{method} {target} HTTP/1.1", *(f"{name}: {value}" for name, value in fields.items() if value is not None)]
        self.sent_at = time.monotonic()
        self.socket.sendall("\r\n".join(lines).encode() + b"\r\n\r\n" + (body or b""))

    def read(self, method="GET"):
        head = self._until(b"\r\n\r\n")
        status, headers = _head(head)
        body = b"" if method == "HEAD" or status == 304 else self._exactly(int(headers["content-length"]))
        return _judge(Answer(status, headers, body, time.monotonic() - self.sent_at, method))

    def read_end(self):
        """Waits for the service to close; raises if it says anything more."""
        if self.pending or (more := self.socket.recv(4096)):
            raise Broken(f"bytes behind the answer: {(self.pending or more)[:100]}")

    def _until(self, mark):
        while mark not in self.pending:
            self._more()
            if len(self.pending) > 65536:
                raise Broken("a head without end")
        head, self.pending = self.pending.split(mark, 1)
        return head

    def _exactly(self, length):
        while len(self.pending) < length:
            self._more()
        body, self.pending = self.pending[:length], self.pending[length:]
        return body

    def _more(self):
        received = self.socket.recv(65536)
        if not received:
            raise Broken(f"the connection ended in the middle of an answer, after {self.pending[:200]}")
        self.pending += received


def _head(head):
    first, *lines = head.decode("ascii").split("\r\n")
    line = re.fullmatch(r"HTTP/1\.1 (\d{3}) [ -~]*", first)
    if not line:
        raise Broken(f"status line {first!r}")
    headers = {}
    for text in lines:
        name, colon, value = text.partition(":")
        if not colon or not TOKEN.match(name) or not re.fullmatch(r" [!-~]([ -~]*[!-~])?", value):
            raise Broken(f"header line {text!r}")
        if name.lower() in headers:
            raise Broken(f"{name} twice")
        headers[name.lower()] = value[1:]
    # A 304's is the 200's, if there is one (RFC 9110, section 8.6): more than nothing.
    length = headers.get("content-length", "1" if line[1] == "304" else "")
    if not length.isdecimal() or (line[1] == "304" and length == "0"):
        raise Broken(f"Content-Length {headers.get('content-length')} in {first} {headers}")
    return int(line[1]), headers


def ask(port, target, method="GET", headers=None, body=None, **options):
    """One request on a connection of its own, which must end exactly where the answer does."""
    with Connection(port, **options) as connection:
        connection.send(target, method, {"Connection": "close", **(headers or {})}, body)
        answer = connection.read(method)
        connection.read_end()
        return answer
