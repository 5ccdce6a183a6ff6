"""The page for people, and the control side's guards, in a real browser."""
import http.server
import json
import threading
import time

import client
import origin
import support
from browser import ENTER, TAB, Browser

TOKEN = "a-token-of-the-tests-of-the-page"
REFUSED_LOUDLY = "Failed to load resource"  # What Chromium itself notes of any answer over 399.


def faults(browser):
    """What the console has against the page."""
    return [line for line in browser.console() if line["level"] in ("SEVERE", "WARNING")]


class PageTest(support.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.browser = Browser()
        cls.addClassCleanup(cls.browser.close)

    def open(self, service=None):
        service = service or self.service
        self.browser.look()
        self.browser.open(f"http://127.0.0.1:{service.control}/")
        self.browser.until(lambda: self.browser.shows("#content"), "the numbers")

    def inspect(self, url):
        """What the page says of a source: the sentence, and whether there is a face."""
        self.browser.run("document.getElementById('result').replaceChildren();")
        self.browser.type("#source", url)
        self.browser.press(ENTER)
        self.browser.until(
            lambda: self.browser.run(
                "const r = document.getElementById('result');"
                "return r.getAttribute('aria-busy') === 'false' && r.childElementCount > 0;"), f"an answer for {url}")
        return self.browser.text("#result"), self.browser.shows("#result img.face")

    def test_it_is_whole_and_loads_nothing(self):
        self.browser.console()
        self.open()
        self.assertEqual([], self.browser.console())
        loaded = self.browser.run("return performance.getEntriesByType('resource').map(e => new URL(e.name).pathname)")
        self.assertEqual({"/v1/stats", "/readyz"}, set(loaded))
        page = client.ask(self.service.control, "/")
        policy = dict(part.strip().split(" ", 1) for part in page["content-security-policy"].split(";"))
        self.assertEqual("'none'", policy["default-src"])
        self.assertNotIn("unsafe", page["content-security-policy"])
        self.assertEqual({"default-src", "script-src", "style-src", "connect-src", "img-src", "base-uri", "form-action",
                          "frame-ancestors"}, set(policy))

    def test_its_policy_lets_no_other_script_run(self):
        self.open()
        self.browser.run("const s = document.createElement('script'); s.textContent = 'window.broken = 1';"
                         "document.body.append(s);")
        self.assertIsNone(self.browser.run("return window.broken ?? null"))
        self.assertTrue(any("Content Security Policy" in line["message"] for line in self.browser.console()))

    def test_the_numbers_move(self):
        page = self.origin.page()
        self.open()
        before = self.browser.run("return document.querySelector('#routes tbody').innerText")
        for _ in range(50):
            self.service.get(page.url)
        self.service.get(self.origin.base + "/no-such-picture.png")
        self.browser.until(
            lambda: self.browser.run("return document.querySelector('#routes tbody').innerText") != before, "a change")
        self.browser.until(lambda: "origin_not_found" in self.browser.text("#failures"), "the failure")
        self.assertIn("127.0.0.1", self.browser.text("#failures"))
        self.assertNotIn("no-such-picture", self.browser.text("body"))
        self.assertRegex(self.browser.text("#requests"), r"^[\d.,]+/s$")
        self.assertRegex(self.browser.text("#memory-more"), r"^\d+ avatars?, .* of 256 MiB")
        self.assertEqual([], faults(self.browser))

    def test_the_inspector_on_a_good_a_slow_a_hostile_and_a_broken_avatar(self):
        self.open()
        said, face = self.inspect(self.origin.page(origin.quarters(), headers={"Cache-Control": "max-age=600"}).url)
        self.assertTrue(face, said)
        self.assertIn("The picture is fine: PNG of 256 × 256", said)
        self.assertIn("The origin says max-age=600: fresh for 10 min.", said)
        self.assertTrue(self.browser.run(
            "const i = document.querySelector('img.face');"
            "return i.complete && i.naturalWidth === 256 && getComputedStyle(i).borderRadius === '50%';"))
        said, face = self.inspect(self.origin.page(act="hang").url)
        self.assertFalse(face, said)
        self.assertIn("sent no header within 3", said)
        said, face = self.inspect("http://169.254.169.254/latest/meta-data/")
        self.assertFalse(face, said)
        self.assertIn("link-local", said)
        cut = origin.quarters()
        said, face = self.inspect(self.origin.page(cut[: len(cut) // 2]).url)
        self.assertFalse(face, said)
        self.assertIn("damaged or ends too early", said)
        self.assertEqual([], faults(self.browser))
        said, _ = self.inspect("http://127.1/")
        self.assertIn("invalid_source_url", said)
        self.assertEqual([], [line for line in faults(self.browser) if REFUSED_LOUDLY not in line["message"]])

    def test_what_an_origin_says_is_never_markup(self):
        self.open()
        page = self.origin.page(b"<svg", content_type="image/png<img src=x onerror=window.broken=1>",
                                headers={"Cache-Control": "\"><script>window.broken=1</script>"})
        said, _ = self.inspect(page.url)
        self.assertIn("<img src=x", said)
        self.assertIsNone(self.browser.run("return window.broken ?? null"))
        self.assertEqual(0, self.browser.run("return document.querySelectorAll('#result script, #result img').length"))

    def test_it_works_by_keyboard_alone(self):
        page = self.origin.page()
        self.open()
        self.browser.press(TAB)
        self.assertEqual("Skip to the content", self.browser.run("return document.activeElement.innerText"))
        self.browser.press(ENTER)
        visited = []
        for _ in range(12):
            self.browser.press(TAB)
            visited.append(self.browser.run("return document.activeElement.id || document.activeElement.innerText"))
            if visited[-1] == "source":
                break
        self.assertEqual("source", visited[-1], visited)
        self.browser.press(page.url + ENTER)
        self.browser.until(lambda: self.browser.shows("#result img.face"), "the avatar")
        # Everything that can be used has a name.
        nameless = self.browser.run(
            "return [...document.querySelectorAll('input, select, button, a')].filter(e => !e.labels?.length &&"
            " !e.innerText && !e.getAttribute('aria-label')).map(e => e.outerHTML)")
        self.assertEqual([], nameless)

    def test_a_phone_and_both_colour_schemes(self):
        self.open()
        self.inspect(self.origin.page().url)
        seen = set()
        for dark in (False, True):
            for width in (1100, 390, 320):
                self.browser.look(width, 900, dark)
                wide = self.browser.run("return document.documentElement.scrollWidth")
                self.assertLessEqual(wide, width, f"{width} px")
                colours = self.browser.run(
                    "const s = getComputedStyle(document.body); return [s.backgroundColor, s.color]")
                light = [sum(int(n) for n in colour[4:-1].split(",")[:3]) for colour in colours]
                self.assertGreater(abs(light[0] - light[1]), 500, colours)
                self.assertEqual(dark, light[0] < light[1], colours)
                seen.add(tuple(colours))
        self.assertEqual(2, len(seen))

    def test_a_token_is_asked_for_and_kept_for_the_tab(self):
        service = self.start({"controlTokens": [TOKEN]})
        self.browser.console()
        self.browser.open(f"http://127.0.0.1:{service.control}/")
        self.browser.until(lambda: self.browser.shows("#gate"), "the question")
        self.assertFalse(self.browser.shows("#content"))
        self.assertEqual([], faults(self.browser))
        self.browser.type("#token", "wrong")
        self.browser.press(ENTER)
        self.browser.until(lambda: "not one of" in self.browser.text("#gate-note"), "the refusal")
        self.browser.type("#token", TOKEN)
        self.browser.press(ENTER)
        self.browser.until(lambda: self.browser.shows("#content"), "the numbers")
        said, face = self.inspect(self.origin.page().url)
        self.assertTrue(face, said)
        self.browser.open(f"http://127.0.0.1:{service.control}/")
        self.browser.until(lambda: self.browser.shows("#content"), "the numbers again, without a question")
        self.assertEqual("", self.browser.run("return document.cookie"))
        self.assertEqual(0, self.browser.run("return localStorage.length"))
        self.browser.click("#forget")
        self.browser.until(lambda: self.browser.shows("#gate"), "the question again")
        self.assertEqual(0, self.browser.run("return sessionStorage.length"))
        self.assertNotIn(TOKEN, service.log)


class _Foreign(http.server.BaseHTTPRequestHandler):
    """A page of another site."""

    def do_GET(self):
        body = b"<!doctype html><title>foreign</title><link rel=icon href='data:,'><body>"
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


# Everything that a page can try without asking anybody, and what asks first.
ATTACK = """
const [base, source, done] = arguments;
const order = JSON.stringify({ urls: [source], wait: "2s" }), out = {};
const tries = {
  read: () => fetch(base + "/v1/stats").then(r => r.text()),
  readMetrics: () => fetch(base + "/metrics").then(r => r.text()),
  inspect: () => fetch(base + "/v1/inspect?src=" + encodeURIComponent(source)).then(r => r.text()),
  json: () => fetch(base + "/v1/prefetch", { method: "POST", headers: { "Content-Type": "application/json" }, body: order })
    .then(r => r.text()),
  plain: () => fetch(base + "/v1/prefetch", { method: "POST", mode: "no-cors", body: order }).then(() => "sent"),
  blob: () => fetch(base + "/v1/prefetch", { method: "POST", mode: "no-cors",
    body: new Blob([order], { type: "application/json" }) }).then(() => "sent"),
  beacon: async () => navigator.sendBeacon(base + "/v1/prefetch", new Blob([order], { type: "text/plain" })),
  image: () => new Promise((yes, no) => { const i = new Image(); i.onload = () => yes("loaded");
    i.onerror = () => no(new Error("no image")); i.src = base + "/v1/inspect?src=" + encodeURIComponent(source); }),
  script: () => new Promise((yes, no) => { const s = document.createElement("script"); s.onload = () => yes("loaded");
    s.onerror = () => no(new Error("no script")); s.src = base + "/v1/stats"; document.body.append(s); }),
  form: () => new Promise((yes) => { const f = document.createElement("form"), t = document.createElement("textarea");
    const frame = document.createElement("iframe"); frame.name = "target"; document.body.append(frame);
    f.method = "POST"; f.enctype = "text/plain"; f.target = "target"; f.action = base + "/v1/prefetch";
    t.name = order; f.append(t); document.body.append(f); frame.onload = () => yes("sent"); f.submit(); }),
};
(async () => {
  for (const [name, attempt] of Object.entries(tries)) {
    try { out[name] = String(await attempt()).slice(0, 200); } catch (error) { out[name] = "stopped"; }
  }
  done(out);
})();
"""


class ForeignPageTest(support.Case):
    """Nothing that a page of another site does may have an effect here, or be read by it."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.site = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Foreign)
        threading.Thread(target=cls.site.serve_forever, daemon=True).start()
        cls.addClassCleanup(cls.site.server_close)
        cls.addClassCleanup(cls.site.shutdown)
        cls.browser = Browser(hosts={"evil.test": "127.0.0.1", "rebound.test": "127.0.0.1"})
        cls.addClassCleanup(cls.browser.close)

    def attack(self, from_url, base, service):
        page = self.origin.page()
        before = service.metric("avatar_fetches_total")
        self.browser.open(from_url)
        out = self.browser.run_async(ATTACK, base, page.url)
        for name in ("read", "readMetrics", "inspect", "json", "image", "script"):
            self.assertEqual("stopped", out[name], f"{name} from {from_url} to {base}: {out}")
        time_of_grace = self.origin.page()  # Whatever was let in would have been fetched before this one.
        service.get(time_of_grace.url)
        self.assertEqual(1, time_of_grace.count)
        self.assertEqual(0, page.count, f"from {from_url} to {base}: {out}")
        self.assertEqual(before + 1, service.metric("avatar_fetches_total"))
        return out

    def test_without_tokens_no_foreign_page_gets_in(self):
        control = self.service.control
        for site in (f"http://evil.test:{self.site.server_port}/", f"http://127.0.0.1:{self.site.server_port}/",
                     f"http://localhost:{self.site.server_port}/"):
            for base in (f"http://127.0.0.1:{control}", f"http://localhost:{control}"):
                with self.subTest(site=site, base=base):
                    self.attack(site, base, self.service)

    def test_a_name_that_is_rebound_to_loopback_gets_nothing(self):
        """DNS rebinding: the attacker's page and the control side are one origin to the browser."""
        self.browser.open(f"http://rebound.test:{self.service.control}/v1/stats")
        self.assertIn("host_not_allowed", self.browser.text("body"))
        page = self.origin.page()
        answer = self.browser.run_async(
            "const [source, done] = arguments; fetch('/v1/prefetch', { method: 'POST', headers: {'Content-Type':"
            " 'application/json'}, body: JSON.stringify({ urls: [source], wait: '2s' }) }).then(r => done(r.status),"
            " () => done(0));", page.url)
        self.assertEqual(403, answer)
        for path in ("/", "/metrics", "/openapi.json", "/v1/stats"):
            self.assertEqual("host_not_allowed", client.ask(
                self.service.control, path, headers={"Host": f"rebound.test:{self.service.control}"}).code, path)
        self.assertEqual(0, page.count)

    def test_nobody_frames_the_page(self):
        self.browser.open(f"http://evil.test:{self.site.server_port}/")
        framed = self.browser.run_async(
            "const [url, done] = arguments; const f = document.createElement('iframe'); f.onload = () => {"
            " let seen = 'nothing'; try { seen = f.contentDocument ? f.contentDocument.title : 'other'; } catch {}"
            " done(seen); }; f.src = url; document.body.append(f);", f"http://127.0.0.1:{self.service.control}/")
        self.assertNotEqual("avatar-server", framed)
        self.assertTrue(client.ask(self.service.control, "/")["content-security-policy"].endswith("frame-ancestors 'none'"))

    def test_with_tokens_a_foreign_page_without_one_gets_nothing(self):
        service = self.start({"controlTokens": [TOKEN]})
        page = self.origin.page()
        self.browser.open(f"http://evil.test:{self.site.server_port}/")
        out = self.browser.run_async(ATTACK, f"http://127.0.0.1:{service.control}", page.url)
        for name in ("read", "readMetrics", "inspect", "json", "image", "script"):
            self.assertEqual("stopped", out[name], f"{name}: {out}")
        service.get(self.origin.page().url)
        self.assertEqual(0, page.count)

    def test_guessing_tokens_does_not_fill_the_log(self):
        service = self.start({"controlTokens": [TOKEN]})
        begun = time.monotonic()
        with client.Connection(service.control) as connection:
            for number in range(500):
                answer = connection.ask("/v1/stats", headers={"Authorization": f"Bearer guess-{number}"})
                self.assertEqual((401, "Bearer"), (answer.status, answer["www-authenticate"]))
        seconds = time.monotonic() - begun
        lines = service.logged("refused", 10, code="unauthorized")
        self.assertLessEqual(len(lines), 10 + seconds + 1)
        self.assertEqual(500, service.metric("avatar_errors_total", code="unauthorized"))
        self.assertNotIn("guess-", service.log)
        # The next line that is written tells how many were not.
        support.eventually(lambda: self._next_refusal(service) > 0, what="a line that tells of those held back")

        def accounted():
            lines = service.events("refused", code="unauthorized")
            return len(lines) + sum(line.get("heldBack", 0) for line in lines)

        # Lines are written behind; those held back since the last one are told by the next.
        support.eventually(
            lambda: service.metric("avatar_errors_total", code="unauthorized") - accounted() <= 1
            or self._next_refusal(service) < 0, what="every refusal written or told")

    @staticmethod
    def _next_refusal(service):
        client.ask(service.control, "/v1/stats")
        return json.dumps(service.events("refused")).count("heldBack")
