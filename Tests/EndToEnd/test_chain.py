"""Chains of sources, best first: a group's picture, else its sender's. (Contract of `chain.patience`.)"""
import threading
import unittest

import client
import origin
import support


class Chain(support.Case):
    # Long enough that the second source, started after a third of it, is ready before its end on a busy machine.
    settings = {"chain.patience": "1500ms", "requestBudget": "4s", "fetch.totalTimeout": "8s"}

    def test_a_healthy_first_source_costs_one_fetch(self):
        first, second = self.origin.page(origin.plain("red")), self.origin.page(origin.plain("green"))
        answer = self.service.get(first.url, second.url)
        self.assertEqual((answer.status, answer["avatar-source"]), (200, "0"))
        self.assert_colour(answer, "red")
        self.assertEqual((first.count, second.count), (1, 0))
        self.assertIn("stale-if-error", answer.lifetimes)

    def test_a_hit_of_a_chain_names_its_source(self):
        first, second = self.origin.page(), self.origin.page()
        self.service.get(first.url, second.url)
        again = self.service.get(first.url, second.url)
        self.assertEqual(again["avatar-source"], "0")
        self.assertRegex(again.cache, "^hit")

    def test_without_a_chain_there_is_no_avatar_source(self):
        self.assertEqual(self.service.get(self.origin.page().url)["avatar-source"], "")

    def test_the_next_source_stands_in_as_long_as_the_failure_is_remembered(self):
        for status, lifetime in ((404, 3960), (500, 33)):
            with self.subTest(status):
                first, second = self.origin.page(status=status), self.origin.page(origin.plain("green"))
                for turn in range(2):
                    answer = self.service.get(first.url, second.url)
                    self.assertEqual((answer.status, answer["avatar-source"]), (200, "1"))
                    self.assert_colour(answer, "green")
                    self.assertEqual(set(answer.lifetimes), {"public", "max-age"}, answer)
                    self.assertTrue(lifetime * 0.7 <= answer.lifetimes["max-age"] <= lifetime, answer)
                self.assertEqual((first.count, second.count), (1, 1))

    def test_the_last_of_four_stands_in_for_three(self):
        failing = [self.origin.page(status=404), self.origin.page(b"<html>", content_type="text/html"),
                   self.origin.page(status=410)]
        answer = self.service.get(*[page.url for page in failing], self.origin.page(origin.plain("blue")).url)
        self.assertEqual((answer.status, answer["avatar-source"]), (200, "3"))
        self.assert_colour(answer, "blue")

    def test_all_fail_and_the_first_ones_error_is_the_answer(self):
        pages = [self.origin.page(b"", status=200), self.origin.page(status=404), self.origin.page(status=500)]
        answer = self.service.get(*[page.url for page in pages])
        self.assert_problem(answer, 422, "source_empty")

    def test_a_silent_first_source_is_not_waited_for_past_the_patience(self):
        first, second = self.origin.page(origin.plain("red")).hold(), self.origin.page(origin.plain("green"))
        self.addCleanup(first.release)
        answer = self.service.get(first.url, second.url)
        self.assertEqual((answer.status, answer["avatar-source"]), (200, "1"))
        self.assert_colour(answer, "green")
        self.assertTrue(answer.lifetimes["max-age"] <= 30 and set(answer.lifetimes) == {"public", "max-age"}, answer)
        self.assertTrue(1.4 <= answer.elapsed <= support.REQUEST_BUDGET, answer.elapsed)
        with self.subTest("its flight goes on, and it wins as soon as it is there"):
            first.release()
            support.eventually(lambda: self.service.get(first.url, second.url)["avatar-source"] == "0")
            self.assertEqual((first.count, second.count), (1, 1))

    def test_the_second_fetch_starts_before_the_patience_ends(self):
        first, second = self.origin.page().hold(), self.origin.page()
        self.addCleanup(first.release)
        with client.Connection(self.service.port) as connection:
            connection.send(self.service.path(first.url, second.url))
            second.wait_for(1)
            silence = second.requests[0].at - first.requests[0].at
            first.release()
            answer = connection.read()
        self.assertGreater(silence, 0.45)  # A third of the patience, less the way to the origin.
        self.assertEqual((answer.status, answer["avatar-source"]), (200, "0"))

    def test_a_source_that_is_here_already_is_the_answer_while_a_better_one_is_silent(self):
        first, second = self.origin.page().hold(), self.origin.page()
        self.addCleanup(first.release)
        self.service.get(second.url)
        answer = self.service.get(first.url, second.url)
        self.assertEqual((answer.status, answer["avatar-source"], second.count), (200, "1", 1))

    def test_a_silent_source_alone_is_504_within_the_budget(self):
        first, second = self.origin.page(act="hang"), self.origin.page(status=404)
        answer = self.service.get(first.url, second.url)
        self.assert_problem(answer, 504, "budget_exceeded")
        self.assertLess(answer.elapsed, support.REQUEST_BUDGET + support.TOLERANCE)

    def test_many_clients_of_a_chain_cost_one_fetch_of_each(self):
        first, second = self.origin.page(status=404), self.origin.page()
        first.hold()
        answers = []
        threads = [threading.Thread(target=lambda: answers.append(self.service.get(first.url, second.url)))
                   for _ in range(30)]
        for thread in threads:
            thread.start()
        first.wait_for(1)
        first.release()
        for thread in threads:
            thread.join()
        self.assertEqual({(answer.status, answer["avatar-source"]) for answer in answers}, {(200, "1")})
        self.assertEqual((len(answers), first.count, second.count), (30, 1, 1))

    def test_contain_shows_the_whole_picture_on_the_background(self):
        wide = origin.banner("red", 256, 64)
        page = self.origin.page(wide)
        cover, contain = self.service.get(page.url), self.service.get(page.url, fit="contain")
        self.assert_colour(cover, "red")
        picture = contain.picture
        for name, (top, bottom), colour in (("above", (0, 0.3), "white"), ("within", (0.45, 0.55), "red"),
                                            ("below", (0.7, 1), "white")):
            with self.subTest(name):
                got = picture.mean(top=top, bottom=bottom)
                self.assertTrue(all(abs(a - b) < 14 for a, b in zip(got, origin.COLOURS[colour])), got)
        self.assertNotEqual(cover["etag"], contain["etag"])


if __name__ == "__main__":
    unittest.main()
