"""`/openapi.json` against the running service: schemathesis looks for what is not as described, and we for what is not described."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
from urllib.parse import quote

import client
import support

TOKEN = "a-token-of-the-tests-of-openapi"
SCHEMATHESIS = "4.32.5"
EXAMPLES = 25


def schemathesis():
    """The program, in a virtual environment beside the build; installed when it is not there."""
    home = support.PACKAGE / ".build" / f"schemathesis-{SCHEMATHESIS}"
    program = home / "bin" / "schemathesis"
    if not program.exists():
        shutil.rmtree(home, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", str(home)], check=True, capture_output=True)
        done = subprocess.run([str(home / "bin/pip"), "install", "--quiet", "--disable-pip-version-check",
                               f"schemathesis=={SCHEMATHESIS}"], capture_output=True, text=True)
        if done.returncode or not program.exists():
            shutil.rmtree(home, ignore_errors=True)
            raise AssertionError(f"schemathesis cannot be installed:\n{done.stderr[-2000:]}")
    return str(program)


class OpenAPITest(support.Case):
    # Sources that the generator makes up lead nowhere: nothing but loopback is asked.
    settings = {"controlTokens": [TOKEN], "allowUnsigned": True, "fetch.allowHosts": ["127.0.0.1"],
                "fetch.totalTimeout": "1s"}

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.document = client.ask(cls.service.control, "/openapi.json").json

    def probe(self, port, paths, *options):
        home = support.temporary(self)
        pathlib.Path(home, "openapi.json").write_text(json.dumps(self.document))
        # It sends a body along with a GET where only POST is declared; that is refused as smuggling, with 400 and not 405.
        pathlib.Path(home, "schemathesis.toml").write_text(
            '[phases.coverage]\nunexpected-methods = ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"]\n')
        for _ in range(3):
            done = subprocess.run(
                [schemathesis(), "run", "--url", f"http://127.0.0.1:{port}", "--include-path-regex", paths, "--max-examples",
                 str(EXAMPLES), "--seed", "1", "--request-timeout", "10", *options, "openapi.json"],
                cwd=home, env={**os.environ, "NO_COLOR": "1", "no_proxy": "127.0.0.1"}, capture_output=True, text=True,
                timeout=300)
            # Python 3.11 loses count of its parser's depth when another thread parses as well (CPython issue 106905): the tool's own
            # end, which says nothing of us.
            if "AST constructor recursion depth mismatch" not in done.stdout:
                break
        self.assertEqual(0, done.returncode, done.stdout[-6000:] + done.stderr[-2000:])
        self.assertRegex(done.stdout, r"\d+ generated, \d+ passed")
        self.assertIsNone(self.service.process.poll())

    def test_schemathesis_finds_nothing_on_the_control_side(self):
        # A schema cannot say all of what a source URL may not be: some that fit it are refused, with the right error.
        self.probe(self.service.control, "^/(v1/|metrics|readyz|healthz|openapi|$)", "-H", f"Authorization: Bearer {TOKEN}",
                   "--exclude-checks", "positive_data_acceptance")

    def test_schemathesis_finds_nothing_on_the_public_side(self):
        # An origin's faults are answered with 502 and 504, which is what is promised.
        self.probe(self.service.port, "^/(avatar|o/|healthz)", "--exclude-checks",
                   "positive_data_acceptance,not_a_server_error")

    def test_what_takes_only_posts_says_so(self):
        for path in ("/v1/prefetch", "/v1/notifications", "/v1/purge"):
            for method in ("GET", "HEAD", "PUT", "OPTIONS"):
                answer = self.call(path, method=method)
                self.assertEqual((405, "POST"), (answer.status, answer["allow"]), f"{method} {path}")
        for path in ("/", "/metrics", "/v1/stats", "/healthz", "/readyz", "/openapi.json"):
            for method in ("POST", "DELETE"):
                answer = self.call(path, {} if method == "POST" else None, method)
                self.assertEqual((405, "GET, HEAD"), (answer.status, answer["allow"]), f"{method} {path}")

    def call(self, path, body=None, method="GET"):
        return self.service.call(path, body, method, {"Authorization": f"Bearer {TOKEN}"})

    def schema(self, node):
        while "$ref" in node:
            node = self.document["components"]["schemas"][node["$ref"].rsplit("/", 1)[1]]
        return node

    def undescribed(self, value, node, place=""):
        """The members of a value that its schema does not name."""
        node = self.schema(node)
        parts = [self.schema(part) for part in node.get("allOf", [])] + [node]
        if isinstance(value, list):
            items = next((part["items"] for part in parts if "items" in part), None)
            return [found for item in value for found in self.undescribed(item, items, place + "[]")] if items else []
        if not isinstance(value, dict):
            return []
        known = {name: inner for part in parts for name, inner in part.get("properties", {}).items()}
        other = next((part["additionalProperties"] for part in parts if "additionalProperties" in part), None)
        if not known and other is None:
            return []  # Any JSON value.
        found = []
        for name, inner in value.items():
            if name in known or other is not None:
                found += self.undescribed(inner, known.get(name, other), f"{place}.{name}")
            else:
                found.append(f"{place}.{name}")
        return found

    def test_no_answer_says_what_is_not_described(self):
        page, bad = self.origin.page(headers={"Cache-Control": "max-age=60"}), self.origin.page(b"none")
        payload = {"aps": {"alert": "hi"}, "type": "chat_message", "sender_image": page.url, "sender_name": "Ada"}
        answers = [
            ("PrefetchAnswer", self.call("/v1/prefetch", {"urls": [page.url, bad.url, "x:"], "wait": "2s"}, "POST")),
            ("PrefetchAnswer", self.call("/v1/prefetch", {"urls": [self.origin.page(act="hang").url]}, "POST")),
            ("NotificationsAnswer", self.call("/v1/notifications", {"payload": payload, "wait": "2s"}, "POST")),
            ("Inspection", self.call(f"/v1/inspect?src={quote(page.url, safe='')}")),
            ("Inspection", self.call(f"/v1/inspect?src={quote(page.url, safe='')}", {}, "POST")),
            ("Inspection", self.call(f"/v1/inspect?src={quote(bad.url, safe='')}")),
            ("Inspection", self.call("/v1/inspect?src=http%3A%2F%2F127.0.0.1%3A1%2F")),
            ("Stats", self.call("/v1/stats")),
            ("PurgeAnswer", self.call("/v1/purge", {"sources": [page.url]}, "POST")),
            ("Readiness", self.call("/readyz")),
            ("Problem", self.call("/v1/nothing")),
        ]
        for name, answer in answers:
            with self.subTest(schema=name):
                self.assertIn("json", answer["content-type"])
                self.assertEqual([], self.undescribed(answer.json, self.document["components"]["schemas"][name]), answer.json)

    def test_every_route_and_every_code_is_there(self):
        described = {(method, path) for path, item in self.document["paths"].items() for method in item if method in ("get", "post")}
        self.assertEqual({
            ("post", "/v1/prefetch"), ("post", "/v1/notifications"), ("post", "/v1/purge"), ("get", "/v1/inspect"),
            ("post", "/v1/inspect"), ("get", "/v1/stats"), ("get", "/metrics"), ("get", "/healthz"), ("get", "/readyz"),
            ("get", "/"), ("get", "/openapi.json"), ("get", "/avatar/{signature}/{sources}.jpg"), ("get", "/avatar"),
            ("get", "/o/{sha256}.jpg")}, described)
        for method, path in described:
            if path.startswith("/v1/"):  # Nobody without a token gets in, whatever is asked.
                answer = self.service.call(path, {} if method == "post" else None, method.upper())
                self.assert_problem(answer, 401, "unauthorized")
        codes = {code for codes in client.CODES.values() for code in codes}
        self.assertEqual(codes, set(self.document["components"]["schemas"]["Problem"]["properties"]["code"]["enum"]))
        told = {}
        for item in self.document["paths"].values():
            for operation in (item[m] for m in ("get", "post") if m in item):
                for status, response in operation["responses"].items():
                    problem = response.get("content", {}).get("application/problem+json")
                    if problem:
                        own = problem["schema"]["allOf"][1]["properties"]["code"]["enum"]
                        told.setdefault(int(status), set()).update(own)
        self.assertEqual(client.CODES, told)
