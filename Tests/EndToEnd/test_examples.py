"""The clients of docs/examples.md, run as they stand in it."""
import os
import pathlib
import re
import shutil
import subprocess
from urllib.parse import urlsplit

import client
import support

TOKEN = "a-token-of-the-tests-of-the-examples"
# How each language's example is run: the file's name, what must be on the machine, the commands.
RUNS = {
    "sh": ("example.sh", "curl", [["bash", "example.sh"]]),
    "python": ("example.py", "python3", [["python3", "example.py"]]),
    "js": ("example.mjs", "node", [["node", "example.mjs"]]),
    "swift": ("main.swift", "swiftc", [["swiftc", "-swift-version", "6", "-o", "example", "main.swift"], ["./example"]]),
    "go": ("example.go", "go", [["go", "run", "example.go"]]),
}
# Those that every machine of ours has; without one of the others the test says so.
CERTAIN = {"sh", "python", "swift"}


class ExampleTest(support.Case):
    settings = {"controlTokens": [TOKEN]}

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        text = (support.PACKAGE / "docs/examples.md").read_text()
        cls.examples = dict(re.findall(r"^```(\w+)\n(.*?)^```$", text, re.M | re.S))

    def run_example(self, language, source, token=TOKEN):
        name, tool, commands = RUNS[language]
        if not shutil.which(tool):
            self.assertNotIn(language, CERTAIN, f"{tool} is missing")
            self.skipTest(f"{tool} is not on this machine")
        home = support.temporary(self)
        pathlib.Path(home, name).write_text(self.examples[language])
        environment = support.environment()
        environment |= {"HOME": os.environ.get("HOME", home), "AVATAR_CONTROL": f"http://127.0.0.1:{self.service.control}",
                        "AVATAR_TOKEN": token, "AVATAR_SOURCE": source, "NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1"}
        for command in commands:
            done = subprocess.run(command, cwd=home, env=environment, capture_output=True, text=True, timeout=240)
            if done.returncode:
                break
        return done

    def check(self, language):
        page = self.origin.page()
        done = self.run_example(language, page.url)
        self.assertEqual((0, ""), (done.returncode, done.stderr))
        url = urlsplit(done.stdout.strip())
        avatar = client.ask(url.port, support.local(done.stdout.strip()))
        self.assertEqual((200, 256, 256), (avatar.status, avatar.picture.width, avatar.picture.height))
        self.assertEqual(1, page.count)

    def test_every_language_has_one(self):
        self.assertEqual(set(RUNS), set(self.examples))

    def test_curl(self):
        self.check("sh")
        done = self.run_example("sh", self.origin.page().url, token="wrong")
        self.assertEqual("", done.stdout)

    def test_python(self):
        self.check("python")
        done = self.run_example("python", self.origin.page(b"", status=404).url)
        self.assertEqual((1, "no avatar: origin_not_found\n"), (done.returncode, done.stderr))

    def test_node(self):
        self.check("js")
        done = self.run_example("js", self.origin.page(b"", status=404).url)
        self.assertIn("no avatar: origin_not_found", done.stderr)

    def test_swift(self):
        self.check("swift")

    def test_go(self):
        self.check("go")
