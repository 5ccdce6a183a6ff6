"""What an answer looks like: header fields, conditions, methods, errors. (RFC 9110, 9111, 9211, 9457.)"""
import email.utils
import re
import time
import unittest

import client
import origin
import support


class Serving(support.Case):
    def warmed(self, **behaviour):
        """A page whose avatar is in the cache, and its first answer as a hit."""
        page = self.origin.page(**behaviour)
        self.assertEqual(self.service.get(page.url).status, 200)
        return page, self.service.get(page.url)

    def test_a_miss_carries_every_promised_field_and_no_other(self):
        answer = self.service.get(self.origin.page(headers={"Cache-Control": "max-age=600"}).url)
        self.assertEqual(answer.status, 200)
        self.assertEqual(answer["content-type"], "image/jpeg")
        self.assertEqual(answer["access-control-allow-origin"], "*")
        self.assertEqual(answer["cross-origin-resource-policy"], "cross-origin")
        self.assertEqual(answer["accept-ranges"], "none")
        self.assertEqual(answer.cache, "fwd=uri-miss; fwd-status=200; stored")
        self.assertRegex(answer["server-timing"], r"^fetch;dur=\d+, queue;dur=\d+, decode;dur=\d+$")
        lifetimes = answer.lifetimes
        self.assertEqual(set(lifetimes), {"public", "max-age", "stale-while-revalidate", "stale-if-error"})
        self.assertTrue(590 <= lifetimes["max-age"] <= 600, answer)
        self.assertTrue(7 * 86400 - 10 <= lifetimes["stale-while-revalidate"] <= 7 * 86400, answer)
        self.assertTrue(30 * 86400 - 10 <= lifetimes["stale-if-error"] <= 30 * 86400, answer)
        self.assertLess(abs(email.utils.parsedate_to_datetime(answer["last-modified"]).timestamp() - time.time()), 30)
        self.assertEqual(
            set(answer.headers) - {"date", "connection"},
            {"content-type", "content-length", "etag", "last-modified", "cache-control", "cache-status", "server-timing",
             "access-control-allow-origin", "cross-origin-resource-policy", "accept-ranges", "x-content-type-options"})

    def test_a_hit_is_the_same_answer_without_timing(self):
        page = self.origin.page(headers={"Cache-Control": "max-age=600"})
        miss, hit = self.service.get(page.url), self.service.get(page.url)
        self.assertEqual(miss.body, hit.body)
        self.assertRegex(hit.cache, r"^hit; ttl=\d+$")
        self.assertNotIn("server-timing", hit.headers)
        for name in ("etag", "last-modified", "content-type", "content-length"):
            self.assertEqual(miss[name], hit[name])
        ttl = int(hit.cache.removeprefix("hit; ttl="))
        self.assertTrue(580 <= ttl <= 600 and hit.lifetimes["max-age"] == ttl, hit)
        self.assertEqual(page.count, 1)

    def test_the_picture_is_the_origins(self):
        answer = self.service.get(self.origin.page(origin.quarters()).url)
        for want, got in zip(origin.QUARTERS, answer.picture.quarters()):
            self.assertTrue(all(abs(a - b) < 14 for a, b in zip(origin.COLOURS[want], got)), (want, got))

    def test_the_query_form_is_the_same_avatar(self):
        page, hit = self.warmed()
        answer = self.service.by_query(page.url)
        self.assertEqual((answer.status, answer.body, page.count), (200, hit.body, 1))

    def test_head_says_what_get_says_without_a_body(self):
        page, _ = self.warmed()
        missing = self.origin.page(status=404).url
        self.service.get(missing)
        targets = {
            "an avatar": self.service.path(page.url),
            "an object": f"/o/{self.service.get(page.url).sha256}.jpg",
            "health": "/healthz",
            "no such path": "/nowhere",
            "no such object": f"/o/{'0' * 64}.jpg",
            "a remembered failure": self.service.path(missing),
            "an invalid source": self.service.path("ftp://example.com/a.png"),
        }
        for name, target in targets.items():
            with self.subTest(name):
                get, head = (client.ask(self.service.port, target, method) for method in ("GET", "HEAD"))
                self.assertEqual(head.body, b"")
                self.assertEqual(head.status, get.status)
                for field in set(get.headers) - {"date", "cache-control", "cache-status"}:
                    self.assertEqual(head[field], get[field], field)

    def test_head_fetches_what_is_not_there(self):
        page = self.origin.page()
        head = self.service.get(page.url, method="HEAD")
        self.assertEqual((head.status, page.count), (200, 1))
        self.assertEqual(self.service.get(page.url)["etag"], head["etag"])
        self.assertEqual([request.method for request in page.requests], ["GET"])

    def test_if_none_match(self):
        page, hit = self.warmed()
        etag = hit["etag"]
        for value, status in {
            etag: 304, f"W/{etag}": 304, "*": 304, f'"other", {etag}': 304, f'"a",W/"b" , {etag},': 304,
            '"other"': 200, etag.strip('"'): 200, etag.upper(): 200, '""': 200, f'"x{etag[1:]}': 200,
        }.items():
            with self.subTest(value):
                answer = self.service.get(page.url, If_None_Match=value)
                self.assertEqual(answer.status, status)
                for name in ("etag", "cache-control", "last-modified", "cache-status", "access-control-allow-origin"):
                    self.assertTrue(answer[name], f"{name} in {answer}")
        self.assertEqual(page.count, 1)

    def test_if_modified_since(self):
        page, hit = self.warmed()
        changed = email.utils.parsedate_to_datetime(hit["last-modified"]).timestamp()
        date = lambda seconds: email.utils.formatdate(changed + seconds, usegmt=True)
        for value, status in {date(0): 304, date(-1): 200, "yesterday": 200, "": 200}.items():
            with self.subTest(value):
                self.assertEqual(self.service.get(page.url, If_Modified_Since=value or None).status, status)
        with self.subTest("If-None-Match goes first"):
            self.assertEqual(self.service.get(page.url, If_None_Match='"no"', If_Modified_Since=date(0)).status, 200)
            answer = self.service.get(page.url, If_None_Match=hit["etag"], If_Modified_Since=date(-100))
            self.assertEqual(answer.status, 304)

    def test_a_condition_holds_on_a_miss_as_well(self):
        page, hit = self.warmed()
        other = self.origin.page(page.body)
        self.assertEqual(self.service.get(other.url, If_None_Match=hit["etag"]).status, 304)

    def test_if_match_and_range_are_ignored(self):
        page, hit = self.warmed()
        for fields in ({"If_Match": '"other"'}, {"Range": "bytes=0-9"}, {"If_Unmodified_Since": "Thu, 01 Jan 1970 00:00:00 GMT"}):
            with self.subTest(fields):
                answer = self.service.get(page.url, **fields)
                self.assertEqual((answer.status, answer.body), (200, hit.body))

    def test_only_if_cached_never_fetches(self):
        page = self.origin.page()
        answer = self.service.get(page.url, Cache_Control="only-if-cached")
        self.assert_problem(answer, 504, "not_cached")
        self.assertEqual((page.count, answer["cache-control"]), (0, "no-store"))
        self.service.get(page.url)
        self.assertEqual(self.service.get(page.url, Cache_Control="max-age=0, only-if-cached").status, 200)
        self.assertEqual(page.count, 1)

    def test_a_clients_no_cache_is_ignored(self):
        page, _ = self.warmed()
        for value in ("no-cache", "no-store", "max-age=0"):
            self.assertRegex(self.service.get(page.url, Cache_Control=value, Pragma="no-cache").cache, "^hit")
        self.assertEqual(page.count, 1)

    def test_a_versioned_url_is_immutable_while_it_is_true(self):
        page, hit = self.warmed()
        path = self.service.path(page.url)
        right = client.ask(self.service.port, f"{path}?v={hit.sha256[:16]}")
        self.assertEqual(right["cache-control"], "public, max-age=31536000, immutable")
        wrong = client.ask(self.service.port, f"{path}?v={'0' * 16}")
        self.assertEqual(wrong.status, 200)
        self.assertNotIn("immutable", wrong.lifetimes)
        self.assertEqual(right.body, wrong.body)

    def test_an_object_is_immutable(self):
        _, hit = self.warmed()
        target = f"/o/{hit.sha256}.jpg"
        answer = client.ask(self.service.port, target)
        self.assertEqual((answer.status, answer.body), (200, hit.body))
        self.assertEqual(answer["cache-control"], "public, max-age=31536000, immutable")
        self.assertEqual(client.ask(self.service.port, target, headers={"If-None-Match": "*"}).status, 304)

    def test_what_is_no_object_is_404_and_not_kept(self):
        for name in ("0" * 64, "0" * 63, "0" * 65, "zz", "", "A" * 64):
            with self.subTest(name):
                answer = client.ask(self.service.port, f"/o/{name}.jpg")
                self.assert_problem(answer, 404, "not_found")
                self.assertEqual(answer["cache-control"], "no-store")

    def test_no_path_leads_out_of_the_objects(self):
        for path in ("/o/../index.sqlite3", "/o/..%2findex.sqlite3", "/o/%2e%2e/index.sqlite3", "/../../etc/passwd",
                     "/o/00/../../index.sqlite3.jpg", "/avatar/unsigned/..%2f..%2fetc%2fpasswd.jpg", "/o/%00.jpg"):
            with self.subTest(path):
                self.assertIn(client.ask(self.service.port, path).status, (400, 404))

    def test_other_methods_are_405_with_allow(self):
        target = self.service.path(self.origin.page().url)
        for method in ("POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "BREW"):
            for path in (target, "/healthz", "/nowhere"):
                with self.subTest(f"{method} {path[:20]}"):
                    answer = client.ask(self.service.port, path, method)
                    self.assert_problem(answer, 405, "method_not_allowed")
                    self.assertEqual(answer["allow"], "GET, HEAD")

    def test_other_paths_are_404(self):
        for path in ("/", "/avatars", "/avatar/", "/avatar/unsigned", "/avatar/unsigned/", "/metrics", "/v1/prefetch",
                     "/readyz", "/favicon.ico", "/avatar/unsigned/a/b.jpg", "//avatar"):
            with self.subTest(path):
                self.assert_problem(client.ask(self.service.port, path), 404, "not_found")

    def test_a_target_to_24_kib_is_read_and_a_longer_one_is_414(self):
        start = "/avatar/unsigned/"
        for length, status in {24 * 1024: 400, 24 * 1024 + 1: 414, 26 * 1024: 414}.items():
            with self.subTest(length):
                answer = client.ask(self.service.port, start + "A" * (length - len(start) - 4) + ".jpg")
                self.assertEqual(answer.status, status)

    def test_a_head_past_the_parsers_memory_is_refused_by_the_parser_itself(self):
        # It never reaches our code, so that the form is the library's; the status is right and the connection ends.
        for name, request, status in (
            ("a target", b"GET /" + b"A" * 60000 + b" HTTP/1.1\r\nHost: a\r\n\r\n", b"414"),
            ("a field", b"GET / HTTP/1.1\r\nHost: a\r\nX: " + b"A" * 60000 + b"\r\n\r\n", b"431"),
        ):
            with self.subTest(name), client.Connection(self.service.port) as connection:
                connection.socket.sendall(request)
                received = b"".join(iter(lambda: connection.socket.recv(65536), b""))
                self.assertEqual(received[:12], b"HTTP/1.1 " + status, received[:200])

    def test_sources_that_are_no_sources_are_400(self):
        long = "http://127.0.0.1/" + "x" * 4096
        for source in ("ftp://example.com/a.png", "a.png", "http://", "http://user@example.com/a.png",
                       "http://2130706433/a.png", "http://0x7f.1/a.png", "http://[::1/a.png", "http://example.com:0/a",
                       "http://example.com:65536/a", "http://example.com/%zz", "file:///etc/passwd", long):
            with self.subTest(source[:60]):
                self.assert_problem(self.service.get(source), 400, "invalid_source_url")
                self.assert_problem(self.service.by_query(source), 400, "invalid_source_url")

    def test_what_is_no_list_of_sources_is_400(self):
        page = self.origin.page().url
        cases = {
            "five sources": (self.service.path(*[page] * 5), "too_many_sources"),
            "not base64url": ("/avatar/unsigned/a+b.jpg", None),
            "padding": (f"/avatar/unsigned/{support.segment('http://a.example/')}==.jpg", None),
            "unknown option": (self.service.path("fit=stretch", page), None),
            "no sources": ("/avatar", None),
            "an empty source": ("/avatar?src=", None),
        }
        for name, (target, code) in cases.items():
            with self.subTest(name):
                answer = client.ask(self.service.port, target)
                self.assertIn(answer.status, (400, 404) if code is None else (400,), answer)
                if code:
                    self.assertEqual(answer.code, code)

    def test_addresses_are_refused_alike_whatever_is_behind_them(self):
        service = self.start({"fetch.allowAddresses": []})
        answers = [service.get(url) for url in (
            self.origin.page().url, f"http://127.0.0.1:{support.free_port()}/a.png", "http://10.0.0.1/a.png",
            "http://169.254.169.254/latest/meta-data/", "http://[::1]/a.png", "http://[::ffff:127.0.0.1]/a.png")]
        self.assertEqual({(answer.status, answer.code, answer.body) for answer in answers},
                         {(403, "address_not_allowed", answers[0].body)})

    def test_errors_of_an_origin_have_their_codes_and_lifetimes(self):
        at = self.origin.page
        cases = [
            ("gone", at(status=404), 404, "origin_not_found", 3960), ("410", at(status=410), 404, "origin_not_found", 3960),
            ("403", at(status=403), 502, "origin_status", 33), ("500", at(status=500), 502, "origin_status", 33),
            ("503", at(status=503), 503, "origin_throttled", 66), ("429", at(status=429), 503, "origin_throttled", 66),
            ("a page", at(b"<!doctype html><title>x</title>", content_type="text/html"), 422, "image_unsupported", 3960),
            ("nothing", at(b""), 422, "source_empty", 3960),
            ("half a picture", at(origin.noise(1, 256)[:20000]), 422, "image_corrupt", 3960),
            ("cut off", at(act="cut"), 502, "origin_protocol", 33), ("reset", at(act="reset"), 502, None, 33),
            ("too large", at(bytes(11 << 20)), 422, "source_too_large", 3960),
            ("loop", at(status=302, path="/loop", headers={"Location": "/loop"}), 502, "origin_redirect", 33),
        ]
        for name, page, status, code, lifetime in cases:
            with self.subTest(name):
                # A throttled host is left alone as a whole: each case has an origin of its own.
                own = origin.Origin(host=f"127.0.1.{len(name)}" if status == 503 else "127.0.0.1")
                self.addCleanup(own.close)
                page = own.page(page.body, path=page.path, status=page.status, act=page.act, headers=page.headers,
                                content_type=page.content_type)
                answer = self.service.get(page.url)
                self.assertEqual(answer.status, status, answer)
                if code:
                    self.assertEqual(answer.code, code)
                self.assertIn(f"detail={answer.code}", answer.cache)
                age = answer.lifetimes.get("max-age", 0)
                self.assertTrue(lifetime * 0.7 <= age <= lifetime, f"max-age {age} of {lifetime}: {answer}")
                if status == 503:
                    self.assertRegex(answer["retry-after"], r"^\d+$")
                count = page.count
                again = self.service.get(page.url)
                self.assertEqual((again.status, again.code, page.count), (status, answer.code, count))

    def test_a_refused_connection_is_origin_unreachable(self):
        self.assert_problem(self.service.get(f"http://127.0.0.1:{support.free_port()}/a.png"), 502, "origin_unreachable")

    def test_a_connection_is_kept_and_pipelined_requests_are_answered_in_order(self):
        first, second = self.warmed()[0], self.warmed()[0]
        with client.Connection(self.service.port) as connection:
            for page in (first, second, first):
                connection.send(self.service.path(page.url))
            bodies = [connection.read().body for _ in range(3)]
            self.assertEqual(bodies, [self.service.get(page.url).body for page in (first, second, first)])
            self.assertEqual(connection.ask("/healthz").status, 200)

    def test_nothing_of_the_client_reaches_the_origin(self):
        page = self.origin.page()
        self.service.get(page.url, Cookie="a=b", Authorization="Bearer x", Referer="http://a.example/",
                         User_Agent="phone", X_Forwarded_For="192.0.2.1", Accept_Language="de")
        sent = page.requests[0].headers
        self.assertEqual(set(sent) - {"host", "user-agent", "accept", "accept-encoding", "connection"}, set(), sent)
        self.assertRegex(sent["user-agent"], r"^avatar-server/")
        self.assertIn("image/webp", sent["accept"])


if __name__ == "__main__":
    unittest.main()
