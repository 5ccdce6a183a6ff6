"""Our own reading of damaged JPEGs beside the library's, under sanitizers: a part of what `make jpeg-sanitize` does."""
import re
import subprocess
import unittest

from support import PACKAGE


class Sanitized(unittest.TestCase):
    def test_damaged_jpegs_are_read_as_the_library_reads_them(self):
        done = subprocess.run(
            ["make", "jpeg-sanitize", "ROUNDS=300"], cwd=PACKAGE, capture_output=True, text=True, timeout=300)
        self.assertEqual(0, done.returncode, done.stdout + done.stderr)
        found = re.search(r"(\d+) read alike, (\d+) left to the library, (\d+) different", done.stdout)
        self.assertIsNotNone(found, done.stdout)
        alike, again, different = map(int, found.groups())
        self.assertTrue(alike > 1000 and again > 1000 and different == 0, found.group())
