"""The control side: prefetch, purge, inspect, numbers, and who may use it."""
import base64
import re
import unittest

import client
import origin
import support


class Prefetch(support.Case):
    settings = {"negative.unreachable": "30s", "publicBaseURL": "https://avatars.example.com"}

    def prefetch(self, body, status=200):
        answer = self.service.call("/v1/prefetch", body)
        self.assertEqual(answer.status, status, answer)
        return answer.json["avatars"]

    def test_an_avatar_that_settles_in_time_is_ready(self):
        page = self.origin.page(headers={"Cache-Control": "max-age=600"})
        (told,) = self.prefetch({"avatars": [{"sources": [page.url]}], "wait": "4s"})
        served = self.service.get(page.url)
        self.assertEqual(
            {name: told.get(name) for name in ("status", "sha256", "bytes", "width", "source", "cache")},
            {"status": "ready", "sha256": served.sha256, "bytes": len(served.body), "width": 256, "source": 0, "cache": "miss"})
        self.assertEqual(
            told["avatarURL"],
            f"https://avatars.example.com{self.service.path(page.url)}?v={served.sha256[:16]}")
        self.assertEqual(told["objectURL"], f"https://avatars.example.com/o/{served.sha256}.jpg")
        self.assertRegex(told["freshUntil"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$")
        for name in ("avatarURL", "objectURL"):
            answer = client.ask(self.service.port, support.local(told[name]))
            self.assertEqual((answer.status, answer.body), (200, served.body))
            self.assertIn("immutable", answer.lifetimes)
        with self.subTest("again it is a hit"):
            (again,) = self.prefetch({"urls": [page.url]})
            self.assertEqual(again, {**told, "cache": "hit"})
            self.assertEqual(page.count, 1)

    def test_without_wait_the_answer_comes_at_once_and_the_work_goes_on(self):
        for wait in ({}, {"wait": "0s"}):
            with self.subTest(wait):
                page = self.origin.page().hold()
                self.addCleanup(page.release)
                (told,) = self.prefetch({"urls": [page.url], **wait}, status=202)
                path = self.service.path(page.url)
                self.assertEqual(told, {"status": "pending", "avatarURL": f"https://avatars.example.com{path}"})
                page.wait_for(1)
                page.release()
                support.eventually(lambda: self.service.get(page.url, Cache_Control="only-if-cached").status == 200)

    def test_wait_ends_with_what_is_ready_then(self):
        ready, silent = self.origin.page(), self.origin.page().hold()
        self.addCleanup(silent.release)
        told = self.prefetch({"urls": [ready.url, silent.url], "wait": "1s"}, status=202)
        self.assertEqual(told[1]["status"], "pending")
        self.assertIn(told[0]["status"], ("ready", "pending"))
        silent.release()
        told = self.prefetch({"urls": [ready.url, silent.url], "wait": "4s"})
        self.assertEqual([avatar["status"] for avatar in told], ["ready", "ready"])
        self.assertEqual((ready.count, silent.count), (1, 1))

    def test_each_avatar_fails_alone_and_the_order_holds(self):
        sources = [
            ["ftp://example.com/a.png"], [self.origin.page(status=404).url], [self.origin.page().url],
            [self.origin.page(b"<html>").url], [], [self.origin.page().url] * 5,
            [self.origin.page(status=404).url, self.origin.page().url],
        ]
        told = self.prefetch({"avatars": [{"sources": group} for group in sources], "wait": "4s"})
        self.assertEqual(
            [avatar["status"] for avatar in told], ["failed", "failed", "ready", "failed", "failed", "failed", "ready"])
        self.assertEqual(
            [avatar.get("error", {}).get("code") for avatar in told],
            ["invalid_source_url", "origin_not_found", None, "image_unsupported", "too_many_sources", "too_many_sources", None])
        self.assertTrue(2500 <= told[1]["error"]["retryAfter"] <= 3960, told[1])
        self.assertEqual(told[6]["source"], 1)
        self.assertNotIn("objectURL", told[1])

    def test_fit_is_part_of_the_avatar(self):
        page = self.origin.page(origin.banner("red", 200, 50))
        told = self.prefetch(
            {"avatars": [{"sources": [page.url], "fit": fit} for fit in ("cover", "contain", "stretch")], "wait": "4s"})
        self.assertEqual([avatar["status"] for avatar in told], ["ready", "ready", "failed"])
        self.assertNotEqual(told[0]["sha256"], told[1]["sha256"])
        self.assertEqual(self.service.get(page.url, fit="contain").sha256, told[1]["sha256"])

    def test_refresh_revalidates_what_is_fresh(self):
        page = self.origin.page(origin.plain("red"), etag='"one"', headers={"Cache-Control": "max-age=3600"})
        (first,) = self.prefetch({"urls": [page.url], "wait": "4s"})
        page.body, page.etag = origin.plain("green"), '"two"'
        (second,) = self.prefetch({"urls": [page.url], "wait": "4s", "refresh": True})
        self.assertEqual(second["status"], "ready")
        self.assertNotEqual(first["sha256"], second["sha256"])
        self.assertEqual(page.requests[1].headers["if-none-match"], '"one"')
        self.assert_colour(self.service.get(page.url), "green")
        with self.subTest("the URL that was handed out before lives on, no longer immutable"):
            old = client.ask(self.service.port, support.local(first["avatarURL"]))
            self.assertEqual(old.status, 200)
            self.assertNotIn("immutable", old.lifetimes)

    def test_256_avatars_are_taken_and_one_more_is_not(self):
        urls = [self.origin.page(status=404).url for _ in range(257)]
        self.assertEqual(self.service.call("/v1/prefetch", {"urls": urls}).status, 400)
        told = self.prefetch({"urls": urls[:256], "wait": "4s"})
        self.assertEqual({avatar["status"] for avatar in told}, {"failed"})

    def test_what_is_no_order_is_400(self):
        url = self.origin.page().url
        for name, body in {
            "no JSON": b'{"avatars":[', "nothing": b"", "a number": b"7", "a list": b"[]", "no avatars": b"{}",
            "none at all": b'{"avatars":[]}', "wrong types": b'{"avatars":[{"sources":7}]}', "null": b'{"avatars":null}',
            "both forms": {"avatars": [{"sources": [url]}], "urls": [url]}, "deep": b'{"avatars":' + b"[" * 50000,
            "not UTF-8": b'{"urls":["\xff\xfe"]}', "a bad wait": {"urls": [url], "wait": "soon"},
            "a long wait": {"urls": [url], "wait": "5s"}, "a negative wait": {"urls": [url], "wait": "-1s"},
        }.items():
            with self.subTest(name):
                self.assert_problem(self.service.call("/v1/prefetch", body), 400, "invalid_request")

    def test_a_body_to_one_mebibyte_is_read_and_a_larger_one_is_413(self):
        room = (1 << 20) - len(b'{"urls":[]}')
        self.assertEqual(self.service.call("/v1/prefetch", b'{"urls":[' + b" " * room + b"]}").status, 400)
        self.assert_problem(
            self.service.call("/v1/prefetch", b'{"urls":[' + b" " * (room + 1) + b"]}"), 413, "body_too_large")

    def test_an_object_that_was_handed_out_is_not_evicted(self):
        service = self.start({"cache.maxBytes": "1MiB", "cache.memoryBytes": 0})
        page = self.origin.page()
        answer = service.call("/v1/prefetch", {"urls": [page.url], "wait": "4s"})
        (told,) = answer.json["avatars"]
        for _ in range(80):
            service.get(self.origin.page().url)
        support.eventually(lambda: service.metric("avatar_cache_evictions_total", tier="disk") > 0)
        self.assertEqual(client.ask(service.port, f"/o/{told['sha256']}.jpg").status, 200)


class Control(support.Case):
    def test_inspect_shows_the_steps_and_touches_no_cache(self):
        page = self.origin.page(headers={"Cache-Control": "max-age=600"})
        answer = self.service.call(f"/v1/inspect?src={page.url}", method="GET")
        told = answer.json
        self.assertEqual(answer.status, 200)
        self.assertRegex(told["key"], "^[0-9a-f]{64}$")
        self.assertEqual((told["image"]["format"], told["image"]["width"], told["image"]["height"]), ("png", 64, 64))
        picture = base64.b64decode(told["avatar"].removeprefix("data:image/jpeg;base64,"))
        client.jpeg.check(picture)
        self.assertTrue({"connect", "hop", "body"} <= {step["step"] for step in told["steps"]}, told["steps"])
        self.assertEqual(self.service.get(page.url, Cache_Control="only-if-cached").code, "not_cached")
        with self.subTest("POST stores as well"):
            stored = self.service.call(f"/v1/inspect?src={page.url}", {}).json
            self.assertTrue(stored["stored"])
            self.assertEqual(self.service.get(page.url, Cache_Control="only-if-cached").body, picture)

    def test_inspect_says_what_is_wrong(self):
        for name, page, code in (("404", self.origin.page(status=404), "origin_not_found"),
                                 ("no picture", self.origin.page(b"<html>"), "image_unsupported")):
            with self.subTest(name):
                told = self.service.call(f"/v1/inspect?src={page.url}", method="GET").json
                self.assertEqual(told["code"], code)
                self.assertNotIn("avatar", told)
        self.assert_problem(self.service.call("/v1/inspect?src=ftp://a.example/", method="GET"), 400, "invalid_source_url")

    def test_health_readiness_and_numbers_are_open(self):
        for path in ("/healthz", "/readyz", "/metrics"):
            for method in ("GET", "HEAD"):
                with self.subTest(f"{method} {path}"):
                    self.assertEqual(client.ask(self.service.control, path, method).status, 200)

    def test_metrics_are_text_that_prometheus_reads_without_a_url_in_a_label(self):
        self.service.get(self.origin.page().url)
        answer = client.ask(self.service.control, "/metrics")
        self.assertRegex(answer["content-type"], r"^text/plain; version=0\.0\.4")
        text, families = answer.body.decode(), {}
        for line in text.splitlines():
            if comment := re.fullmatch(r"# (HELP|TYPE) ([a-z_]+) (.+)", line):
                families.setdefault(comment[2], {})[comment[1]] = comment[3]
                continue
            sample = re.fullmatch(r'([a-z_]+)(\{[a-z]+="[^"\\]*"(,[a-z]+="[^"\\]*")*\})? ([0-9.e+-]+|\+Inf)', line)
            self.assertTrue(sample, line)
            family = sample[1] if sample[1] in families else re.sub("_(bucket|sum|count)$", "", sample[1])
            self.assertEqual(set(families.get(family, {})), {"HELP", "TYPE"}, line)
        self.assertNotIn("127.0.0.1", text)
        for name in ("http_requests_total", "http_request_duration_seconds", "errors_total", "fetches_total",
                     "fetch_duration_seconds", "decode_duration_seconds", "queue_duration_seconds",
                     "coalesced_requests_total", "cache_bytes", "cache_objects", "cache_evictions_total", "workers_busy",
                     "worker_restarts_total", "build_info"):
            self.assertIn(f"avatar_{name}", families)
        for name in ("cpu_seconds_total", "resident_memory_bytes", "open_fds", "max_fds", "start_time_seconds"):
            self.assertIn(f"process_{name}", families)

    def test_every_exchange_and_every_decode_is_counted(self):
        names = [f"avatar_{name}_duration_seconds_count" for name in ("fetch", "decode", "queue")]
        names += ["avatar_fetches_total", "avatar_cache_objects"]
        before = [self.service.metric(name) for name in names]
        page = self.origin.page()
        self.service.get(page.url)
        after = lambda: [now - then for now, then in zip(map(self.service.metric, names), before)]
        support.eventually(lambda: after() == [1, 1, 1, 1, 2], what="one of each, the object in both tiers")
        missing = self.origin.page(status=404)
        count = lambda: [self.service.metric("avatar_fetches_total", outcome="origin_not_found"),
                         self.service.metric("avatar_errors_total", code="origin_not_found")]
        then = count()
        self.service.get(missing.url)
        self.assertEqual([now - before for now, before in zip(count(), then)], [1, 1])
        self.service.get(page.url)
        self.assertGreaterEqual(
            self.service.metric("avatar_http_requests_total", side="public", route="avatar", status="200"), 2)
        self.assertGreaterEqual(
            self.service.metric("avatar_http_request_duration_seconds_count", route="avatar", cache="hit"), 1)

    def test_stats_are_json(self):
        self.assertEqual(self.service.call("/v1/stats", method="GET").status, 200)

    def test_the_public_side_has_none_of_it(self):
        for path in ("/metrics", "/readyz", "/v1/stats", "/v1/inspect?src=http://a.example/", "/v1/purge"):
            with self.subTest(path):
                self.assert_problem(client.ask(self.service.port, path), 404, "not_found")

    def test_other_methods_are_405_with_allow(self):
        for method, path, allowed in (
            ("GET", "/v1/prefetch", "POST"), ("GET", "/v1/purge", "POST"), ("POST", "/healthz", "GET, HEAD"),
            ("POST", "/metrics", "GET, HEAD"), ("POST", "/v1/stats", "GET, HEAD"),
        ):
            with self.subTest(f"{method} {path}"):
                answer = self.service.call(path, {} if method == "POST" else None, method)
                self.assert_problem(answer, 405, "method_not_allowed")
                self.assertEqual(answer["allow"], allowed)
        for method in ("PUT", "DELETE", "OPTIONS", "PATCH"):
            self.assert_problem(client.ask(self.service.control, "/v1/purge", method), 405, "method_not_allowed")

    def test_a_purge_says_what_it_removed(self):
        page = self.origin.page()
        answer = self.service.get(page.url)
        self.assertEqual(self.service.call("/v1/purge", {"sources": [page.url]}).json, {"entries": 1, "objects": 1})
        support.eventually(lambda: answer.sha256 not in self.service.objects(), what="the file gone")
        self.assertEqual(self.service.call("/v1/purge", {"sources": [page.url]}).json, {"entries": 0, "objects": 0})

    def test_a_purge_of_a_remembered_failure_forgets_it(self):
        page = self.origin.page(status=404)
        self.service.get(page.url)
        page.status = 200
        self.assert_problem(self.service.get(page.url), 404, "origin_not_found")
        self.service.call("/v1/purge", {"sources": [page.url]})
        self.assertEqual(self.service.get(page.url).status, 200)

    def test_what_is_no_purge_is_400(self):
        for name, body in {
            "nothing": {}, "two at once": {"sha256": "0" * 64, "host": "a.example"}, "no hash": {"sha256": "zz"},
            "no pattern": {"host": "*"}, "no sources": {"sources": []}, "no JSON": b"{",
        }.items():
            with self.subTest(name):
                self.assert_problem(self.service.call("/v1/purge", body), 400, "invalid_request")
        self.assert_problem(self.service.call("/v1/purge", {"sources": ["ftp://a.example/"]}), 400, "invalid_source_url")


class Guards(support.Case):
    """Who may use the control side."""

    def post(self, service=None, **headers):
        service = service or self.service
        fields = {name.replace("_", "-"): value for name, value in headers.items()}
        return service.call("/v1/purge", {"host": "a.example"}, headers=fields)

    def test_json_only(self):
        for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=a", None):
            with self.subTest(kind):
                self.assert_problem(self.post(Content_Type=kind), 415, "unsupported_media_type")
        for kind in ("application/json", "application/json; charset=utf-8", "Application/JSON"):
            with self.subTest(kind):
                self.assertEqual(self.post(Content_Type=kind).status, 200)

    def test_without_tokens_the_host_must_be_a_loopback_one(self):
        for host in ("avatars.example.com", "192.0.2.1", "localhost.example.com", "127.0.0.1.nip.io", "0.0.0.0", "2130706433"):
            with self.subTest(host):
                self.assert_problem(self.post(Host=host), 403, "host_not_allowed")
        for host in ("localhost", f"localhost:{self.service.control}", "127.0.0.1", "127.0.0.2:80", "[::1]", "[::1]:8081"):
            with self.subTest(host):
                self.assertEqual(self.post(Host=host).status, 200)

    def test_without_tokens_no_other_site_may_use_it(self):
        own = f"http://127.0.0.1:{self.service.control}"
        for name, headers in {
            "another origin": {"Origin": "https://evil.example"}, "no origin": {"Origin": "null"},
            "another port": {"Origin": "http://127.0.0.1:1"}, "cross-site": {"Sec_Fetch_Site": "cross-site"},
            "same-site": {"Sec_Fetch_Site": "same-site"},
        }.items():
            with self.subTest(name):
                self.assert_problem(self.post(**headers), 403, "host_not_allowed")
        for name, headers in {
            "its own page": {"Origin": own, "Sec_Fetch_Site": "same-origin"}, "typed in": {"Sec_Fetch_Site": "none"},
        }.items():
            with self.subTest(name):
                self.assertEqual(self.post(**headers).status, 200)

    def test_with_tokens_one_of_them_is_needed_below_v1(self):
        service = self.start({"controlTokens": ["first-token-of-ours-0", "second-token-of-ours-1"]})
        for value in (None, "", "Bearer", "Bearer wrong-token-of-ours-0", "Basic first-token-of-ours-0",
                      "Bearer first-token-of-ours-", "Bearer first-token-of-ours-0x", "first-token-of-ours-0"):
            with self.subTest(value):
                answer = self.post(service, **({"Authorization": value} if value else {}))
                self.assert_problem(answer, 401, "unauthorized")
                self.assertEqual(answer["www-authenticate"], "Bearer")
        for value in ("Bearer first-token-of-ours-0", "bearer second-token-of-ours-1"):
            with self.subTest(value):
                self.assertEqual(self.post(service, Authorization=value).status, 200)
        for path in ("/v1/stats", "/v1/inspect?src=http://a.example/"):
            with self.subTest(path):
                self.assert_problem(client.ask(service.control, path), 401, "unauthorized")
        for path in ("/healthz", "/readyz", "/metrics"):
            with self.subTest(path):
                self.assertEqual(client.ask(service.control, path).status, 200)
        self.assertNotIn("token-of-ours", service.log)


if __name__ == "__main__":
    unittest.main()
