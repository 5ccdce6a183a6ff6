"""`/metrics`, `/v1/stats`, request ids and the log: what an operator's own tools read."""
import re
import shutil
import subprocess

import client
import support

PROMISED = {
    "avatar_http_requests_total": {"side", "route", "status"}, "avatar_http_request_duration_seconds": {"route", "cache"},
    "avatar_errors_total": {"code"}, "avatar_fetches_total": {"outcome"}, "avatar_fetch_duration_seconds": set(),
    "avatar_decode_duration_seconds": set(), "avatar_queue_duration_seconds": set(),
    "avatar_coalesced_requests_total": set(), "avatar_cache_bytes": {"tier"}, "avatar_cache_objects": {"tier"},
    "avatar_cache_evictions_total": {"tier"}, "avatar_workers_busy": set(), "avatar_worker_restarts_total": {"reason"},
    "avatar_build_info": {"version"}, "process_cpu_seconds_total": set(), "process_resident_memory_bytes": set(),
    "process_virtual_memory_bytes": set(), "process_start_time_seconds": set(), "process_open_fds": set(),
    "process_max_fds": set(),
}
TRACE = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"


class MetricsTest(support.Case):
    def text(self):
        answer = client.ask(self.service.control, "/metrics")
        self.assertEqual((200, "text/plain; version=0.0.4; charset=utf-8"), (answer.status, answer["content-type"]))
        return answer.body.decode()

    def samples(self):
        """Every sample: name, labels, value."""
        found = []
        for line in self.text().splitlines():
            if not line.startswith("#"):
                name, labels, value = re.fullmatch(r"(\w+)(?:\{(.*)\})? (\S+)", line).groups()
                found.append((name, dict(re.findall(r'(\w+)="([^"]*)"', labels or "")), float(value)))
        return found

    def exercise(self):
        """One of everything."""
        good, bad = self.origin.page(), self.origin.page(b"no picture")
        for _ in range(3):
            self.service.get(good.url)
        self.service.get(bad.url)
        held = self.origin.page().hold()
        first = support.at_once(2, lambda index: self.service.get(held.url) if index else (
            held.wait_for(1), support.eventually(
                lambda: self.service.metric("avatar_fetches_in_flight") >= 1), held.release()))
        self.assertTrue(first)
        self.service.call("/v1/prefetch", {"urls": [good.url]})
        self.service.call("/v1/purge", {"nothing": 1})
        client.ask(self.service.port, "/no-such-thing")
        client.ask(self.service.port, f"/o/{'0' * 64}.jpg")
        client.ask(self.service.control, "/")
        client.ask(self.service.control, "/openapi.json")
        client.ask(self.service.control, "/no-such-thing")

    def test_promtool_has_nothing_against_them(self):
        promtool = shutil.which("promtool")
        self.assertTrue(promtool, "promtool is needed: .ci/setup test installs it with prometheus")
        self.exercise()
        done = subprocess.run([promtool, "check", "metrics"], input=self.text(), capture_output=True, text=True)
        self.assertEqual((0, "", ""), (done.returncode, done.stdout, done.stderr))

    def test_all_that_is_promised_is_there_and_true_to_what_happened(self):
        self.exercise()
        samples = self.samples()
        seen = {}
        for name, labels, _ in samples:
            base = re.sub(r"_(bucket|sum|count)$", "", name) if name not in PROMISED else name
            seen.setdefault(base, set()).update(set(labels) - {"le"})
        declared = set(re.findall(r"^# TYPE (\w+) ", self.text(), re.M))
        for name, labels in PROMISED.items():
            self.assertIn(name, declared)
            if name != "avatar_worker_restarts_total":  # None so far, at best.
                self.assertEqual(labels, seen.get(name), name)
        series = [(name, tuple(sorted(labels.items()))) for name, labels, _ in samples]
        self.assertEqual(len(series), len(set(series)), "a series twice")
        self.assertGreaterEqual(self.service.metric("avatar_fetches_total", outcome="ok"), 2)
        self.assertGreaterEqual(self.service.metric("avatar_fetches_total", outcome="image_unsupported"), 1)
        self.assertGreaterEqual(self.service.metric("avatar_decode_duration_seconds_count"), 2)
        for route, side, status in (("avatar", "public", 200), ("avatar", "public", 422), ("stray", "public", 404),
                                    ("object", "public", 404), ("purge", "control", 400), ("page", "control", 200),
                                    ("openapi", "control", 200), ("other", "control", 404)):
            self.assertGreaterEqual(
                self.service.metric("avatar_http_requests_total", route=route, side=side, status=status), 1,
                f"{side} {route} {status}")
        for code in ("image_unsupported", "not_found", "invalid_request"):
            self.assertGreaterEqual(self.service.metric("avatar_errors_total", code=code), 1, code)

    def test_no_url_and_no_host_in_a_label(self):
        self.exercise()
        text = self.text()
        for word in ("127.0.0.1", "localhost", "http", "page-"):
            labels = "".join(re.findall(r"\{.*\}", text))
            self.assertNotIn(word, labels)
        before = len(self.samples())
        for number in range(50):
            client.ask(self.service.port, f"/label-{number}")
        self.assertEqual(before, len(self.samples()), "labels grow with what is asked")

    def test_stats_show_rates_and_recent_failures(self):
        page = self.origin.page()
        self.service.get(page.url)
        self.service.call("/v1/stats", method="GET")
        for _ in range(40):
            self.service.get(page.url)
        stats = support.eventually(
            lambda: (s := self.service.call("/v1/stats", method="GET").json)["live"]["routes"].get("avatar", 0) > 0 and s,
            what="a rate")
        self.assertGreater(stats["live"]["hitRatio"], 0.5)
        latency = stats["live"]["latency"]["hit"]
        self.assertTrue(0 <= latency["p50"] <= latency["p90"] <= latency["p99"], latency)
        for _ in range(3):
            self.service.call("/v1/prefetch", {"urls": [self.origin.page(b"", status=500).url + "?secret=1"], "wait": "2s"})
        newest = self.service.call("/v1/stats", method="GET").json["failures"][0]
        self.assertEqual(("origin_status", "127.0.0.1", 500), tuple(newest[k] for k in ("code", "host", "originStatus")))
        self.assertGreaterEqual(newest["count"], 3)
        self.assertLessEqual(newest["first"], newest["last"])

    def test_a_request_id_is_accepted_or_made_and_given_back(self):
        for given, kept in (("abc-DEF_1.2", True), ("x" * 128, True), ("x" * 129, False), ("a b", False), ("a\"b", False)):
            with self.subTest(given=given):
                answer = client.ask(self.service.control, "/v1/stats", headers={"X-Request-Id": given})
                if kept:
                    self.assertEqual(given, answer["x-request-id"])
                else:
                    self.assertRegex(answer["x-request-id"], "^[0-9a-f]{16}$")
        made = {client.ask(self.service.control, "/healthz")["x-request-id"] for _ in range(20)}
        self.assertEqual(20, len(made))
        self.assertTrue(client.ask(self.service.control, "/nothing")["x-request-id"])

    def test_a_log_line_carries_the_callers_ids(self):
        page = self.origin.page()
        self.service.call("/v1/prefetch", {"urls": [page.url], "wait": "2s"},
                          headers={"X-Request-Id": "call-4711", "traceparent": TRACE})
        client.ask(self.service.port, self.service.path(self.origin.page().url), headers={"traceparent": TRACE})
        mine = self.service.logged("request", requestID="call-4711")
        self.assertEqual([("prefetch", 200, TRACE)], [(l["route"], l["status"], l["traceparent"]) for l in mine])
        self.assertEqual(1, len(self.service.logged("request", route="avatar", traceparent=TRACE)))
        self.service.call("/v1/prefetch", b"not json", headers={"X-Request-Id": "call-4712", "traceparent": "00-zz-00-01"})
        refused = self.service.logged("refused", requestID="call-4712")
        self.assertEqual(1, len(refused))
        self.assertNotIn("traceparent", refused[0])

    def test_the_log_has_only_keys_that_are_documented(self):
        self.exercise()
        told = (support.PACKAGE / "docs/operations.md").read_text()
        for line in self.service.log.splitlines():
            for event in [client.json.loads(line)]:
                self.assertIn(f"`{event['event']}`", told, line)
                for key in event:
                    self.assertIn(f"`{key}`", told, line)
