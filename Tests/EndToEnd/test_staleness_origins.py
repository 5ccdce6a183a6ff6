"""Failures remembered by cause, and kindness to origins: Retry-After, the breaker, concurrency. (docs/errors.md)"""
import threading
import time
import unittest

import support
from origin import Origin


class Negative(support.Case):
    settings = {"fetch.maxBytes": "64KiB"}

    def test_each_cause_has_its_lifetime(self):
        hour, half = (3240, 3960), (27, 33)
        cases = [
            ("404", {"status": 404}, 404, "origin_not_found", hour),
            ("410", {"status": 410}, 404, "origin_not_found", hour),
            ("no picture", {"body": b"<html>"}, 422, "image_unsupported", hour),
            ("a broken picture", {"body": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"}, 422, "image_corrupt", hour),
            ("empty", {"body": b""}, 422, "source_empty", hour),
            ("too large", {"body": bytes(65537)}, 422, "source_too_large", hour),
            ("500", {"status": 500}, 502, "origin_status", half),
            ("403", {"status": 403}, 502, "origin_status", half),
            ("a redirect to nowhere", {"status": 302, "headers": {"Location": "ftp://a/"}}, 502, "origin_redirect", half),
            ("cut", {"act": "cut"}, 502, "origin_protocol", half),
        ]
        for name, behaviour, status, code, (least, most) in cases:
            with self.subTest(name):
                page = self.origin.page(**behaviour)
                first = self.service.get(page.url)
                self.assert_problem(first, status, code)
                # As long as it is remembered, rounded down; jitter is a tenth.
                self.assertTrue(least - 1 <= first.lifetimes["max-age"] <= most, first)
                again = self.service.get(page.url)
                self.assert_problem(again, status, code)
                self.assertLessEqual(again.lifetimes["max-age"], first.lifetimes["max-age"])
                self.assertRegex(again.cache, rf"^hit; ttl=\d+; detail={code}")
                self.assertEqual(page.count, 1)

    def test_lifetimes_are_jittered(self):
        pages = [self.origin.page(status=404) for _ in range(12)]
        lifetimes = {self.service.get(page.url).lifetimes["max-age"] for page in pages}
        self.assertGreater(len(lifetimes), 6, lifetimes)
        self.assertGreater(max(lifetimes) - min(lifetimes), 60, lifetimes)

    def test_what_is_our_own_fault_is_not_remembered(self):
        page = self.origin.page()
        for answer in (self.service.get("ftp://example.com/"), self.service.get(page.url, Cache_Control="only-if-cached")):
            self.assertEqual(answer["cache-control"], "no-store", answer)


class Forgetting(support.Case):
    settings = {"negative.notFound": "1s", "negative.unreachable": "1s"}

    def test_a_failure_is_forgotten_in_time(self):
        pages = [self.origin.page(status=404), self.origin.page(status=500)]
        for page in pages:
            self.assertGreaterEqual(self.service.get(page.url).status, 400)
            page.status = 200
        for page in pages:
            support.eventually(lambda: self.service.get(page.url).status == 200, 5, "the avatar")
            self.assertEqual(page.count, 2)

    def test_a_purge_forgets_it_at_once(self):
        page = self.origin.page(body=b"")
        self.assertEqual(self.service.get(page.url).status, 422)
        page.body = self.origin.page().body
        self.service.call("/v1/purge", {"sources": [page.url]})
        self.assertEqual(self.service.get(page.url).status, 200)


class Throttling(support.Case):
    def test_retry_after_is_heeded_for_the_whole_host(self):
        cases = [("seconds", "120", (119, 132)), ("more than an hour", "7200", (3599, 3960)), ("none", None, (53, 66))]
        before = self.service.metric("avatar_hosts_throttled")
        for name, text, (least, most) in cases:
            with self.subTest(name):
                host = Origin()
                self.addCleanup(host.close)
                throttled = host.page(status=429, headers={"Retry-After": text} if text else {})
                other, elsewhere = host.page(), self.origin.page()
                answer = self.service.get(throttled.url)
                self.assert_problem(answer, 503, "origin_throttled")
                self.assertTrue(least <= answer.lifetimes["max-age"] <= most, answer)
                answer = self.service.get(other.url)
                if text:
                    self.assert_problem(answer, 503, "origin_throttled")
                    self.assertLessEqual(answer.lifetimes.get("max-age", 0), min(int(text), 3600))
                    self.assertEqual(other.count, 0)
                else:
                    self.assertEqual(answer.status, 200)  # Nothing was said about the host.
                self.assertEqual(self.service.get(elsewhere.url).status, 200)
        self.assertEqual(self.service.metric("avatar_hosts_throttled") - before, 2)

    def test_a_throttled_host_keeps_its_stale_avatars(self):
        host = Origin()
        self.addCleanup(host.close)
        here = host.page(headers={"Cache-Control": "max-age=1"})
        body = self.service.get(here.url).body
        self.service.get(host.page(status=503, headers={"Retry-After": "60"}).url)
        time.sleep(1.1)  # Until it is stale.
        for _ in range(3):
            answer = self.service.get(here.url)
            self.assertEqual((answer.status, answer.body, here.count), (200, body, 1))


class Breaker(support.Case):
    settings = {"breaker.failures": 3, "breaker.coolDown": "2s"}

    def test_it_opens_probes_and_closes(self):
        host = Origin()
        self.addCleanup(host.close)
        pages = [host.page(act="reset") for _ in range(3)]
        for page in pages:
            self.assertEqual(self.service.get(page.url).status, 502)
        opened = time.monotonic()
        with self.subTest("open: nothing is asked of the host, others go on"):
            spared = host.page()
            self.assert_problem(self.service.get(spared.url), 502, "origin_unreachable")
            self.assertEqual((spared.count, self.service.metric("avatar_breakers_open")), (0, 1))
            self.assertEqual(self.service.get(self.origin.page().url).status, 200)
        with self.subTest("half open: one fetch probes it, however many ask"):
            time.sleep(max(0.0, opened + 2.1 - time.monotonic()))  # The cool-down is the clock's.
            probes = [host.page().hold() for _ in range(10)]
            answers = []
            threads = [threading.Thread(target=lambda page=page: answers.append(self.service.get(page.url))) for page in probes]
            for thread in threads:
                thread.start()
            support.eventually(lambda: len(answers) == 9, what="nine refusals")
            self.assertEqual(sum(page.count for page in probes), 1)
            for page in probes:
                page.release()
            for thread in threads:
                thread.join()
            self.assertEqual(sorted(answer.status for answer in answers), [200] + [502] * 9)
        with self.subTest("closed: as if nothing had been"):
            self.assertEqual(self.service.get(spared.url).status, 200)
            self.assertEqual(self.service.metric("avatar_breakers_open"), 0)


class Concurrency(support.Case):
    settings = {"fetch.perHostConcurrency": 2}

    def test_a_host_sees_no_more_fetches_at_once_than_allowed_and_does_not_hold_up_others(self):
        host = Origin("127.0.0.2")
        self.addCleanup(host.close)
        pages = [host.page().hold() for _ in range(8)]
        answers = []
        threads = [threading.Thread(target=lambda page=page: answers.append(self.service.get(page.url))) for page in pages]
        for thread in threads:
            thread.start()
        support.eventually(lambda: sum(page.count for page in pages) == 2, what="two fetches")
        self.assertEqual(self.service.get(self.origin.page().url).status, 200)
        self.assertEqual(sum(page.count for page in pages), 2)
        for page in pages:
            page.release()
        for thread in threads:
            thread.join()
        self.assertEqual([answer.status for answer in answers], [200] * 8)


if __name__ == "__main__":
    unittest.main()
