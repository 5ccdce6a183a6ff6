"""The process: its drain, its signals, its confined workers, its log."""
import os
import pathlib
import re
import signal
import socket
import subprocess
import threading
import unittest

import client
import origin
import support


class Drain(support.Case):
    def test_what_is_in_flight_is_answered_and_readiness_fails_first(self):
        service = self.start({"drainDelay": "2s", "requestBudget": "10s", "fetch.totalTimeout": "10s", "fetch.idleTimeout": "10s"})
        page, here = self.origin.page().hold(), self.origin.page()
        self.addCleanup(page.release)
        service.get(here.url)
        with client.Connection(service.port) as waiting, client.Connection(service.port) as idle:
            self.assertEqual(idle.ask("/healthz").status, 200)
            waiting.send(service.path(page.url))
            page.wait_for(1)
            service.process.send_signal(signal.SIGTERM)
            readiness = support.eventually(
                lambda: (answer := client.ask(service.control, "/readyz")).status == 503 and answer, what="not ready")
            self.assertEqual(readiness.json, {"degraded": ["draining"], "ready": False})
            during = client.ask(service.port, service.path(here.url))
            self.assertEqual((during.status, during["connection"]), (200, "close"))
            self.assertEqual(idle.ask(service.path(here.url))["connection"], "close")
            support.eventually(lambda: self.refused(service.port), what="no new connections")
            self.assertIsNone(service.process.poll())
            page.release()
            answer = waiting.read()
        self.assertEqual((answer.status, answer["connection"]), (200, "close"))
        service.wait(support.REQUEST_BUDGET + 10)
        self.assertEqual([line["event"] for line in service.events("draining") + service.events("stopped")],
                         ["draining", "stopped"])

    @staticmethod
    def refused(port):
        try:
            socket.create_connection(("127.0.0.1", port), 5).close()
        except ConnectionRefusedError:
            return True
        return False

    def test_an_origin_that_hangs_holds_nothing_up_past_the_budget(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            with self.subTest(number.name):
                service = self.start({"requestBudget": "2s", "fetch.totalTimeout": "30s", "fetch.idleTimeout": "30s"})
                page = self.origin.page(act="hang")
                with client.Connection(service.port) as connection:
                    connection.send(service.path(page.url))
                    page.wait_for(1)
                    service.process.send_signal(number)
                    self.assert_problem(connection.read(), 504, "budget_exceeded")
                service.wait(2 + 5)

    def test_idle_connections_do_not_hold_the_end_up(self):
        service = self.start()
        with client.Connection(service.port) as idle, client.Connection(service.port):
            idle.ask("/healthz")
            service.stop(within=support.REQUEST_BUDGET + support.TOLERANCE)

    def test_nothing_is_left_behind(self):
        service = self.start()
        workers = service.workers
        self.assertTrue(workers)
        service.stop()
        support.eventually(lambda: not any(os.path.exists(f"/proc/{worker}") for worker in workers), what="no worker left")

    def test_workers_end_with_a_server_that_was_killed(self):
        service = self.start()
        workers = service.workers
        self.assertTrue(workers)
        service.kill()
        support.eventually(
            lambda: not any(alive(worker) for worker in workers), what="no worker left")


def alive(pid):
    """Whether a process is there and no zombie that nobody waits for."""
    try:
        return not re.search(r"(?m)^State:\s+Z", pathlib.Path(f"/proc/{pid}/status").read_text())
    except FileNotFoundError:
        return False


class Reload(support.Case):
    def reload(self, event, **changes):
        self.service.write_config(**changes)
        self.service.reload(event)

    def test_the_log_level_changes(self):
        page = self.origin.page()
        self.service.get(page.url)
        hits = lambda: [line for line in self.service.events("request") if line["cache"].startswith("avatar-server; hit")]
        self.service.get(page.url)
        self.assertEqual(hits(), [])
        self.reload("reloaded", log__level="debug")
        self.service.get(page.url)
        support.eventually(hits, what="hits in the log")

    def test_tokens_change(self):
        status = lambda token: self.service.call(
            "/v1/purge", {"host": "a.example"}, headers={"Authorization": f"Bearer {token}"}).status
        self.reload("reloaded", controlTokens=["the-first-token-here"])
        self.assertEqual((status("the-first-token-here"), status("the-second-token-here")), (200, 401))
        self.reload("reloaded", controlTokens=["the-second-token-here"])
        self.assertEqual((status("the-first-token-here"), status("the-second-token-here")), (401, 200))
        self.reload("reloaded", controlTokens=[])

    def test_a_file_with_a_fault_changes_nothing(self):
        before = self.service.get(self.origin.page().url).status
        self.reload("reload_failed", log__level="deafening")
        self.assertEqual((before, self.service.get(self.origin.page().url).status), (200, 200))
        self.assertIn("log.level", self.service.events("reload_failed")[-1]["detail"])
        self.reload("reloaded", log__level="info")


class Workers(support.Case):
    settings = {"workers.count": 2}

    def test_none_has_anything_of_the_servers_environment(self):
        service = self.start(env={"PASSWORD_OF_THE_OPERATOR": "hunter2"})
        for pid in service.workers:
            text = pathlib.Path(f"/proc/{pid}/environ").read_bytes().decode()
            for name in ("PASSWORD_OF_THE_OPERATOR", "PATH", "USER", "PWD", "SERVER_UNDER_TEST"):
                self.assertNotRegex(text, rf"(^|\0){name}=")
            for value in ("hunter2", os.environ.get("HOME", "hunter2")):
                self.assertNotIn(f"={value}\0", text)

    def test_each_is_locked_down(self):
        self.assertEqual(len(self.service.workers), 2)
        for pid in self.service.workers:
            status = dict(re.findall(r"(?m)^(\w+):\s+(.*)$", pathlib.Path(f"/proc/{pid}/status").read_text()))
            limits = pathlib.Path(f"/proc/{pid}/limits").read_text()
            with self.subTest(pid):
                self.assertEqual((status["Seccomp"], status["NoNewPrivs"]), ("2", "1"))
                self.assertEqual(int(status["CapEff"], 16), 0)
                self.assertEqual(int(status["CapPrm"], 16), 0)
                # By the words of proc(5): soft and hard limit, in bytes.
                self.assertRegex(limits, r"Max address space +805306368 +805306368")
                self.assertRegex(limits, r"Max core file size +0 +0")
                nice = int(pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(") ", 1)[1].split()[16])
                self.assertGreater(nice, 0)
                descriptors = {int(name): os.readlink(f"/proc/{pid}/fd/{name}") for name in os.listdir(f"/proc/{pid}/fd")}
                sockets = [number for number, target in descriptors.items() if target.startswith("socket:")]
                self.assertEqual(len(sockets), 1, descriptors)
                for number, target in descriptors.items():
                    self.assertTrue(number in sockets or (number < 3 and re.match("/dev/null|pipe:", target)), descriptors)
                ours = {os.readlink(f"/proc/{self.service.process.pid}/ns/net"), os.readlink("/proc/self/ns/net")}
                if os.geteuid() == 0:
                    self.assertNotIn(os.readlink(f"/proc/{pid}/ns/net"), ours)

    def test_one_that_is_killed_is_replaced_and_no_hit_fails(self):
        here = self.origin.page()
        self.service.get(here.url)
        hits, done = [], threading.Event()

        def hit():
            with client.Connection(self.service.port) as connection:
                while not done.is_set():
                    hits.append(connection.ask(self.service.path(here.url)))

        hitting = threading.Thread(target=hit)
        hitting.start()
        failed = 0
        for round in range(10):
            pages = [self.origin.page(origin.noise(round * 1000 + number + 1, 400)) for number in range(4)]
            answers = []
            threads = [threading.Thread(target=lambda page=page: answers.append((page, self.service.get(page.url)))) for page in pages]
            for thread in threads:
                thread.start()
            victim = support.eventually(lambda: self.service.workers, what="a worker")[0]
            try:
                os.kill(victim, signal.SIGKILL)
            except ProcessLookupError:
                pass  # It has ended by itself meanwhile.
            for thread in threads:
                thread.join()
            for page, answer in answers:
                if answer.status != 200:
                    failed += 1
                    # A death from outside says nothing of the picture: nobody remembers it.
                    self.assertEqual(self.service.get(page.url).status, 200)
        done.set()
        hitting.join()
        self.assertEqual({(answer.status, answer.cache.split(";")[0]) for answer in hits}, {(200, "hit")})
        self.assertLessEqual(failed, 10)
        support.eventually(lambda: self.service.metric("avatar_workers_up") == 2, what="both workers up")
        self.assertEqual(client.ask(self.service.control, "/readyz").json["degraded"], [])

    def test_a_picture_that_takes_too_long_is_refused_and_the_next_one_is_made(self):
        service = self.start({"workers.count": 1, "workers.decodeTimeout": "100ms", "image.maxPixels": 500000000,
                              "image.maxPixelsWhole": 500000000})
        bomb = self.origin.page(origin.bomb(9000))
        # On a busy machine a worker may run out of wall time before it has had its CPU time: not the picture's fault.
        answer = support.eventually(
            lambda: (answer := service.get(bomb.url)).code != "overloaded" and answer, what="enough CPU time")
        self.assert_problem(answer, 422, "image_corrupt")
        self.assertGreaterEqual(service.metric("avatar_worker_restarts_total"), 2)  # It is tried twice.
        self.assertEqual(service.get(self.origin.page().url).status, 200)

    def test_pictures_past_the_limits_are_refused_before_they_are_decoded(self):
        self.service.get(self.origin.page().url)
        decoded = self.service.metric("avatar_decode_duration_seconds_count")
        self.assertGreater(decoded, 0)
        self.assert_problem(
            self.service.get(self.origin.page(origin.claim(10000, 5001)).url), 422, "image_too_many_pixels")
        self.assertEqual(self.service.metric("avatar_decode_duration_seconds_count"), decoded)


class Linkage(unittest.TestCase):
    def test_the_server_links_no_image_decoder(self):
        for program, expected in ((support.SERVER, False), (os.path.join(os.path.dirname(support.SERVER), "avatar-worker"), True)):
            linked = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
            found = re.findall(r"lib(?:vips|jpeg|turbojpeg|png|webp|heif|rsvg|gif|cgif|tiff|jxl|openjp2|Magick\w*|cairo)\S*", linked)
            self.assertEqual(bool(found), expected, f"{program}: {found}")


class Log(support.Case):
    settings = {"signingKeys": ["ab" * 16], "controlTokens": ["a-token-of-ours-0123"], "log.level": "debug"}

    def test_no_query_no_signature_and_no_token_is_ever_written(self):
        page = self.origin.page()
        for options in ((), ("--fit", "contain")):
            url = self.service.command("url", *options, page.url + "?password=hunter2").stdout.strip()
            for _ in range(2):
                self.assertEqual(client.ask(self.service.port, support.local(url)).status, 200)
        wrong = url.replace("/avatar/", "/avatar/wrong-signature-", 1)
        client.ask(self.service.port, support.local(wrong))
        self.service.call("/v1/purge", {"sources": [page.url + "?password=hunter2"]},
                          headers={"Authorization": "Bearer a-token-of-ours-0123"})
        self.service.call("/v1/purge", {}, headers={"Authorization": "Bearer a-wrong-token-01234"})
        self.service.stop()
        log = self.service.log
        self.assertIn(page.path, log)
        for secret in ("hunter2", url.split("/")[4], "wrong-signature-", "a-token-of-ours", "a-wrong-token", "ab" * 16):
            self.assertNotIn(secret, log)
        for line in log.splitlines():
            self.assertTrue(line.startswith('{"time":"') and line.endswith("}"), line)


if __name__ == "__main__":
    unittest.main()
