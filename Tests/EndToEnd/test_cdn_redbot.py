"""What REDbot, the HTTP linter, says about our answers: nothing bad, and no warning but one that is ours on purpose."""
import json
import subprocess
import sys
import unittest

import support

VERSIONS = ("redbot==2.7.1", "httplint==2026.10.4")
# `public` is spelled out on purpose: it keeps shared caches storing where a client's request carries Authorization.
ON_PURPOSE = {"STORE_PUBLIC_UNNECESSARY"}
# Beside the build, so that it is fetched once.
FOLDER = support.PACKAGE / ".build" / "-".join(VERSIONS).replace("==", "-")
# With enable_local_access, as its command line has it: everything here is on loopback.
PROGRAM = """
import json, sys
from configparser import ConfigParser
import thor
from redbot.resource import HttpResource

parser = ConfigParser()
parser.read_dict({"redbot": {"enable_local_access": "True"}})
resource = HttpResource(parser["redbot"])
resource.set_request(sys.argv[1], method=sys.argv[2], headers=json.loads(sys.argv[3]))
thor.events.on(resource, "check_done")(thor.stop)
resource.check()
thor.run()
print(json.dumps({
    "status": resource.response.status_code, "error": str(resource.fetch_error or ""),
    "checks": {name: check.response.status_code for name, check in resource.subreqs.items() if check.has_response},
    "notes": [[note.level.value, type(note).__name__, note.summary] for note in resource.response.notes]}))
"""


class Redbot(support.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if not (FOLDER / "redbot").is_dir():
            pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--target", str(FOLDER)]
            done = subprocess.run([*pip, *VERSIONS], capture_output=True, text=True, timeout=300)
            if done.returncode != 0:
                raise AssertionError(f"{' '.join(VERSIONS)} cannot be installed from PyPI:\n{done.stderr[-2000:]}")
        cls.page = cls.origin.page(headers={"Cache-Control": "max-age=600"}, etag='"one"')
        cls.first = cls.service.get(cls.page.url)

    def judge(self, path, method="GET", headers=()):
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, f"http://127.0.0.1:{self.service.port}{path}", method, json.dumps(headers)],
            env={"PYTHONPATH": str(FOLDER), "PATH": "/usr/bin:/bin"}, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_it_finds_nothing_wrong_with_our_answers(self):
        path, etag = self.service.path(self.page.url), self.first["etag"]
        missing = self.service.path(self.origin.page(status=404).url)
        cases = [
            ("hit", path, "GET", [], 200),
            ("miss", self.service.path(self.origin.page().url), "GET", [], 200),
            ("not modified", path, "GET", [("If-None-Match", etag)], 304),
            ("not modified since", path, "GET", [("If-Modified-Since", self.first["last-modified"])], 304),
            ("head", path, "HEAD", [], 200),
            ("for good", f"{path}?v={etag[1:17]}", "GET", [], 200),
            ("object", f"/o/{self.first.sha256}.jpg", "GET", [], 200),
            ("chain", self.service.path(self.origin.page(status=404).url, self.page.url), "GET", [], 200),
            ("not to be kept", self.service.path(self.origin.page(headers={"Cache-Control": "no-store"}).url), "GET", [], 200),
            ("remembered failure", missing, "GET", [], 404),
            ("no such path", "/nowhere", "GET", [], 404),
            ("unsigned refused", f"/avatar/{'A' * 22}/{support.segment(self.page.url)}.jpg", "GET", [], 403),
            ("method", path, "DELETE", [], 405),
            ("health", "/healthz", "GET", [], 200),
        ]
        for name, target, method, headers, status in cases:
            with self.subTest(name):
                found = self.judge(target, method, headers)
                self.assertEqual((found["status"], found["error"]), (status, ""), found)
                self.assertGreater(len(found["notes"]), 1, "it has not looked")
                wrong = [
                    note for note in found["notes"] if note[0] in ("bad", "warning") and note[1] not in ON_PURPOSE
                ]
                self.assertEqual(wrong, [])

    def test_its_own_conditional_requests_are_answered_by_304(self):
        found = self.judge(self.service.path(self.page.url))
        names = {note[1] for note in found["notes"]}
        self.assertTrue({"INM_304", "IMS_304"} <= names, found)

    def test_it_does_find_what_is_wrong(self):
        """The bad sample: an answer of the origin that breaks the rules."""
        bad = self.origin.page(headers={"Last-Modified": "yesterday", "Content-Length": "7"})
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, bad.url, "GET", "[]"], env={"PYTHONPATH": str(FOLDER), "PATH": "/usr/bin:/bin"},
            capture_output=True, text=True, timeout=60)
        self.assertIn("bad", {note[0] for note in json.loads(done.stdout)["notes"]}, done)


if __name__ == "__main__":
    unittest.main()
