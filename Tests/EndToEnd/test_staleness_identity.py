"""Identity rules: presigned URLs of one picture are one avatar, for those who were trusted with them. (Contract, 3)"""
import datetime
import time
import unittest

import support
from origin import Origin

KEY = "00112233445566778899aabbccddeeff"


class Identity(support.Case):
    settings = {
        "signingKeys": [KEY], "allowUnsigned": True,
        "identity": [{"hosts": ["127.0.0.2"], "drop": ["X-Amz-*", "token"]}],
    }

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.ruled = Origin("127.0.0.2")
        cls.addClassCleanup(cls.ruled.close)

    def signed(self, *sources):
        """An avatar by the URL that the program signs."""
        done = self.service.command("url", *sources)
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.ask(support.local(done.stdout.split()[-1]))

    def ask(self, path):
        import client
        return client.ask(self.service.port, path)

    def presigned(self, page, lifetime, signature):
        now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y%m%dT%H%M%SZ")
        return f"{page.url}?X-Amz-Date={now}&X-Amz-Expires={lifetime}&X-Amz-Signature={signature}"

    def test_two_presigned_urls_of_one_picture_are_one_entry(self):
        page = self.ruled.page()
        first, second = (self.signed(self.presigned(page, 60, name)) for name in ("a", "b"))
        self.assertEqual((first.status, second.status, page.count), (200, 200, 1))
        self.assertRegex(second.cache, "^hit")

    def test_what_the_rule_does_not_name_counts(self):
        page = self.ruled.page()
        for query in ("?size=1&token=a", "?size=2&token=a", "?size=2&token=b", "?SIZE=2"):
            self.assertEqual(self.signed(page.url + query).status, 200)
        self.assertEqual(page.count, 3)

    def test_without_a_rule_the_query_counts_byte_for_byte(self):
        page = self.origin.page()
        for query in ("?token=a", "?token=b", "?token=%61", "?"):
            self.assertEqual(self.signed(page.url + query).status, 200)
        self.assertEqual(page.count, 4)

    def test_unsigned_requests_do_not_reach_it_by_its_name(self):
        page = self.ruled.page()
        self.assertEqual(self.signed(page.url + "?token=secret").status, 200)
        page.status = 403
        for query in ("", "?token=guess"):
            answer = self.service.get(page.url + query)
            self.assert_problem(answer, 502, "origin_status")
        self.assertEqual(page.count, 3)

    def test_one_urls_refusal_is_not_anothers(self):
        for status in (401, 403):
            with self.subTest(status):
                page = self.ruled.page(status=status)
                self.assert_problem(self.signed(page.url + "?token=old"), 502, "origin_status")
                page.status = 200
                with self.subTest("remembered for that URL"):
                    self.assert_problem(self.signed(page.url + "?token=old"), 502, "origin_status")
                    self.assertEqual(page.count, 1)
                self.assertEqual(self.signed(page.url + "?token=new").status, 200)
                self.assertEqual(page.count, 2)

    def test_a_picture_that_is_gone_is_gone_for_all_of_its_urls(self):
        page = self.ruled.page(status=404)
        for token in "ab":
            self.assert_problem(self.signed(f"{page.url}?token={token}"), 404, "origin_not_found")
        self.assertEqual(page.count, 1)

    def test_the_url_that_lasts_longest_is_fetched(self):
        page = self.ruled.page(headers={"Cache-Control": "max-age=1"})
        self.signed(self.presigned(page, 86400, "long"))
        time.sleep(1.1)  # Until it is stale.
        self.assertEqual(self.signed(self.presigned(page, 60, "short")).status, 200)
        page.wait_for(2)
        self.assertIn("X-Amz-Signature=long", page.requests[1].target)

    def test_an_expired_url_does_not_lose_the_avatar_and_a_new_one_renews_it(self):
        page = self.ruled.page(headers={"Cache-Control": "max-age=1"})
        old, new = page.url + "?token=old", page.url + "?token=new"
        body = self.signed(old).body
        page.status = 403
        time.sleep(1.1)  # Until it is stale.
        self.assertEqual(self.signed(old).body, body)
        page.wait_for(2)
        page.status, page.headers["Cache-Control"] = 200, "max-age=600"

        def is_renewed():
            answer = self.signed(new)
            return answer.status == 200 and "ttl=-" not in answer.cache
        support.eventually(is_renewed, what="renewal by the new URL")
        self.assertIn("token=new", page.requests[-1].target)


if __name__ == "__main__":
    unittest.main()
