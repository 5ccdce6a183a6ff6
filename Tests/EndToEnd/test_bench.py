"""`avatar-bench` from outside: a broken budget is named and no other, a stall shows, usage is checked.

The program is `.build/release/avatar-bench` of this package, or what BENCH_UNDER_TEST names.
"""
import json
import os
import pathlib
import signal
import subprocess
import threading
import unittest

import support
from support import PACKAGE, SERVER, eventually, free_port, temporary

BENCH = os.path.abspath(os.environ.get("BENCH_UNDER_TEST") or PACKAGE / ".build/release/avatar-bench")
BROKEN_SERVER = str(pathlib.Path(__file__).with_name("broken_server.py"))


def bench(*arguments, env=None, timeout=180):
    """Runs the program to its end: exit status, standard output, standard error."""
    return subprocess.run(
        [BENCH, *map(str, arguments)], capture_output=True, text=True, env=support.environment(env), cwd=PACKAGE,
        stdin=subprocess.DEVNULL, timeout=timeout)


class Scenarios(unittest.TestCase):
    """Short runs of everything; only what holds on any machine decides."""

    def test_every_scenario_keeps_the_budgets_that_hold_anywhere(self):
        result = os.path.join(temporary(self), "result.json")
        done = bench("run", "--server", SERVER, "--counts-only", "--seconds", 1, "--rounds", 1, "--scale", 0.02,
                     "--json", result)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        played = json.loads(pathlib.Path(result).read_text())["scenarios"]
        names = [line.split("\t")[0] for line in bench("list").stdout.splitlines()]
        self.assertEqual([one["name"] for one in played], names)
        for one in played:
            self.assertNotIn("failure", one)
            self.assertTrue(one["figures"], one["name"])
        # The peer was there, and made avatars: what it refuses costs it next to nothing.
        miss = next(one for one in played if one["name"] == "miss")
        self.assertFalse([problem for problem in miss.get("problems", []) if "image_filter" in problem])
        ratio, = [figure["value"] for figure in miss["figures"] if figure["name"] == "cpu jpeg-1024 to image_filter"]
        self.assertTrue(0 < ratio < 1, ratio)

    def test_without_the_peer_its_budgets_are_not_met_and_the_run_says_why(self):
        away = temporary(self)
        result = os.path.join(away, "result.json")
        done = bench("miss", "--server", SERVER, "--seconds", 1, "--rounds", 1, "--nginx", away, "--json", result)
        # What is not there is a broken budget; a busy machine makes the run not valid besides.
        self.assertEqual(done.returncode, 3 if "NOT VALID" in done.stdout else 1, done.stdout + done.stderr)
        self.assertIn(f"image_filter is not measured: {away}/main.conf is not there", done.stdout + done.stderr)
        played = json.loads(pathlib.Path(result).read_text())["scenarios"][0]
        self.assertNotIn("failure", played)
        found = {figure["name"]: figure["value"] for figure in played["figures"] if "budget" in figure}
        for name in ("cpu jpeg-1024 to image_filter", "cpu jpeg-1024 where image_filter takes 12 ms"):
            self.assertEqual(found[name], "nan")
            self.assertIn(f"BROKEN  miss: {name} is", done.stdout)


class BrokenBudgets(unittest.TestCase):
    """A server with one fault breaks the budgets of that fault and no others."""

    # Generous for any machine that does its work; what is broken is far beyond.
    BUDGETS = {
        "hit": {"p99": {"most": "200ms"}, "answers that were no hit": {"most": 0, "gate": "always"},
                "faults": {"most": 0, "gate": "always"}},
        "prefetch-then-hit": {
            "p99 of the phone's GET": {"most": "200ms"}, "answers that were no hit": {"most": 0, "gate": "always"},
            "origin requests for phones": {"most": 0, "gate": "always"}, "faults": {"most": 0, "gate": "always"}},
        "storm": {"fetches a storm": {"most": 1, "gate": "always"}, "faults": {"most": 0, "gate": "always"}},
    }

    def broken(self, fault, *scenarios):
        """The exit status of a run against a server with a fault, and the figures that broke their budgets."""
        folder = temporary(self)
        budgets, result = os.path.join(folder, "budgets.json5"), os.path.join(folder, "result.json")
        pathlib.Path(budgets).write_text(json.dumps(self.BUDGETS))
        done = bench("run", *scenarios, "--server", BROKEN_SERVER, "--seconds", 1, "--rounds", 1, "--scale", 0.02,
                     "--budgets", budgets, "--json", result, env={"FAULT": fault, "SERVER_UNDER_TEST": SERVER})
        found = set()
        for one in json.loads(pathlib.Path(result).read_text())["scenarios"]:
            self.assertNotIn("failure", one, done.stdout + done.stderr)
            for figure in one["figures"]:
                budget, value = figure.get("budget"), float(figure["value"])
                if budget and not (value <= budget.get("most", value) and value >= budget.get("least", value)):
                    found.add((one["name"], figure["name"]))
        return done.returncode, found

    def test_the_stand_in_alone_breaks_nothing(self):
        _, found = self.broken("none", "prefetch-then-hit", "storm")
        self.assertEqual(found, set())

    def test_slow_hits_break_latency_and_nothing_else(self):
        _, found = self.broken("sleep", "prefetch-then-hit", "storm")
        self.assertEqual(found, {("prefetch-then-hit", "p99 of the phone's GET")})

    def test_without_a_cache_phones_reach_the_origin(self):
        status, found = self.broken("no-cache", "prefetch-then-hit")
        self.assertEqual(status, 1)
        self.assertLessEqual({("prefetch-then-hit", "answers that were no hit"),
                              ("prefetch-then-hit", "origin requests for phones")}, found)
        self.assertNotIn(("prefetch-then-hit", "faults"), found)

    def test_a_second_fetch_breaks_the_storm_alone(self):
        status, found = self.broken("second-fetch", "storm")
        self.assertEqual((status, found), (1, {("storm", "fetches a storm")}))


