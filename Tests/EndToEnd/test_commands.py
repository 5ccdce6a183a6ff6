"""The command line: each command does what its help says, and its exit status is true."""
import json
import os
import pathlib
import re
import socket
import unittest

import client
import origin
import support

COMMANDS = ("serve", "warm", "url", "inspect", "cache", "check", "health")


class CommandLine(unittest.TestCase):
    """Commands that need no service."""

    def setUp(self):
        self.home = support.temporary(self)

    def run_it(self, *arguments, **options):
        return support.command(*arguments, cwd=self.home, **options)

    def check(self, settings, *arguments, env=None):
        path = pathlib.Path(self.home, "settings.json5")
        path.write_text(settings if isinstance(settings, str) else json.dumps(settings))
        return self.run_it("check", "--config", str(path), *arguments, env=env)

    def test_version_and_help(self):
        done = self.run_it("--version")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"^avatar-server \d+\.\d+\.\d+\n$")
        for command in ((), *((name,) for name in COMMANDS)):
            with self.subTest(command):
                done = self.run_it(*command, "--help")
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertIn("Usage: avatar-server", done.stdout)
                self.assertLessEqual(max(map(len, done.stdout.splitlines())), 110)

    def test_wrong_usage_is_exit_2_and_one_line(self):
        for arguments in (("fly",), ("serve", "--no-such-flag"), ("serve", "extra"), ("warm",), ("url",), ("cache",),
                          ("cache", "fly"), ("cache", "purge"), ("cache", "purge", "--all", "--host", "a.example"),
                          ("url", "--fit", "stretch", "http://a.example/"), ("check", "--config"), ("inspect",)):
            with self.subTest(arguments):
                done = self.run_it(*arguments)
                self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), done)

    def test_check_lists_every_fault_at_once(self):
        faults = {
            "fetch.maxBytes": "10 elephants", "requestBudget": "soon", "image.quality": 101, "nonsense": 1,
            "fetch.allowAddresses": ["10.0.0.0/33"], "signingKeys": ["0f0f"], "listen": "nowhere", "log.level": "loud",
            "fetch.nonsense": True, "image.background": "blue-ish", "cache.directory": 7,
        }
        tree = {}
        for key, value in faults.items():
            *groups, last = key.split(".")
            place = tree
            for group in groups:
                place = place.setdefault(group, {})
            place[last] = value
        done = self.check(tree)
        self.assertEqual((done.returncode, done.stdout), (78, ""))
        for key in faults:
            self.assertEqual(len(re.findall(rf"(?m)^ *{re.escape(key)}\b", done.stderr)), 1, f"{key} in\n{done.stderr}")
        self.assertNotIn("0f0f", done.stderr)

    def test_serve_with_faults_is_exit_78_too(self):
        done = self.run_it("serve", "--request-budget", "soon", "--fetch-max-bytes", "-1")
        self.assertEqual(done.returncode, 78)
        self.assertIn("requestBudget", done.stderr)
        self.assertIn("fetch.maxBytes", done.stderr)

    def test_file_then_environment_then_flags(self):
        settings = "{ // JSON5\n fetch: { maxBytes: '1MiB', maxRedirects: 1, }, requestBudget: '1s' }"
        done = self.check(settings, "--fetch-max-redirects", "3",
                          env={"AVATAR_FETCH_MAX_REDIRECTS": "2", "AVATAR_REQUEST_BUDGET": "2s"})
        self.assertEqual(done.returncode, 0, done)
        for key, value in (("maxBytes", "1MiB"), ("maxRedirects", "3"), ("requestBudget", '"2s"')):
            self.assertRegex(done.stdout, rf'{key}"?:? *=? *"?{re.escape(value.strip(chr(34)))}', done.stdout)

    def test_an_unknown_variable_is_a_fault(self):
        done = self.run_it("check", env={"AVATAR_FETCH_MAXBYTES": "1MiB"})
        self.assertEqual(done.returncode, 78)
        self.assertIn("AVATAR_FETCH_MAXBYTES", done.stderr)

    def test_secrets_are_never_printed(self):
        secrets = {"signingKeys": ["ab" * 20], "controlTokens": ["token-" * 5],
                   "fetch": {"headers": {"a.example": {"Authorization": "Bearer very-secret"}}}}
        done = self.check(secrets)
        self.assertEqual(done.returncode, 0, done)
        for secret in ("ab" * 20, "token-" * 5, "very-secret"):
            self.assertNotIn(secret, done.stdout + done.stderr)

    def test_the_defaults_that_are_printed_are_a_configuration(self):
        done = self.run_it("check", "--defaults")
        self.assertEqual(done.returncode, 0)
        again = self.check(done.stdout)
        self.assertEqual(again.returncode, 0, again)

    def test_what_is_not_safe_by_default_does_not_start(self):
        key, token = "0f" * 16, "a-token-of-ours-0123"
        for name, settings, fault in (
            ("open and unsigned", {"listen": "0.0.0.0:8080", "publicBaseURL": "http://a.example"}, "allowUnsigned"),
            ("a wildcard without a base", {"listen": "0.0.0.0:8080", "signingKeys": [key]}, "publicBaseURL"),
            ("an open control side", {"controlListen": "0.0.0.0:8081"}, "controlTokens"),
            ("a certificate without a key", {"tls": {"certificateFile": "/dev/null"}}, "tls"),
        ):
            with self.subTest(name):
                done = self.check(settings)
                self.assertEqual(done.returncode, 78, done)
                self.assertIn(fault, done.stderr)
        sound = {"listen": "0.0.0.0:8080", "publicBaseURL": "http://a.example", "signingKeys": [key],
                 "controlListen": "0.0.0.0:8081", "controlTokens": [token]}
        self.assertEqual(self.check(sound).returncode, 0)

    def test_a_port_in_use_is_said_and_ends_the_start(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
            done = self.run_it("serve", "--listen", f"127.0.0.1:{port}", "--control-listen", f"127.0.0.1:{support.free_port()}")
        self.assertEqual(done.returncode, 1, done)
        self.assertIn(str(port), done.stderr)

    def test_health_without_a_service_is_exit_1(self):
        done = self.run_it("health", "--control-listen", f"127.0.0.1:{support.free_port()}")
        self.assertEqual((done.returncode, done.stderr.count("\n")), (1, 1), done)

    def test_cache_commands_without_a_cache_are_exit_1(self):
        for command in ("stat", "verify", "list"):
            with self.subTest(command):
                done = self.run_it("cache", command, "--cache-directory", os.path.join(self.home, "none"))
                self.assertEqual((done.returncode, done.stdout), (1, ""))
                self.assertFalse(os.path.exists(os.path.join(self.home, "none")))


class Commands(support.Case):
    """Commands beside a running service, on its cache."""

    settings = {"negative.unreachable": "1s"}

    def test_health_beside_a_ready_service_is_exit_0(self):
        self.assertEqual(self.service.command("health").returncode, 0)

    def test_inspect_shows_every_step_and_stores_nothing(self):
        page = self.origin.page()
        done = self.service.command("inspect", page.url)
        self.assertEqual(done.returncode, 0, done)
        for word in (page.url, "127.0.0.1", "200", "png", "64"):
            self.assertIn(word, done.stdout)
        told = json.loads(self.service.command("inspect", "--json", page.url).stdout)
        from_outside = self.service.call(f"/v1/inspect?src={page.url}", method="GET").json
        self.assertEqual([told[name] for name in ("key", "sha256")], [from_outside[name] for name in ("key", "sha256")])
        self.assertEqual(self.service.get(page.url, Cache_Control="only-if-cached").code, "not_cached")

    def test_inspect_of_a_failure_is_exit_1_and_says_the_code(self):
        done = self.service.command("inspect", self.origin.page(status=404).url)
        self.assertEqual(done.returncode, 1)
        self.assertIn("origin_not_found", done.stdout)

    def test_warm_makes_what_is_not_there_and_skips_what_is(self):
        pages = [self.origin.page() for _ in range(5)]
        lines = "# avatars\n\n" + "\n".join(page.url for page in pages) + "\n"
        path = pathlib.Path(self.service.home, "list")
        path.write_text(lines)
        self.assertRegex(self.totals(self.service.command("warm", str(path))), r"^made 5\nfresh 0\nfailed 0\n")
        self.assertRegex(self.totals(self.service.command("warm", "-", text=lines)), r"^made 0\nfresh 5\nfailed 0\n")
        self.assertEqual([page.count for page in pages], [1] * 5)
        for page in pages:  # The running service has them without a restart.
            support.eventually(lambda: self.service.get(page.url, Cache_Control="only-if-cached").status == 200)
        refreshed = self.service.command("warm", "--refresh", "-", text=lines)
        self.assertRegex(self.totals(refreshed), r"^made 5\nfresh 0")
        self.assertEqual([page.count for page in pages], [2] * 5)

    def totals(self, done):
        self.assertEqual(done.returncode, 0, done)
        return done.stdout

    def test_warm_with_failures_is_exit_1_and_counts_them_by_code(self):
        lines = [self.origin.page().url, self.origin.page(status=404).url, self.origin.page(b"x").url, "nonsense"]
        done = self.service.command("warm", "-", text="\n".join(lines))
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, r"^made 1\nfresh 0\nfailed 3\n")
        for code in ("origin_not_found", "image_unsupported", "invalid_source_url"):
            self.assertIn(f"{code} 1\n", done.stdout)

    def test_warm_with_a_list_that_is_not_there_is_exit_1(self):
        done = self.service.command("warm", "/no/such/list")
        self.assertEqual((done.returncode, done.stderr.count("\n")), (1, 1), done)

    def test_stat_list_verify_and_purge(self):
        page = self.origin.page(path="/listed.png")
        answer = self.service.get(page.url + "?secret=1")
        stat = self.service.command("cache", "stat")
        self.assertEqual(stat.returncode, 0)
        self.assertGreaterEqual(int(re.search(r"objects +(\d+)", stat.stdout)[1]), 1)
        listed = self.service.command("cache", "list").stdout.splitlines()
        (line,) = [line for line in listed if "/listed.png" in line]
        self.assertEqual(line.split("\t")[1:4], [answer.sha256, str(len(answer.body)), "fresh"])
        self.assertNotIn("secret", line)
        verified = self.service.command("cache", "verify")
        self.assertEqual(verified.returncode, 0, verified)
        purged = self.service.command("cache", "purge", page.url + "?secret=1")
        self.assertEqual((purged.returncode, purged.stdout), (0, "removed 1 entries, 1 objects\n"))
        support.eventually(
            lambda: self.service.get(page.url + "?secret=1", Cache_Control="only-if-cached").status == 504,
            2 + support.TOLERANCE)

    def test_verify_finds_and_removes_what_is_damaged(self):
        service = self.start({"cache.scrubBytesPerSecond": 0, "cache.memoryBytes": 0})
        answers = [service.get(self.origin.page().url) for _ in range(3)]
        support.eventually(lambda: len(service.objects()) == 3)
        damaged = service.objects()[answers[0].sha256]
        damaged.write_bytes(b"\xff\xd8 no picture")
        done = service.command("cache", "verify")
        self.assertEqual(done.returncode, 1, done)
        self.assertRegex(done.stdout, r"damaged +1, removed")
        self.assertEqual(set(service.objects()), {answer.sha256 for answer in answers[1:]})
        self.assertEqual(service.command("cache", "verify").returncode, 0)

    def test_purge_of_everything(self):
        service = self.start()
        for _ in range(3):
            service.get(self.origin.page().url)
        self.assertEqual(service.command("cache", "purge", "--all").stdout, "removed 3 entries, 3 objects\n")
        support.eventually(lambda: not service.objects(), what="no file left")


if __name__ == "__main__":
    unittest.main()
