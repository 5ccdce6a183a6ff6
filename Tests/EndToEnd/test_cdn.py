"""Behind real caches: Varnish and nginx with the configurations that operators copy from `config/`. (docs/cdn.md)"""
import email.utils
import os
import time
import unittest

import client
import origin
import support
from caches import Nginx, Varnish


class BehindCache:
    """What holds behind any cache; the classes below say which."""

    cache_type: type
    # Windows long enough to look at, short enough to wait for.
    settings = {"freshness.staleWhileRevalidate": "1h", "freshness.staleIfError": "2h", "freshness.earlyRefresh": "0s"}

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.cache = cls.cache_type(cls, cls.service)

    def asked(self, **labels):
        """How many requests for avatars reached the service."""
        return int(self.service.metric("avatar_http_requests_total", side="public", route="avatar", **labels))

    def page(self, body=None, lifetime=600, **behaviour):
        fields = {"Cache-Control": f"max-age={lifetime}", **behaviour.pop("headers", {})}
        return self.origin.page(body, headers=fields, etag=behaviour.pop("etag", '"one"'), **behaviour)

    def path(self, page):
        return self.service.path(page.url)

    def version(self, answer):
        return "?v=" + answer["etag"].strip('"')[:16]

    def test_the_second_request_is_a_hit_and_the_same_answer(self):
        page = self.page()
        before = self.asked()
        first, second = self.cache.get(self.path(page)), self.cache.get(self.path(page))
        self.assertEqual((first.status, second.status), (200, 200))
        self.assertEqual((self.asked() - before, page.count), (1, 1))
        for name in ("etag", "last-modified", "content-type", "content-length", "access-control-allow-origin",
                     "cross-origin-resource-policy"):
            self.assertEqual(first[name], second[name], name)
        self.assertEqual(first.body, second.body)
        self.assertTrue("server-timing" in first.headers and "server-timing" not in second.headers, second)
        self.assertRegex(second["cache-status"], r"^avatar-server; .*, \w+; hit")

    def test_a_conditional_request_is_answered_by_the_cache(self):
        page = self.page()
        first = self.cache.get(self.path(page))
        before = self.asked()
        answer = self.cache.get(self.path(page), If_None_Match=first["etag"])
        self.assertEqual((answer.status, answer.body, self.asked() - before), (304, b"", 0))

    def test_head_costs_no_second_request(self):
        page = self.page()
        self.cache.get(self.path(page))
        before = self.asked()
        answer = self.cache.get(self.path(page), "HEAD")
        self.assertEqual((answer.status, self.asked() - before), (200, 0))

    def test_what_it_hands_on_never_outlives_what_the_service_said(self):
        page = self.page(lifetime=600)
        self.service.get(page.url)
        started = time.time()
        time.sleep(1.2)  # The clock is what is tested: age is counted in whole seconds.
        self.cache.get(self.path(page))
        time.sleep(1.2)
        answer = self.cache.get(self.path(page))
        # Age, or, from a cache that sends none, the answer's Date against now (RFC 9111, 4.2.3).
        date = email.utils.parsedate_to_datetime(answer["date"]).timestamp()
        age = max(int(answer["age"] or 0), time.time() - date)
        self.assertGreaterEqual(age, 1, answer)
        self.assertLessEqual(answer.lifetimes["max-age"] - age, 600 - (time.time() - started) + 1, answer)

    def test_stale_copies_are_served_at_once_and_renewed_by_304(self):
        page = self.page(lifetime=2)
        first = self.cache.get(self.path(page))
        before = self.asked(status="304")
        time.sleep(2.2)  # Until it is stale everywhere.
        page.hold()  # Nobody may wait for the origin.
        answer = self.cache.get(self.path(page))
        self.assertEqual((answer.status, answer.body), (200, first.body))
        self.assertLess(answer.elapsed, 2)
        page.release()
        support.eventually(lambda: self.asked(status="304") > before, 10, "a 304 to the cache")
        page.wait_for(2)
        self.assertEqual(page.requests[1].headers.get("if-none-match"), '"one"')

    def test_a_changed_picture_takes_its_place(self):
        page = self.page(origin.plain("red"), lifetime=2)
        self.assert_colour(self.cache.get(self.path(page)), "red")
        page.body, page.etag = origin.plain("green"), '"two"'
        time.sleep(2.2)

        def is_green():
            red, green, _ = self.cache.get(self.path(page)).picture.mean()
            return green > red
        support.eventually(is_green, 10, "the new picture behind the cache")

    def test_must_revalidate_waits_for_the_service_and_is_renewed_by_304(self):
        page = self.page(headers={"Cache-Control": "max-age=2, must-revalidate"})
        self.cache.get(self.path(page))
        before = self.asked(status="304")
        time.sleep(2.2)
        answer = self.cache.get(self.path(page))
        self.assertEqual((answer.status, self.asked(status="304") - before, page.count), (200, 1, 2))

    def test_forty_clients_of_a_cold_avatar_cost_one_request(self):
        page = self.page().hold()
        self.addCleanup(page.release)
        before = self.asked()
        connections = [client.Connection(self.cache.port) for _ in range(40)]
        try:
            for connection in connections:
                connection.send(self.path(page))
            page.wait_for(1)
            page.release()
            answers = [connection.read() for connection in connections]
        finally:
            for connection in connections:
                connection.close()
        self.assertEqual({(answer.status, answer.sha256) for answer in answers}, {(200, answers[0].sha256)})
        self.assertEqual((self.asked() - before, page.count), (1, 1))

    def test_a_versioned_url_is_kept_for_good(self):
        page = self.page(origin.plain("red"), lifetime=2)
        first = self.service.get(page.url)
        path = self.path(page) + self.version(first)
        answer = self.cache.get(path)
        self.assertEqual(answer["cache-control"], "public, max-age=31536000, immutable")
        page.status = 404
        time.sleep(1.2)
        self.service.call("/v1/prefetch", {"urls": [page.url], "wait": "3s", "refresh": True})
        self.assertEqual(self.service.get(page.url).status, 404)
        before = self.asked()
        again = self.cache.get(path)
        self.assertEqual((again.status, again.body, self.asked() - before), (200, answer.body, 0))

    def test_a_purge_reaches_through(self):
        page = self.page(origin.plain("red"))
        path = self.path(page)
        versioned = path + self.version(self.cache.get(path))
        self.assert_colour(self.cache.get(versioned), "red")
        page.body, page.etag = origin.plain("green"), '"two"'
        self.assertEqual(self.service.call("/v1/purge", {"sources": [page.url]}).status, 200)
        for target in (path, versioned):
            self.assertIn(self.cache.purge(target), (200, 204), target)
        self.assert_colour(self.cache.get(path), "green")
        answer = self.cache.get(versioned)
        self.assert_colour(answer, "green")
        self.assertNotIn("immutable", answer.lifetimes)

    def test_only_operators_purge(self):
        page = self.page()
        self.cache.get(self.path(page))
        before = self.asked()
        self.cache.purge(self.path(page), source="127.0.0.2")
        self.assertEqual((self.cache.get(self.path(page)).status, self.asked() - before), (200, 0))

    def test_a_remembered_failure_is_kept_as_long_as_the_service_says(self):
        for status, want in ((404, 404), (500, 502)):
            with self.subTest(status):
                page, before = self.page(status=status), self.asked()
                answers = [self.cache.get(self.path(page)) for _ in range(3)]
                self.assertEqual({answer.status for answer in answers}, {want})
                self.assertEqual((self.asked() - before, page.count), (1, 1))

    def test_what_must_not_be_stored_is_not(self):
        page = self.page(headers={"Cache-Control": "no-store"})
        refused = f"/avatar/{'A' * 22}/{support.segment(page.url)}.jpg"
        for name, path in (("no-store at the origin", self.path(page)), ("a wrong signature", refused)):
            with self.subTest(name):
                before = self.asked()
                statuses = [self.cache.get(path).status for _ in range(3)]
                self.assertEqual((len(set(statuses)), self.asked() - before), (1, 3))
        self.assertEqual(page.count, 1)

    def test_neither_query_nor_headers_of_a_client_get_around_it(self):
        page = self.page()
        self.cache.get(self.path(page))
        before = self.asked()
        for query in ("?x=1", "?v=none", "?v=ABCDEF0123456789", "?&"):
            self.assertEqual(self.cache.get(self.path(page) + query).status, 200, query)
        for name, value in (("Cache-Control", "no-cache"), ("Pragma", "no-cache"), ("Cookie", "a=b"),
                            ("Authorization", "Bearer x"), ("Accept-Encoding", "gzip"), ("Accept", "image/webp")):
            answer = client.ask(self.cache.port, self.path(page), headers={name: value})
            self.assertEqual((answer.status, answer["vary"]), (200, ""), name)
        self.assertEqual(self.asked() - before, 0)

    def test_a_clients_only_if_cached_does_not_reach_the_service(self):
        page = self.page()
        self.assertEqual(self.cache.get(self.path(page), Cache_Control="only-if-cached").status, 200)


