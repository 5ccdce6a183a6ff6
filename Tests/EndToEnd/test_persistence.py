"""A cache that survives restarts, crashes, damage and company."""
import hashlib
import os
import pathlib
import shutil
import threading
import time
import unittest

import client
import origin
import support


class Persistence(support.Case):
    def keep(self, service, count=1):
        """So many pages whose avatars are on the disk of a service, and their answers."""
        pages = [self.origin.page(headers={"Cache-Control": "max-age=3600"}) for _ in range(count)]
        answers = [service.get(page.url) for page in pages]
        self.assertTrue(all("stored" in answer.cache for answer in answers), answers)
        support.eventually(lambda: {answer.sha256 for answer in answers} <= set(service.objects()), what="all on disk")
        return pages, answers

    def test_an_object_on_disk_is_the_avatar_itself_named_by_its_hash(self):
        _, (answer,) = self.keep(self.service)
        stored = self.service.objects()[answer.sha256].read_bytes()
        self.assertEqual(stored, answer.body)

    def test_the_same_bytes_from_two_urls_are_one_object(self):
        picture = origin.noise(7)
        pages = [self.origin.page(picture) for _ in range(2)]
        answers = [self.service.get(page.url) for page in pages]
        self.assertEqual(answers[0]["etag"], answers[1]["etag"])
        files = [path for path in pathlib.Path(self.service.cache, "objects").rglob("*") if path.is_file()
                 and hashlib.sha256(path.read_bytes()).hexdigest() == answers[0].sha256]
        self.assertEqual(len(files), 1)

    def test_a_restart_serves_what_was_there_without_fetching(self):
        service = self.start()
        pages, before = self.keep(service, 5)
        service.restart()
        for page, answer in zip(pages, before):
            after = service.get(page.url)
            self.assertEqual((after.status, after.body, after["last-modified"]), (200, answer.body, answer["last-modified"]))
            self.assertRegex(after.cache, "^hit; ttl=")
            self.assertEqual(page.count, 1)

    def test_a_kill_loses_nothing_that_was_settled_and_serves_nothing_partial(self):
        service = self.start()
        pages, before = self.keep(service, 5)
        writing = [self.origin.page() for _ in range(20)]
        for turn in range(3):
            threads = [threading.Thread(target=self.try_to_get, args=(service, page)) for page in writing]
            for thread in threads:
                thread.start()
            writing[0].wait_for(1)
            service.kill()
            for thread in threads:
                thread.join()
            service.start()
            self.assertEqual([page.count for page in pages], [1] * 5)
            for page, answer in zip(pages, before):
                self.assertEqual(service.get(page.url).body, answer.body)
            for page in writing:
                self.assertEqual(service.get(page.url).status, 200)  # Its bytes are held to their ETag.
        verified = service.command("cache", "verify")
        self.assertEqual(verified.returncode, 0, verified)
        self.assertRegex(verified.stdout, r"damaged +0,")

    @staticmethod
    def try_to_get(service, page):
        try:
            service.get(page.url)
        except (OSError, client.Broken):
            pass  # The server was killed meanwhile, which is what the test is about.

    def test_a_damaged_object_is_never_served_and_is_replaced(self):
        damages = {
            "cut": lambda body: body[:1000], "empty": lambda body: b"", "a bit": lambda body: body[:500] + bytes([body[500] ^ 1]) + body[501:],
            "longer": lambda body: body + b"x", "another picture": lambda body: None, "missing": lambda body: None,
        }
        service = self.start({"cache.scrubBytesPerSecond": 0})
        pages, answers = self.keep(service, len(damages))
        service.stop()
        for (name, damage), answer in zip(damages.items(), answers):
            path = service.objects()[answer.sha256]
            if name == "missing":
                path.unlink()
            else:
                path.write_bytes(damage(answer.body) if name != "another picture" else answers[0].body)
        service.start()
        for name, page, answer in zip(damages, pages, answers):
            with self.subTest(name):
                again = service.get(page.url)
                self.assertEqual((again.status, again.body, page.count), (200, answer.body, 2))
                support.eventually(lambda: service.objects()[answer.sha256].read_bytes() == answer.body, what="replaced")

    def test_a_damaged_object_is_no_object(self):
        service = self.start({"cache.memoryBytes": 0, "cache.scrubBytesPerSecond": 0})
        _, (answer,) = self.keep(service)
        self.assertEqual(client.ask(service.port, f"/o/{answer.sha256}.jpg").status, 200)
        service.objects()[answer.sha256].write_bytes(answer.body[:-100])
        self.assert_problem(client.ask(service.port, f"/o/{answer.sha256}.jpg"), 404, "not_found")

    def test_a_damaged_index_is_set_aside(self):
        service = self.start()
        (page,), _ = self.keep(service)
        service.stop()
        for name in ("index.sqlite3-wal", "index.sqlite3-shm"):
            pathlib.Path(service.cache, name).unlink(missing_ok=True)
        index = pathlib.Path(service.cache, "index.sqlite3")
        index.write_bytes(b"no database" * 1000)
        service.start()
        self.assertEqual(service.get(page.url).status, 200)
        service.restart()
        self.assertRegex(service.get(page.url).cache, "^hit")

    def test_foreign_files_are_left_alone(self):
        service = self.start()
        self.keep(service)
        foreign = pathlib.Path(service.cache, "objects", "README")
        foreign.write_text("not ours")
        self.assertEqual(service.command("cache", "verify").returncode, 0)
        service.restart()
        self.assertEqual(foreign.read_text(), "not ours")

    def test_without_a_usable_directory_avatars_are_served_and_not_stored(self):
        place = os.path.join(support.temporary(self), "file")
        pathlib.Path(place).write_text("in the way")
        service = self.start(directory=place)
        page = self.origin.page()
        answer = service.get(page.url)
        self.assertEqual(answer.status, 200)
        self.assertNotIn("stored", answer.cache)
        self.assertEqual(service.metric("avatar_cache_writable"), 0)
        readiness = client.ask(service.control, "/readyz")
        self.assertEqual((readiness.status, readiness.json["ready"]), (200, True))
        self.assertIn("cache", " ".join(readiness.json["degraded"]))

    def test_a_directory_that_vanishes_costs_no_client_an_answer(self):
        service = self.start()
        (page,), _ = self.keep(service)
        shutil.rmtree(service.cache)
        self.assertEqual(service.get(page.url).status, 200)
        for _ in range(5):
            self.assertEqual(service.get(self.origin.page().url).status, 200)
        service.stop()

    def test_the_cache_stays_within_its_bound(self):
        limit = 1 << 20
        service = self.start({"cache.maxBytes": limit, "cache.memoryBytes": 0})
        largest = 0
        for _ in range(80):
            answer = service.get(self.origin.page().url)
            self.assertEqual(answer.status, 200)
            largest = max(largest, len(answer.body))
        size = lambda: sum(path.stat().st_blocks * 512 for path in service.objects().values())
        support.eventually(lambda: size() <= limit, what="within the bound")
        self.assertGreater(service.metric("avatar_cache_evictions_total", tier="disk"), 0)
        self.assertGreater(size(), limit // 2)


class TwoServers(support.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.other = cls.start(directory=cls.service.cache)

    def test_what_one_has_made_the_other_serves_without_fetching(self):
        page = self.origin.page()
        made = self.service.get(page.url)
        found = support.eventually(
            lambda: (answer := self.other.get(page.url, Cache_Control="only-if-cached")).status == 200 and answer)
        self.assertEqual((found.body, found["last-modified"], page.count), (made.body, made["last-modified"], 1))

    def test_a_purge_holds_in_both_within_two_seconds(self):
        purges = {
            "a source": lambda page, answer: {"sources": [page.url]},
            "an object": lambda page, answer: {"sha256": answer.sha256},
            "a host": lambda page, answer: {"host": "127.0.0.1"},
        }
        for name, order in purges.items():
            with self.subTest(name):
                page = self.origin.page()
                answer = self.service.get(page.url)
                support.eventually(lambda: self.other.get(page.url, Cache_Control="only-if-cached").status == 200)
                purged = self.service.call("/v1/purge", order(page, answer))
                at = time.monotonic()
                self.assertEqual(purged.status, 200, purged)
                self.assertGreaterEqual(purged.json["entries"], 1)
                self.assertEqual(self.service.get(page.url, Cache_Control="only-if-cached").code, "not_cached")
                support.eventually(
                    lambda: self.other.get(page.url, Cache_Control="only-if-cached").status == 504, 2 + support.TOLERANCE)
                self.assertLess(time.monotonic() - at, 2 + support.TOLERANCE)
                self.assertEqual(self.service.get(page.url).status, 200)
                self.assertEqual(page.count, 2)

    def test_a_flight_that_is_older_than_a_purge_does_not_store(self):
        for purging in (self.service, self.other):
            with self.subTest("its own" if purging is self.service else "the other's"):
                page = self.origin.page().hold()
                self.addCleanup(page.release)
                with client.Connection(self.service.port) as connection:
                    connection.send(self.service.path(page.url))
                    page.wait_for(1)
                    self.assertEqual(purging.call("/v1/purge", {"sources": [page.url]}).status, 200)
                    page.release()
                    answer = connection.read()
                self.assertEqual(answer.status, 200)
                self.assertNotIn("stored", answer.cache)
                self.assert_problem(self.service.get(page.url, Cache_Control="only-if-cached"), 504, "not_cached")

    def test_a_soft_purge_marks_stale(self):
        page = self.origin.page(etag='"one"', headers={"Cache-Control": "max-age=3600"})
        first = self.service.get(page.url)
        self.assertEqual(self.service.call("/v1/purge", {"sources": [page.url], "soft": True}).status, 200)
        stale = self.service.get(page.url)
        self.assertEqual((stale.status, stale.body), (200, first.body))
        self.assertRegex(stale.cache, r"^hit; ttl=(-|0)")
        page.wait_for(2)
        self.assertEqual(page.requests[1].headers["if-none-match"], '"one"')

    def test_a_purge_of_a_subdomain_pattern_leaves_other_hosts(self):
        page = self.origin.page()
        self.service.get(page.url)
        purged = self.service.call("/v1/purge", {"host": "*.example.com"})
        self.assertEqual((purged.status, purged.json), (200, {"entries": 0, "objects": 0}))
        self.assertRegex(self.service.get(page.url).cache, "^hit")


if __name__ == "__main__":
    unittest.main()
