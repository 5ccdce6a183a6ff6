"""`/v1/inspect`: one sentence for each thing that can go wrong, every step shown, and nothing that is nobody's business."""
import json
import socket
import ssl
import struct
import subprocess
import threading
import zlib
from urllib.parse import quote

import origin
import support

SECRET = "do-not-show-this"


def chunk(kind, content):
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def huge_png(side):
    """A header that claims so many pixels, with next to no bytes."""
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(b"\0" * 1000)) + chunk(b"IEND", b""))


class InspectTest(support.Case):
    settings = {"fetch.totalTimeout": "1s", "fetch.maxBytes": "100KiB", "fetch.maxRedirects": 2,
                "fetch.allowAddresses": ["127.0.0.1/32"], "fetch.denyHosts": ["*.denied.test"],
                "fetch.headers": {"127.0.0.1": {"Authorization": f"Bearer {SECRET}"}}}

    def inspect(self, url, method="GET", more="", service=None):
        answer = (service or self.service).call(
            f"/v1/inspect?src={quote(url, safe='')}{more}", method=method, body={} if method == "POST" else None)
        self.assertEqual(200, answer.status, answer)
        self.assertNotIn(SECRET, answer.body.decode())
        return answer.json

    def redirect(self, to, status=302):
        return self.origin.page(b"", status=status, headers={"Location": to}).url

    def test_each_failure_is_explained_in_a_sentence(self):
        with socket.socket() as closed:
            closed.bind(("127.0.0.1", 0))
            nobody = f"http://127.0.0.1:{closed.getsockname()[1]}/a.png"
        here = self.origin.page
        half = origin.quarters()[:300]
        cases = [
            # source, code, what the sentence says
            (here(b"", status=404).url, "origin_not_found", ["The origin answered 404", "no picture under this URL"]),
            (here(b"", status=403).url, "origin_status", ["refuses this URL with 403", "signature has expired"]),
            (here(b"", status=500).url, "origin_status", ["The origin itself failed with 500"]),
            (here(b"", status=429, headers={"Retry-After": "77"}).url, "origin_throttled", ["answered 429", "for 77 s"]),
            (here(b"").url, "source_empty", ["answered 200 without a single byte"]),
            (here(b"<html><title>Sign in</title>").url, "image_unsupported", ["28 bytes sent as image/png are an HTML page"]),
            (here(b"%PDF-1.7 ...", content_type="application/pdf").url, "image_unsupported",
             ["12 bytes sent as application/pdf are a PDF"]),
            (here(b'{"error":"expired"}').url, "image_unsupported", ["are JSON, not a picture"]),
            (here(half).url, "image_corrupt", ["begin like PNG of 256 × 256", "damaged or ends too early"]),
            (here(huge_png(9000)).url, "image_too_many_pixels", ["9000 × 9000", "image.maxPixels allows for PNG"]),
            (here(b"x" * 200_000).url, "source_too_large", ["more bytes than fetch.maxBytes allows", "200000"]),
            (here(act="cut").url, "origin_protocol", ["malformed or was cut short"]),
            (here(act="hang").url, "origin_timed_out", ["took the request on 127.0.0.1", "no header within 1"]),
            (here(act="hang-body").url, "origin_timed_out", ["sent its header, but not the whole picture within 1"]),
            (nobody, "origin_unreachable", ["No connection to 127.0.0.1 on port", "nothing listens there"]),
            ("http://nowhere.invalid/a.png", "origin_unreachable", ["The name nowhere.invalid does not resolve"]),
            ("http://10.1.2.3/a.png", "address_not_allowed", ["Every address of 10.1.2.3 is refused", "fetch.allowAddresses"]),
            ("http://[::1]/a.png", "address_not_allowed", ["Every address of [::1] is refused", "loopback"]),
            ("http://a.denied.test/a.png", "host_not_allowed", ["The host a.denied.test is not one that", "fetch.denyHosts"]),
            (self.redirect("http://169.254.169.254/secret"), "address_not_allowed",
             ["After 1 redirect, every address of 169.254.169.254 is refused", "link-local"]),
            (self.redirect(self.redirect(self.redirect(here().url))), "origin_redirect",
             ["After 3 redirects, the origin's redirect cannot be followed", "more than 2 redirects"]),
            (self.redirect("ftp://files.example/a.png"), "origin_redirect", ["cannot be followed"]),
        ]
        sentences = set()
        for source, code, words in cases:
            with self.subTest(source=source, code=code):
                told = self.inspect(source)
                self.assertEqual(code, told.get("code"), told)
                for word in words:
                    self.assertIn(word, told["summary"])
                self.assertRegex(told["summary"], r"^[A-Z][^\n]*[^.]\.$")
                self.assertNotIn("avatar", told)
                sentences.add(told["summary"])
        self.assertEqual(len(cases), len(sentences), "each failure has a sentence of its own")

    def test_a_certificate_that_nobody_trusts_is_explained(self):
        home = support.temporary(self)
        made = subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "key.pem", "-out", "cert.pem", "-days",
             "2", "-subj", "/CN=untrusted.test"], cwd=home, capture_output=True, text=True)
        self.assertEqual(0, made.returncode, made.stderr)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(f"{home}/cert.pem", f"{home}/key.pem")
        listener = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(listener.close)

        def serve():
            try:
                accepted, _ = listener.accept()
                with accepted:
                    context.wrap_socket(accepted, server_side=True).close()
            except OSError:
                pass  # The service hung up on the certificate, as it must.

        threading.Thread(target=serve, daemon=True).start()
        told = self.inspect(f"https://127.0.0.1:{listener.getsockname()[1]}/a.png")
        self.assertEqual("origin_tls_failed", told["code"])
        self.assertIn("The TLS connection to 127.0.0.1 failed: its certificate is not trusted here", told["summary"])

    def test_a_good_avatar_shows_every_step(self):
        page = self.origin.page(origin.banner("red", 300, 200), headers={"Cache-Control": "max-age=7200"},
                                content_type="image/jpeg", etag='"v1"')
        told = self.inspect(self.redirect(page.url + "?token=" + SECRET))
        self.assertNotIn("code", told)
        self.assertRegex(told["summary"], r"^The picture is fine: PNG of 300 × 200, \d+ bytes as an avatar\.$")
        self.assertEqual("asks the origin", told["answerNow"])
        self.assertEqual(("image/jpeg", "PNG"), (told["declaredType"], told["foundType"]))
        self.assertEqual((300, 200, 1, 1), tuple(told["header"][k] for k in ("width", "height", "frames", "orientation")))
        self.assertEqual((256, 82, False), tuple(told["image"][k] for k in ("side", "quality", "usedProfile")))
        self.assertEqual("The origin says max-age=7200: fresh for 2 h.", told["freshness"]["why"])
        self.assertEqual(["connect", "hop", "connect", "hop", "body"], [step["step"] for step in told["steps"]])
        hops = [step["facts"] for step in told["steps"] if step["step"] == "hop"]
        self.assertEqual(("302", page.url), (hops[0]["status"], hops[0]["location"]))
        self.assertEqual(("200", '"v1"', "max-age=7200"), tuple(hops[1][k] for k in ("status", "etag", "cache-control")))
        times = [step["atMilliseconds"] for step in told["steps"]]
        self.assertEqual(sorted(times), times)
        self.assertTrue(told["avatar"].startswith("data:image/jpeg;base64,/9j/"))

    def test_names_are_shown_with_each_address_and_its_verdict(self):
        page = self.origin.page()
        told = self.inspect(page.url.replace("127.0.0.1", "localhost"))
        addresses = [step["facts"] for step in told["steps"] if step["step"] == "address"]
        verdicts = {facts["address"]: facts["verdict"] for facts in addresses}
        self.assertEqual("allowed", verdicts["127.0.0.1"], told)
        for address, verdict in verdicts.items():
            if address != "127.0.0.1":
                self.assertTrue(verdict.startswith("refused: "), verdicts)

    def test_what_a_request_would_get_now(self):
        page = self.origin.page(headers={"Cache-Control": "max-age=3600"})
        self.assertEqual("asks the origin", self.inspect(page.url)["answerNow"])
        self.service.get(page.url)
        self.assertRegex(self.inspect(page.url)["answerNow"], r"^200 from memory, fresh for another 3[56]\d\d s$")
        self.service.call("/v1/purge", {"sources": [page.url], "soft": True})
        self.assertRegex(
            self.inspect(page.url)["answerNow"], "^200 from (memory|disk), stale, and refreshed behind the answer$")
        gone = self.origin.page(b"", status=404)
        self.service.get(gone.url)
        self.assertRegex(self.inspect(gone.url)["answerNow"], r"^404 origin_not_found, remembered for another \d+ s$")

    def test_a_get_stores_nothing_and_a_post_does(self):
        page = self.origin.page(headers={"Cache-Control": "max-age=3600"})
        told = self.inspect(page.url)
        self.assertNotIn("stored", told)
        self.assertNotIn(told["sha256"], self.service.objects())
        told = self.inspect(page.url, "POST")
        self.assertTrue(told["stored"])
        self.assertIn(told["sha256"], self.service.objects())
        self.assertEqual("hit", self.service.get(page.url).cache.split(";")[0])
        self.assertEqual(2, page.count)
        answer = self.service.call(f"/v1/inspect?src={quote(page.url, safe='')}", headers={"Content-Type": "text/plain"},
                                   body=b"")
        self.assert_problem(answer, 415, "unsupported_media_type")

    def test_no_secret_and_none_of_the_origins_bytes(self):
        words = b"the origin's own words " + SECRET.encode()
        for source in (
                self.origin.page(words).url, self.origin.page().url + f"?signature={SECRET}",
                self.redirect(f"http://user:{SECRET}@127.0.0.1:{self.origin.port}/a.png"),
                self.redirect(f"/elsewhere?signature={SECRET}#{SECRET}")):
            with self.subTest(source=source):
                told = json.dumps(self.inspect(source))  # `inspect` looks for the secret itself.
                self.assertNotIn("own words", told)
        self.assertNotIn(SECRET, self.service.log)
        self.assertTrue(self.origin.pages)

    def test_the_reason_for_freshness(self):
        service = self.start({"freshness.minimum": "5m", "freshness.maximum": "30d"})
        for headers, why in [
                ({}, "The origin says nothing of freshness: fresh for 1 d, which is freshness.default."),
                ({"Cache-Control": "max-age=3600"}, "The origin says max-age=3600: fresh for 1 h."),
                ({"Cache-Control": "max-age=1, s-maxage=7200"}, "The origin says s-maxage=7200: fresh for 2 h."),
                ({"Cache-Control": "max-age=10"}, "The origin says max-age=10: fresh for 5 min, raised to freshness.minimum."),
                ({"Cache-Control": "max-age=31536000"},
                 "The origin says max-age=31536000: fresh for 30 d, lowered to freshness.maximum."),
                ({"Cache-Control": "max-age=3600", "Age": "600"},
                 "The origin says max-age=3600, less the age of 10 min on arrival: fresh for 50 min."),
                ({"Expires": "0"},
                 "The origin says Expires, which is past or cannot be read: fresh for 5 min, raised to freshness.minimum."),
                ({"Cache-Control": "no-store"}, "The origin says no-store: kept in memory for 5 min (freshness.minimum)"),
                ({"Cache-Control": "private"}, "The origin says private: kept in memory for 5 min (freshness.minimum)"),
                ({"Cache-Control": "no-cache"}, "The origin says no-cache: fresh for 5 min (freshness.minimum), then asked"),
                ({"Cache-Control": "max-age=3600, must-revalidate"}, "fresh for 1 h; it must be asked again after that")]:
            with self.subTest(headers=headers):
                told = self.inspect(self.origin.page(headers=headers).url, service=service)
                self.assertIn(why, told["freshness"]["why"])
