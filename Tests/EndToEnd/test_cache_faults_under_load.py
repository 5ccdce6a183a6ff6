"""Short, seeded forms of benchmarks/crash.py and benchmarks/soak.py."""
import sys
import unittest

import support

sys.path.insert(0, str(support.PACKAGE / "benchmarks"))
import crash  # noqa: E402
import soak  # noqa: E402


class UnderLoad(unittest.TestCase):
    def test_ten_kills_leave_nothing_behind(self):
        self.assertGreater(crash.run(rounds=10, seed=20261), 0)

    def test_twenty_seconds_of_churn_keep_the_limit(self):
        seen = soak.run(seconds=20, limit=256 << 10, seed=20262)
        self.assertGreater(seen.evictions, 0)
        self.assertGreaterEqual(seen.churn, soak.CHURN, "the machine was too slow for this to say anything")


class TheirTeeth(unittest.TestCase):
    """What the checks are for is found by them."""

    def test_a_breach_of_each_kind_is_seen(self):
        import os
        import pathlib
        import sqlite3
        from origin import Origin
        origin, service = Origin(), support.Service()
        self.addCleanup(origin.close)
        self.addCleanup(service.close)
        for _ in range(3):
            service.get(origin.page().url)
        service.stop()
        self.assertEqual((crash.objects_are_whole(service.cache), crash.disagreement(service.cache)), (3, []))
        paths = sorted(service.objects().values())
        with self.subTest("bytes that are not their name's"):
            content = paths[0].read_bytes()
            paths[0].write_bytes(content[:-1])
            with self.assertRaises(crash.Breach):
                crash.objects_are_whole(service.cache)
            paths[0].write_bytes(content)
        with self.subTest("a row without its file"):
            os.rename(paths[1], paths[1].parent / "away")
            self.assertRegex(str(crash.disagreement(service.cache)), "row without file")
            os.rename(paths[1].parent / "away", paths[1])
        with self.subTest("something left of what was written"):
            left = pathlib.Path(service.cache, "incoming", "0123456789abcdef-1.jpg")
            left.write_bytes(b"half")
            self.assertRegex(str(crash.disagreement(service.cache)), "left in incoming")
            left.unlink()
        with self.subTest("an entry without its object, a file without its row, totals that are not the sums"):
            with sqlite3.connect(os.path.join(service.cache, "index.sqlite3")) as index:
                index.execute("DROP TRIGGER object_dropped")
                index.execute("DELETE FROM objects WHERE id = (SELECT min(id) FROM objects)")
            index.close()
            found = str(crash.disagreement(service.cache))
            for part in ("without object", "file without row", "totals"):
                self.assertIn(part, found)
        total, largest = soak.bytes_on_disk(service.cache)
        self.assertEqual(total, sum(path.stat().st_blocks * 512 for path in paths))
        self.assertEqual(largest, max(path.stat().st_blocks * 512 for path in paths))


if __name__ == "__main__":
    unittest.main()
