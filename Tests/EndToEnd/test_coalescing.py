"""One fetch for any number of requests, and the budget whatever the origin does."""
import threading
import time
import unittest

import client
import origin
import support


class Coalescing(support.Case):
    settings = {"fetch.totalTimeout": "30s", "fetch.idleTimeout": "30s", "requestBudget": "20s"}

    def together(self, page, count):
        """So many clients' answers; the origin says nothing until all of their requests are there."""
        connected = lambda: self.service.metric("avatar_connections")
        support.eventually(lambda: connected() == 0, what="nobody else")
        page.hold()
        self.addCleanup(page.release)
        connections = [client.Connection(self.service.port) for _ in range(count)]
        for connection in connections:
            self.addCleanup(connection.close)
            connection.send(self.service.path(page.url))
        page.wait_for(1)
        support.eventually(lambda: connected() == count, what="all connected")
        page.release()
        return [connection.read() for connection in connections]

    def test_200_clients_cost_one_fetch(self):
        page, before = self.origin.page(), self.service.metric("avatar_coalesced_requests_total")
        answers = self.together(page, 200)
        self.assertEqual({(answer.status, answer["etag"]) for answer in answers}, {(200, answers[0]["etag"])})
        self.assertEqual(page.count, 1)
        collapsed = sum("collapsed" in answer.cache for answer in answers)
        self.assertEqual(self.service.metric("avatar_coalesced_requests_total"), before + collapsed)
        # Who was read last may have come to a hit; one led the flight.
        self.assertEqual(sum("collapsed" not in answer.cache and "stored" in answer.cache for answer in answers), 1)
        self.assertGreater(collapsed, 100)

    def test_both_forms_of_a_url_share_the_fetch(self):
        page = self.origin.page().hold()
        self.addCleanup(page.release)
        with client.Connection(self.service.port) as first, client.Connection(self.service.port) as second:
            first.send(self.service.path(page.url))
            page.wait_for(1)
            second.send(f"/avatar?src={page.url}")
            page.release()
            self.assertEqual(first.read().body, second.read().body)
        self.assertEqual(page.count, 1)

    def test_a_failure_is_shared_as_well(self):
        page = self.origin.page(status=404)
        self.assertEqual({answer.code for answer in self.together(page, 20)}, {"origin_not_found"})
        self.assertEqual(page.count, 1)

    def test_a_fetch_outlives_the_client_that_began_it(self):
        page = self.origin.page().hold()
        self.addCleanup(page.release)
        with client.Connection(self.service.port) as connection:
            connection.send(self.service.path(page.url))
            page.wait_for(1)
        page.release()
        support.eventually(lambda: self.service.get(page.url, Cache_Control="only-if-cached").status == 200)
        self.assertEqual(page.count, 1)


class Budget(support.Case):
    settings = {"fetch.totalTimeout": "8s", "fetch.idleTimeout": "8s", "fetch.concurrency": 8, "fetch.queue": 4}

    def test_whatever_an_origin_does_the_answer_comes_within_the_budget_and_hits_go_on(self):
        here = self.origin.page()
        self.assertEqual(self.service.get(here.url).status, 200)
        silent = {act: self.origin.page(act=act) for act in ("hang", "hang-body", "drip")}
        silent["slow"] = self.origin.page(delay=7)
        answers, done = {}, threading.Event()

        def wait(name):
            answers[name] = self.service.get(silent[name].url)

        threads = [threading.Thread(target=wait, args=(name,)) for name in silent]
        for thread in threads:
            thread.start()
        hits = []

        def hit():
            while not done.is_set():
                hits.append(self.service.get(here.url))

        hitting = threading.Thread(target=hit)
        hitting.start()
        for thread in threads:
            thread.join()
        done.set()
        hitting.join()
        for name, answer in answers.items():
            with self.subTest(name):
                self.assert_problem(answer, 504, "budget_exceeded")
                self.assertLess(answer.elapsed, support.REQUEST_BUDGET + support.TOLERANCE)
        self.assertGreater(len(hits), 10)
        self.assertEqual({(answer.status, answer.cache.split(";")[0]) for answer in hits}, {(200, "hit")})
        self.assertLess(max(answer.elapsed for answer in hits), support.TOLERANCE)

    def test_an_answer_that_comes_after_the_budget_is_kept(self):
        service = self.start({"requestBudget": "500ms", "fetch.totalTimeout": "20s", "fetch.idleTimeout": "20s"})
        page = self.origin.page().hold()
        self.addCleanup(page.release)
        self.assert_problem(service.get(page.url), 504, "budget_exceeded")
        page.release()
        support.eventually(lambda: service.get(page.url, Cache_Control="only-if-cached").status == 200)
        self.assertEqual(page.count, 1)

    def test_a_silent_origin_is_remembered_as_timed_out(self):
        service = self.start({"fetch.totalTimeout": "1s", "fetch.idleTimeout": "1s"})
        for act in ("hang", "hang-body"):
            with self.subTest(act):
                page = self.origin.page(act=act)
                answer = service.get(page.url)
                self.assert_problem(answer, 504, "origin_timed_out")
                self.assertTrue(20 <= answer.lifetimes["max-age"] <= 33, answer)
                self.assert_problem(service.get(page.url), 504, "origin_timed_out")
                self.assertEqual(page.count, 1)

    def test_what_no_queue_holds_is_shed_at_once_and_hits_go_on(self):
        here = self.origin.page()
        service = self.start({"fetch.concurrency": 2, "fetch.queue": 2, "fetch.totalTimeout": "20s",
                              "fetch.idleTimeout": "20s", "requestBudget": "15s"})
        self.assertEqual(service.get(here.url).status, 200)
        # One host never takes all the slots, so that two hosts fill them.
        other = origin.Origin("127.0.2.2")
        self.addCleanup(other.close)
        held = [(self.origin, other)[number % 2].page().hold() for number in range(4)]
        connections = []
        for number, page in enumerate(held):
            self.addCleanup(page.release)
            connections.append(client.Connection(service.port))
            self.addCleanup(connections[-1].close)
            connections[-1].send(service.path(page.url))
            support.eventually(
                lambda: service.metric("avatar_fetches_in_flight") + service.metric("avatar_fetches_queued") > number)
        shed = service.get(self.origin.page().url)
        self.assert_problem(shed, 503, "overloaded")
        self.assertRegex(shed["retry-after"], r"^[1-9]\d*$")
        self.assertEqual(shed["cache-control"], "no-store")
        self.assertRegex(service.get(here.url).cache, "^hit")
        for page in held:
            page.release()
        self.assertEqual([connection.read().status for connection in connections], [200] * 4)

    def test_a_slow_host_takes_no_more_than_its_share(self):
        service = self.start({"fetch.perHostConcurrency": 2, "fetch.totalTimeout": "20s", "fetch.idleTimeout": "20s"})
        slow = [self.origin.page().hold() for _ in range(6)]
        connections = []
        for page in slow:
            self.addCleanup(page.release)
            connections.append(client.Connection(service.port))
            self.addCleanup(connections[-1].close)
            connections[-1].send(service.path(page.url))
        support.eventually(lambda: service.metric("avatar_fetches_queued") == 4, what="four wait")
        other = origin.Origin("127.0.2.1")
        self.addCleanup(other.close)
        answer = service.get(other.page().url)
        self.assertEqual(answer.status, 200)
        self.assertEqual(sum(page.count for page in slow), 2)
        for page in slow:
            page.release()
        for connection in connections:
            self.assertEqual(connection.read().status, 200)


if __name__ == "__main__":
    unittest.main()
