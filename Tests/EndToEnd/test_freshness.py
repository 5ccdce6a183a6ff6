"""Fresh, stale, gone: what a stored avatar is worth as time passes. (RFC 9111, 5861; docs/ARCHITECTURE.md.)

`freshness.minimum` is a second here, so that stale comes soon; each test asks until it is, and sleeps for nothing else.
"""
import email.utils
import time
import unittest

import client
import origin
import support


class Freshness(support.Case):
    # What is asked for as often as here is popular, and would be refreshed before its end.
    settings = {"negative.unreachable": "1s", "negative.throttledDefault": "1s", "freshness.earlyRefresh": "0s"}

    def kept(self, **behaviour):
        """A page whose avatar is in the cache, fresh for a second, and the first answer."""
        headers = {"Cache-Control": "max-age=1", **behaviour.pop("headers", {})}
        page = self.origin.page(headers=headers, **behaviour)
        answer = self.service.get(page.url)
        self.assertEqual(answer.status, 200, answer)
        return page, answer

    def stale(self, page):
        """The first answer past the end of freshness."""
        return support.eventually(
            lambda: (answer := self.service.get(page.url)).cache.startswith("hit; ttl=-") and answer, what="stale")

    def decodes(self):
        return self.service.metric("avatar_decode_duration_seconds_count")

    def test_stale_is_served_at_once_and_revalidated_behind_by_one_conditional_request(self):
        page, first = self.kept(etag='"one"')
        decoded = self.decodes()
        self.assertGreater(decoded, 0)
        page.hold()
        self.addCleanup(page.release)
        stale = self.stale(page)
        self.assertEqual((stale.status, stale.body), (200, first.body))
        for _ in range(10):
            self.assertRegex(self.service.get(page.url).cache, "^hit; ttl=-")
        page.wait_for(2)
        page.release()
        support.eventually(lambda: not self.service.get(page.url).cache.startswith("hit; ttl=-"), what="renewed")
        self.assertEqual(page.requests[1].headers["if-none-match"], '"one"')
        self.assertEqual(self.decodes(), decoded)
        renewed = self.service.get(page.url)
        self.assertEqual([renewed[name] for name in ("etag", "last-modified")], [first[n] for n in ("etag", "last-modified")])

    def test_a_weak_etag_and_a_date_are_validators_as_well(self):
        date = email.utils.formatdate(time.time() - 86400, usegmt=True)
        for field, behaviour, value in (("if-none-match", {"etag": 'W/"w"'}, 'W/"w"'),
                                        ("if-modified-since", {"last_modified": date}, date)):
            with self.subTest(field):
                page, first = self.kept(**behaviour)
                self.stale(page)
                page.wait_for(2)
                self.assertEqual(page.requests[1].headers[field], value)
                self.assertEqual(self.service.get(page.url).body, first.body)

    def test_changed_bytes_replace_the_avatar_under_the_same_url(self):
        page, first = self.kept(body=origin.plain("red"), etag='"one"')
        page.body, page.etag = origin.plain("green"), '"two"'
        self.stale(page)
        changed = support.eventually(
            lambda: (answer := self.service.get(page.url))["etag"] != first["etag"] and answer, what="the change")
        self.assert_colour(changed, "green")
        date = email.utils.parsedate_to_datetime
        self.assertGreaterEqual(date(changed["last-modified"]), date(first["last-modified"]))

    def test_the_same_bytes_again_change_nothing(self):
        page, first = self.kept()
        objects = self.service.objects()
        self.stale(page)
        page.wait_for(2)
        again = support.eventually(
            lambda: (answer := self.service.get(page.url)).cache.startswith("hit; ttl=0") and answer, what="renewed")
        self.assertEqual((again["etag"], again["last-modified"]), (first["etag"], first["last-modified"]))
        self.assertEqual(self.service.objects(), objects)

    def test_what_keeps_a_stale_copy_and_what_ends_it(self):
        for name, change, status in (
            ("500", {"status": 500}, 200), ("403", {"status": 403}, 200), ("401", {"status": 401}, 200),
            ("no picture", {"body": b"<html>"}, 200), ("half a picture", {"act": "cut"}, 200), ("reset", {"act": "reset"}, 200),
            ("404", {"status": 404}, 404), ("410", {"status": 410}, 404),
        ):
            with self.subTest(name):
                page, first = self.kept()
                for attribute, value in change.items():
                    setattr(page, attribute, value)
                self.stale(page)
                page.wait_for(2)
                if status == 404:
                    gone = support.eventually(lambda: (answer := self.service.get(page.url)).status == 404 and answer)
                    self.assertEqual(gone.code, "origin_not_found")
                    continue
                answer = self.service.get(page.url)
                self.assertEqual((answer.status, answer.body), (200, first.body))
                self.assertRegex(answer.cache, "^hit; ttl=-")
                self.assertEqual(answer.lifetimes["max-age"], 0)

    def test_past_the_window_a_request_waits_for_the_refresh(self):
        for word in ("must-revalidate", "proxy-revalidate", "no-cache"):
            with self.subTest(word):
                page, first = self.kept(etag='"one"', headers={"Cache-Control": f"max-age=1, {word}"})
                self.assertNotIn("stale-while-revalidate", first.lifetimes)
                self.assertLessEqual(first.lifetimes["stale-if-error"], 3600)
                answer = support.eventually(
                    lambda: (answer := self.service.get(page.url)).cache.startswith("fwd=stale") and answer)
                self.assertRegex(answer.cache, "^fwd=stale; fwd-status=304")
                self.assertEqual((answer.status, answer.body), (200, first.body))

    def test_past_the_window_a_stale_copy_serves_where_the_refresh_fails(self):
        page, first = self.kept(headers={"Cache-Control": "max-age=1, must-revalidate"})
        page.status = 500
        answer = support.eventually(
            lambda: (answer := self.service.get(page.url)).cache.startswith("fwd=stale") and answer)
        self.assertEqual((answer.status, answer.body), (200, first.body))
        self.assertEqual(answer.lifetimes["max-age"], 0)

    def test_the_windows_count_from_the_end_of_freshness(self):
        page, fresh = self.kept(headers={"Cache-Control": "max-age=1"})
        page.hold()
        self.addCleanup(page.release)
        stale = self.stale(page)
        for name, whole in (("stale-while-revalidate", 7 * 86400), ("stale-if-error", 30 * 86400)):
            self.assertEqual(fresh.lifetimes[name], whole)
            self.assertTrue(whole - 30 <= stale.lifetimes[name] < whole, stale)

    def test_no_store_and_private_are_served_and_not_handed_on(self):
        for word in ("no-store", "private"):
            with self.subTest(word):
                page, answer = self.kept(headers={"Cache-Control": word})
                self.assertEqual(answer.lifetimes["max-age"], 0)
                self.assertFalse({"stale-while-revalidate", "stale-if-error"} & set(answer.lifetimes), answer)
                versioned = client.ask(self.service.port, f"{self.service.path(page.url)}?v={answer.sha256[:16]}")
                self.assertNotIn("immutable", versioned.lifetimes)
                told = self.service.call("/v1/prefetch", {"urls": [page.url], "wait": "4s"}).json["avatars"][0]
                self.assertEqual(told["status"], "ready")
                self.assertNotIn("objectURL", told)
                page.status = 500
                support.eventually(lambda: self.service.get(page.url).status == 502, what="no stale use")

    def test_lifetimes_are_the_origins_within_our_bounds(self):
        service = self.start({"freshness.minimum": "5m", "freshness.maximum": "2d", "freshness.default": "1h"})
        now = time.time()
        date = lambda seconds: email.utils.formatdate(now + seconds, usegmt=True)
        for name, headers, seconds in (
            ("nothing", {}, 3600), ("max-age", {"Cache-Control": "max-age=1000"}, 1000),
            ("s-maxage first", {"Cache-Control": "max-age=1000, s-maxage=2000"}, 2000),
            ("Age counts", {"Cache-Control": "max-age=1000", "Age": "400"}, 600),
            ("Expires", {"Expires": date(1500)}, 1500), ("max-age before Expires", {"Cache-Control": "max-age=700", "Expires": date(5)}, 700),
            ("too little", {"Cache-Control": "max-age=0"}, 300), ("too much", {"Cache-Control": "max-age=99999999999999999999"}, 172800),
            ("expired", {"Expires": "0"}, 300), ("nonsense", {"Cache-Control": "max-age=soon"}, 3600),
            ("negative", {"Cache-Control": "max-age=-5"}, 3600), ("upper case", {"Cache-Control": "MAX-AGE=1000"}, 1000),
            ("quoted", {"Cache-Control": 'max-age="1000"'}, 1000),
        ):
            with self.subTest(name):
                answer = service.get(self.origin.page(headers=headers).url)
                self.assertEqual(answer.status, 200)
                got = answer.lifetimes["max-age"]
                allowed = {seconds} if name not in ("nonsense", "negative") else {3600, 300}
                self.assertTrue(any(want - 20 <= got <= want for want in allowed), f"{got}, want {allowed}")

    def test_retry_after_is_heeded_for_the_whole_host(self):
        busy = origin.Origin("127.0.3.1")
        self.addCleanup(busy.close)
        page, other = busy.page(status=429, headers={"Retry-After": "600"}), busy.page()
        answer = self.service.get(page.url)
        self.assert_problem(answer, 503, "origin_throttled")
        self.assertTrue(540 <= int(answer["retry-after"]) <= 660, answer)
        self.assert_problem(self.service.get(other.url), 503, "origin_throttled")
        self.assertEqual((page.count, other.count), (1, 0))
        self.assertGreaterEqual(self.service.metric("avatar_hosts_throttled"), 1)

    def test_a_host_that_is_not_reached_is_left_alone_and_probed(self):
        service = self.start({"breaker.failures": 3, "breaker.coolDown": "2s", "negative.unreachable": "1s"})
        for _ in range(3):
            self.assertEqual(service.get(self.origin.page(act="reset").url).status, 502)
        page = self.origin.page()
        answer = service.get(page.url)
        self.assert_problem(answer, 502, "origin_unreachable")
        self.assertEqual((page.count, service.metric("avatar_breakers_open")), (0, 1))
        support.eventually(lambda: service.get(page.url).status == 200, what="the probe")
        self.assertEqual(service.metric("avatar_breakers_open"), 0)

    def test_a_popular_avatar_is_refreshed_before_its_end(self):
        # Early refreshes are drawn by lot within the last tenth of a lifetime, so one avatar may miss its own; that all of these do
        # would take a stop of the machine at the end of each of their lifetimes.
        service = self.start({"freshness.earlyRefresh": "1h"})
        pages = {self.origin.page(etag='"one"', headers={"Cache-Control": f"max-age={seconds}"}): [] for seconds in range(3, 12)}

        def refreshed():
            for page, answers in pages.items():
                answers.append(service.get(page.url))
                self.assertEqual(answers[-1].status, 200)
            return [page for page, answers in pages.items() if page.count > 1 and all(fresh(answer) for answer in answers)]

        def fresh(answer):
            return "ttl=-" not in answer.cache and "fwd=stale" not in answer.cache

        page = support.eventually(refreshed, what="a refresh ahead")[0]
        self.assertEqual(page.requests[1].headers["if-none-match"], '"one"')


if __name__ == "__main__":
    unittest.main()