class BehindVarnish(BehindCache, support.Case):
    cache_type = Varnish


class BehindNginx(BehindCache, support.Case):
    cache_type = Nginx

    def test_an_answer_is_purged_by_removing_its_file_as_documented(self):
        page = self.page()
        path = self.path(page) + self.version(self.cache.get(self.path(page)))
        self.cache.get(path)
        os.remove(self.cache.file(path))
        before = self.asked()
        self.assertEqual((self.cache.get(path).status, self.asked() - before), (200, 1))


class WhileDown(support.Case):
    """The service is killed, and what the caches have may serve as long as the service allowed."""

    settings = {"freshness.staleWhileRevalidate": "2s", "freshness.staleIfError": "8s", "freshness.earlyRefresh": "0s"}

    def test_stale_copies_serve_within_their_windows_and_no_longer(self):
        caches = [Varnish(type(self), self.service), Nginx(type(self), self.service)]
        never = self.service.path(self.origin.page(headers={"Cache-Control": "no-store"}).url)
        kept = {}
        for cache in caches:
            cache.get(never)
            for name, more in (("stale-while-revalidate", ""), ("stale-if-error", ", must-revalidate")):
                path = self.service.path(self.origin.page(headers={"Cache-Control": f"max-age=2{more}"}).url)
                kept[cache, name, path] = cache.get(path).body
        began = time.monotonic()
        self.service.kill()

        def wait_until(seconds):
            time.sleep(max(0, began + seconds - time.monotonic()))  # The windows are the clock's.
        for moment in (0, 2.5, 5):
            wait_until(moment)
            for (cache, name, path), body in kept.items():
                with self.subTest(f"{cache.program}, {name}", after=moment):
                    answer = cache.get(path)
                    self.assertEqual((answer.status, answer.body == body), (200, True))
        for cache in caches:
            with self.subTest(f"{cache.program}, what was not to be stored"):
                self.assert_problem(cache.get(never), 503, "overloaded")
        wait_until(12)
        for cache, name, path in kept:
            with self.subTest(f"{cache.program}, {name}: its time is over"):
                self.assert_problem(cache.get(path), 503, "overloaded")
        self.service.start()
        for cache, name, path in kept:
            with self.subTest(f"{cache.program}, {name}: the service is back"):
                support.eventually(lambda: cache.get(path).status == 200, 10, "an avatar")


if __name__ == "__main__":
    unittest.main()
