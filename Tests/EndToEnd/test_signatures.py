"""Signed avatar URLs: only what a key of ours has signed is fetched. (docs/security.md)"""
import base64
import hashlib
import hmac
import os
import pathlib
import unittest

import client
import support

FIRST, SECOND, FOREIGN = "0f" * 16, "1e" * 32, "2d" * 16


def signed(key, segment):
    """A signed path, made by the words of the documentation and nothing of the program."""
    digest = hmac.new(bytes.fromhex(key), f"/{segment}.jpg".encode(), hashlib.sha256).digest()[:16]
    return f"/avatar/{base64.urlsafe_b64encode(digest).decode().rstrip('=')}/{segment}.jpg"


class Signatures(support.Case):
    settings = {"signingKeys": [FIRST, SECOND]}

    def test_what_the_url_command_prints_is_served(self):
        page = self.origin.page()
        for options, segment in (([], support.segment(page.url)),
                                 (["--fit", "contain"], support.segment(page.url, fit="contain"))):
            with self.subTest(options):
                done = self.service.command("url", *options, page.url)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                url = done.stdout.strip()
                self.assertEqual(url, f"http://127.0.0.1:{self.service.port}{signed(FIRST, segment)}")
                self.assertEqual(client.ask(self.service.port, support.local(url)).status, 200)

    def test_a_chain_is_signed_as_one(self):
        first, second = self.origin.page(status=404), self.origin.page()
        url = self.service.command("url", first.url, second.url).stdout.strip()
        self.assertEqual(support.local(url), signed(FIRST, support.segment(first.url, second.url)))
        self.assertEqual(client.ask(self.service.port, support.local(url))["avatar-source"], "1")

    def test_every_key_verifies(self):
        for key in (FIRST, SECOND):
            with self.subTest(key):
                path = signed(key, support.segment(self.origin.page().url))
                self.assertEqual(client.ask(self.service.port, path).status, 200)

    def test_what_no_key_has_signed_is_403_and_not_fetched(self):
        page = self.origin.page()
        segment = support.segment(page.url)
        right = signed(FIRST, segment)
        signature = right.split("/")[2]
        other = support.segment(self.origin.page().url)
        cases = {
            "a foreign key": signed(FOREIGN, segment),
            "another's signature": signed(FIRST, other).replace(other, segment),
            "one letter changed": right.replace(signature, ("B" if signature[0] == "A" else "A") + signature[1:]),
            "shorter": right.replace(signature, signature[:-1]),
            "longer": right.replace(signature, signature + "A"),
            "padded": right.replace(signature, signature + "=="),
            "a fit added": signed(FIRST, segment).replace(segment, support.segment(page.url, fit="contain")),
        }
        for name, path in cases.items():
            with self.subTest(name):
                answer = client.ask(self.service.port, path)
                self.assertIn((answer.status, answer.code), ((403, "invalid_signature"), (404, "not_found")), answer)
                self.assertEqual(answer["cache-control"], "no-store")
        self.assertEqual(page.count, 0)

    def test_a_true_signature_holds_behind_a_hit_for_its_own_segment_only(self):
        page = self.origin.page()
        segment = support.segment(page.url)
        self.assertEqual(client.ask(self.service.port, signed(FIRST, segment)).status, 200)
        self.assert_problem(client.ask(self.service.port, signed(FOREIGN, segment)), 403, "invalid_signature")
        self.assertEqual(client.ask(self.service.port, signed(FIRST, segment)).status, 200)

    def test_unsigned_urls_are_403_where_there_are_keys(self):
        page = self.origin.page()
        self.assert_problem(self.service.get(page.url), 403, "unsigned_not_allowed")
        self.assert_problem(self.service.by_query(page.url), 403, "unsigned_not_allowed")
        self.assertEqual(page.count, 0)

    def test_a_source_is_judged_behind_its_signature_all_the_same(self):
        path = signed(FIRST, support.segment("ftp://example.com/a.png"))
        self.assert_problem(client.ask(self.service.port, path), 400, "invalid_source_url")

    def test_unsigned_urls_are_served_beside_keys_where_that_is_set(self):
        service = self.start({"signingKeys": [FIRST], "allowUnsigned": True})
        page = self.origin.page()
        self.assertEqual(service.get(page.url).status, 200)
        self.assertEqual(client.ask(service.port, signed(FIRST, support.segment(page.url))).status, 200)
        self.assertEqual(page.count, 1)

    def test_identity_rules_join_signed_urls_and_leave_unsigned_ones_apart(self):
        rules = [{"hosts": ["127.0.0.1"], "drop": ["X-Sig"]}]
        service = self.start({"signingKeys": [FIRST], "allowUnsigned": True, "identity": rules})
        page = self.origin.page()
        first, second = page.url + "?X-Sig=a&v=1", page.url + "?X-Sig=b&v=1"
        for url in (first, second):
            self.assertEqual(client.ask(service.port, signed(FIRST, support.segment(url))).status, 200)
        self.assertEqual(page.count, 1)
        client.ask(service.port, signed(FIRST, support.segment(page.url + "?X-Sig=a&v=2")))
        self.assertEqual(page.count, 2)
        # An unsigned request must not reach a private picture by its name.
        self.assertEqual(service.get(page.url + "?X-Sig=c&v=1").status, 200)
        self.assertEqual(page.count, 3)


class Rotation(support.Case):
    @classmethod
    def setUpClass(cls):
        cls.keys = os.path.join(support.temporary(cls), "keys")
        pathlib.Path(cls.keys).write_text(f"# the only one\n{FIRST}\n")
        cls.settings = {"signingKeysFile": cls.keys}
        super().setUpClass()

    def set_keys(self, *keys):
        pathlib.Path(self.keys).write_text("\n".join(keys))
        self.service.reload()

    def handed_out(self, page):
        return support.local(self.service.call("/v1/prefetch", {"urls": [page.url]}).json["avatars"][0]["avatarURL"])

    def test_keys_change_without_a_restart_and_without_a_dead_url(self):
        page = self.origin.page()
        segment = support.segment(page.url)
        old, new = signed(FIRST, segment), signed(SECOND, segment)
        status = lambda path: client.ask(self.service.port, path).status
        self.assertEqual((status(old), status(new)), (200, 403))
        self.set_keys(FIRST, SECOND)
        self.assertEqual((status(old), status(new), self.handed_out(page).split("?")[0]), (200, 200, old))
        self.set_keys(SECOND, FIRST)
        self.assertEqual((status(old), status(new), self.handed_out(page).split("?")[0]), (200, 200, new))
        self.set_keys(SECOND)
        self.assertEqual((status(old), status(new)), (403, 200))
        self.assertEqual(page.count, 1)

    def test_keys_that_do_not_load_leave_the_old_ones(self):
        page = self.origin.page()
        self.set_keys(FIRST)
        for fault in ("xyz", "0f0f"):
            with self.subTest(fault):
                pathlib.Path(self.keys).write_text(fault)
                self.service.reload("reload_failed")
                self.assertEqual(client.ask(self.service.port, signed(FIRST, support.segment(page.url))).status, 200)
        self.assertNotIn(FIRST, self.service.log)


if __name__ == "__main__":
    unittest.main()
