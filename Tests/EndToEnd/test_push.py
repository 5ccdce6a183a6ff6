"""The main story with real parts: a backend's push, nginx as its CDN, two phones."""
import hashlib
import unittest

import client
import jpeg
import support
from caches import Nginx


class PushTests(support.Case):
    """A message is sent, the push is rewritten, phones ask the CDN for what the push names."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.cdn = Nginx(cls, cls.service)

    def send(self, picture, **extra):
        """What a backend does at message send: a create-notification request through the service, then on to the push provider."""
        payload = {
            "app_id": "7d0c3a52-0b67-4c1e-9a52-5c8e1f3b7a10", "headings": {"en": "Nora Lind"}, "contents": {"en": "See you at eight"},
            "data": {"type": "single_chat", "id": "chat_123", "sender": {"id": "user_456", "name": "Nora Lind", "profile": picture}},
        }
        answer = self.service.call("/v1/notifications", {"payload": payload, "wait": "3s", **extra})
        self.assertEqual(answer.status, 200, answer.body)
        return payload, answer.json

    def test_the_phones_get_what_the_push_promised_for_one_fetch(self):
        page = self.origin.page()
        sent, answer = self.send(page.url)
        avatar, = answer["avatars"]
        self.assertEqual((avatar["status"], page.count), ("ready", 1))
        # The push is the backend's own but for the picture's URL and the flag that wakes the extension.
        pushed = answer["payload"]
        url = pushed["data"]["sender"].pop("profile")
        self.assertTrue(pushed.pop("mutable_content"))
        del sent["data"]["sender"]["profile"]
        self.assertEqual(pushed, sent)

        path = support.local(url)
        phones = [client.ask(self.cdn.port, path) for _ in range(2)]
        for phone in phones:
            self.assertEqual((phone.status, phone["content-type"]), (200, "image/jpeg"))
            self.assertEqual(hashlib.sha256(phone.body).hexdigest(), avatar["sha256"])
            self.assertEqual(len(phone.body), avatar["bytes"])
            jpeg.check(phone.body)
            # The URL names its content: whoever has it once need not ask again.
            self.assertIn("immutable", phone["cache-control"])
        self.assertRegex(phones[1]["cache-status"], r"^avatar-server; .*, \w+; hit")
        self.assertEqual(page.count, 1, "the origin was asked for a phone")
        asked = self.service.metric("avatar_http_requests_total", side="public", route="avatar")
        self.assertEqual(asked, 1, "the CDN asked more than once")

    def test_an_object_url_is_as_good(self):
        page = self.origin.page()
        _, answer = self.send(page.url, prefer="object")
        avatar, = answer["avatars"]
        url = answer["payload"]["data"]["sender"]["profile"]
        self.assertEqual(url, avatar["objectURL"])
        phone = client.ask(self.cdn.port, support.local(url))
        self.assertEqual((phone.status, hashlib.sha256(phone.body).hexdigest()), (200, avatar["sha256"]))
        self.assertEqual(page.count, 1)


class StormTests(support.Case):
    """More prefetches at once than there is room for in the workers' queue."""

    settings = {"workers.queue": 8, "prefetch.queue": 1000, "fetch.perHostConcurrency": 64}

    def test_none_of_a_storm_is_lost(self):
        # Three hundred calls' avatars once met a queue for eight pictures, and what found it full was gone.
        page = self.origin.page()
        for first in range(0, 500, 250):
            answer = self.service.call("/v1/prefetch", {"urls": [f"{page.url}?n={n}" for n in range(first, first + 250)]})
            self.assertEqual(answer.status, 202, answer.body)
        support.eventually(lambda: self.service.metric("avatar_prefetches_pending") == 0, 60, "the end of the storm")
        self.assertEqual(page.count, 500)
        again = self.service.call("/v1/prefetch", {"urls": [f"{page.url}?n={n}" for n in range(0, 500, 2)]})
        self.assertEqual({avatar["status"] for avatar in again.json["avatars"]}, {"ready"})


if __name__ == "__main__":
    unittest.main()