class Stall(support.Case):
    """A server that stands still for a second, which users feel."""

    def p99(self, *options):
        folder = temporary(self)
        urls, result = os.path.join(folder, "urls"), os.path.join(folder, "result.json")
        source = self.origin.page().url
        path = self.service.path(source)
        self.assertEqual(self.service.get(source).status, 200)
        pathlib.Path(urls).write_text(path + "\n")
        stop = threading.Timer(2, self.service.process.send_signal, [signal.SIGSTOP])
        go = threading.Timer(3, self.service.process.send_signal, [signal.SIGCONT])
        for timer in (stop, go):
            timer.start()
        try:
            done = bench("load", "--target", f"http://127.0.0.1:{self.service.port}", "--urls", urls, "--seconds", 4,
                         "--json", result, *options)
        finally:
            go.join()
        self.assertIn(done.returncode, (0, 3), done.stdout + done.stderr)  # 3: a busy machine delays the generator too.
        found = json.loads(pathlib.Path(result).read_text())
        self.assertEqual(found["faults"], 0)
        return found["latency"]

    def test_a_fixed_rate_shows_it(self):
        # A quarter of all requests were due while it stood still, half of those waited for more than half a second.
        self.assertGreaterEqual(self.p99("--rate", 200)["0.99"], 0.5)

    def test_a_closed_loop_hides_it(self):
        # One connection sends nothing more until it has its answer: the stall is a single request of thousands.
        latency = self.p99("--connections", 1)
        self.assertLess(latency["0.99"], 0.5)
        self.assertGreaterEqual(latency["1.0"], 0.5)


class Usage(unittest.TestCase):
    """What cannot be done is said in one line before anything is started."""

    def test_wrong_command_lines_and_files(self):
        folder = temporary(self)
        bad = os.path.join(folder, "bad")
        pathlib.Path(bad).write_text("{ hit: { p99: {} } }")
        urls = os.path.join(folder, "urls")
        pathlib.Path(urls).write_text("/a\n")
        away = os.path.join(folder, "away")
        for arguments in (
            ["run", "hitt"], ["hit", "--unknown"], ["hit", "--seconds"], ["hit", "--rounds", "0"],
            ["hit", "--server", away], ["hit", "--server", SERVER, "--budgets", away],
            ["hit", "--server", SERVER, "--budgets", bad], ["hit", "--server", SERVER, "--compare", bad],
            ["hit", "--server", SERVER, "--compare", away], ["compare", bad, bad], ["compare", bad],
            ["load", "--urls", urls], ["load", "--target", "http://127.0.0.1:1"],
            ["load", "--target", "https://127.0.0.1:1", "--urls", urls],
            ["load", "--target", "http://example.org:1", "--urls", urls],
            ["load", "--target", "http://127.0.0.1:99999", "--urls", urls],
            ["load", "--target", "http://127.0.0.1:1", "--urls", away],
            ["load", "--target", "http://127.0.0.1:1", "--urls", urls, "--expect", "ok"],
            ["origin", "--kinds", "tiff"],
        ):
            with self.subTest(arguments=arguments):
                done = bench(*arguments)
                self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
                self.assertRegex(done.stderr, r"\Aavatar-bench: [^\n]+\n\Z")

    def test_load_of_a_target_that_is_not_there_is_not_valid(self):
        urls = os.path.join(temporary(self), "urls")
        pathlib.Path(urls).write_text("/a\n")
        done = bench("load", "--target", f"http://127.0.0.1:{free_port()}", "--urls", urls, "--seconds", 0.5,
                     "--rate", 50)
        self.assertEqual(done.returncode, 3, done.stdout + done.stderr)


def processes_of(folder):
    """The processes that a run in this temporary folder started, by what their command lines say, and their workers."""
    found, parents = set(), {}
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                words = (entry / "cmdline").read_bytes()
                parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue  # It has just ended.
            if folder.encode() in words:
                found.add(int(entry.name))
    return found | {child for child, parent in parents.items() if parent in found}


def is_worker_of_nginx(process):
    try:
        return pathlib.Path(f"/proc/{process}/cmdline").read_bytes().startswith(b"nginx: worker process")
    except OSError:
        return False


def runs(process):
    """Whether a process is there and has not ended; one that nobody has waited for yet has."""
    try:
        return pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


class Interrupt(unittest.TestCase):
    """Whoever stops a run gets the machine back."""

    def test_sigint_ends_all_that_was_started_and_removes_its_files(self):
        folder = temporary(self)
        run = subprocess.Popen(
            [BENCH, "miss", "--server", SERVER, "--seconds", "5"], env=support.environment({"TMPDIR": folder}),
            cwd=PACKAGE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(run.wait)
        self.addCleanup(run.kill)
        children = pathlib.Path(f"/proc/{run.pid}/task/{run.pid}/children")
        # The origin, the server and nginx, and the processes of both, which nginx's would outlive.
        eventually(lambda: len(children.read_text().split()) >= 3 and any(map(is_worker_of_nginx, processes_of(folder))),
                   60, "the start")
        started = processes_of(folder) | {int(word) for word in children.read_text().split()}
        run.send_signal(signal.SIGINT)
        self.assertEqual(run.wait(20), 128 + signal.SIGINT)
        self.assertEqual(os.listdir(folder), [])
        eventually(lambda: not any(map(runs, started)), 20, "the end of all")


if __name__ == "__main__":
    unittest.main()
