#!/usr/bin/env python3
"""Kills the server with SIGKILL at random moments of a write-heavy load, and looks at the whole cache after each.

    benchmarks/crash.py [--rounds 200] [--seed N]

Rounds take turns on two directories: a roomy one, in which whatever was answered as stored must be found again, and a
tight one that evicts all the time. The kill falls into start, load or whatever else goes on. After each:

- every object's bytes are its name's, before anything has had a chance to mend them;
- the server starts on what is there, and `cache verify` finds nothing damaged, nothing missing, nothing it cannot read;
- files and index agree: no file without its row, no row without its file, no entry without its object, nothing left of
  what was being written, no room reserved for the dead, and the totals are the sums;
- in the roomy directory, each avatar that was stored is served, the same, without asking its origin.

Every answer under load is whole: its bytes are its ETag's. Exits 1 at the first breach, naming seed and round.
"""
import argparse
import hashlib
import http.client
import os
import pathlib
import random
import re
import socket
import sqlite3
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Tests" / "EndToEnd"))
import origin  # noqa: E402
import support  # noqa: E402


PASSING = 10_000_000


class Breach(AssertionError):
    """Something that a crash must not leave behind."""


class Pages(dict):
    """The pages of an endless origin: each path has its own picture, made from its number when it is asked for."""

    def __init__(self, owner):
        super().__init__()
        self.owner = owner

    def get(self, path, default=None):
        found = re.fullmatch(r"/endless/(\d+)\.png", path)
        if not found:
            return super().get(path, default)
        return origin.Page(self.owner, path, origin.noise(int(found[1])), etag=f'"{found[1]}"')


class EndlessOrigin(origin.Origin):
    """An origin with a picture for every number."""

    def __init__(self):
        super().__init__()
        self.pages = Pages(self)

    def url(self, number):
        return f"{self.base}/endless/{number}.png"


def whole(connection, path, headers=None):
    """One request on a kept connection; the answer's status, header fields and body, which must be whole."""
    connection.request("GET", path, headers=headers or {})
    answer = connection.getresponse()
    body = answer.read()
    if answer.status == 200 and answer.headers["ETag"] != f'"{hashlib.sha256(body).hexdigest()}"':
        raise Breach(f"{path}: {len(body)} bytes that are not those of ETag {answer.headers['ETag']}")
    return answer.status, answer.headers, body


class Mortal(support.Service):
    """A service whose start need not be waited for."""

    def start(self, ready=True, patient=True):
        self.patient = patient
        super().start(ready)

    def _answers(self, path):
        return super()._answers(path) if self.patient else True


class Round:
    """One life of the server: load until it is killed."""

    def __init__(self, service, pages, seed, stored):
        self.service, self.pages, self.stored = service, pages, stored
        self.chance, self.breaches, self.answered = random.Random(seed), [], 0
        self.ended, self.killed = threading.Event(), 0.0

    def run(self, client_count, numbers, moment):
        began = time.monotonic()
        threads = [threading.Thread(target=self._load, args=(self.chance.getrandbits(64), numbers))
                   for _ in range(client_count)]
        for thread in threads:
            thread.start()
        # The moment of the kill is the input that is drawn, in any state that the server is in by then.
        time.sleep(max(0.0, began + moment - time.monotonic()))
        self.killed = time.monotonic()
        self.service.kill()
        self.ended.set()
        for thread in threads:
            thread.join()
        if self.breaches:
            raise self.breaches[0]

    def _listens(self):
        try:
            for port in (self.service.port, self.service.control):
                socket.create_connection(("127.0.0.1", port), 1).close()
            return True
        except OSError:
            return self.ended.wait(0.01)  # It has not come up yet.

    def _load(self, seed, numbers):
        chance = random.Random(seed)
        try:
            connection = http.client.HTTPConnection("127.0.0.1", self.service.port, timeout=90)
            while not self.ended.is_set():
                if not self.service.patient and not self._listens():
                    continue
                number, draw = chance.choice(numbers), chance.random()
                # Some avatars come and go: of those nobody can say whether they have to be there.
                passing = draw < 0.15
                url = self.pages.url(number + PASSING if passing else number)
                if draw < 0.05:
                    self.service.call("/v1/purge", {"sources": [url]})
                elif draw < 0.1:
                    self.service.call("/v1/prefetch", {"urls": [url], "wait": "2s", "refresh": True})
                else:
                    status, fields, body = whole(connection, self.service.path(url))
                    if status != 200:
                        raise Breach(f"{url}: {status} {body[:200]}")
                    self.answered += 1
                    if fields["Cache-Status"].endswith("stored") and not passing:
                        self.stored[number] = hashlib.sha256(body).hexdigest()
        except Breach as breach:
            self.breaches.append(breach)
        except (OSError, http.client.HTTPException, AssertionError) as fault:
            noticed = time.monotonic()
            self.ended.wait()
            if noticed < self.killed:
                self.breaches.append(Breach(f"{self.killed - noticed:.3f} s before its death the server failed a client: {fault!r}"))


def objects_are_whole(directory):
    """Every object's bytes are its name's; how many there are."""
    count = 0
    for path in pathlib.Path(directory, "objects").rglob("*.jpg"):
        count += 1
        if hashlib.sha256(path.read_bytes()).hexdigest() != path.stem:
            raise Breach(f"{path.name} holds other bytes: {path.stat().st_size} of them")
    return count


def disagreement(directory):
    """What files and index do not agree about; an empty list if nothing."""
    files = {path.stem: path.stat() for path in pathlib.Path(directory, "objects").rglob("*.jpg")}
    index = sqlite3.connect(f"file:{directory}/index.sqlite3?mode=ro", uri=True, timeout=5)
    try:
        rows = {bytes(row[0]).hex(): row for row in index.execute("SELECT hash, size, bytes, rank FROM objects")}
        found = [f"file without row: {name}" for name in files.keys() - rows.keys()]
        found += [f"row without file: {name} {rows[name][1:]}" for name in rows.keys() - files.keys()]
        found += [f"size of {name}: {files[name].st_size}, index {rows[name][1:]}" for name in rows.keys() & files.keys()
                  if (files[name].st_size, files[name].st_blocks * 512) != rows[name][1:3]]
        found += [f"entry {row[0]} without object" for row in index.execute(
            "SELECT id FROM entries WHERE object NOT IN (SELECT id FROM objects)")]
        found += [f"object {row[0]} of rank {row[1]}" for row in index.execute("SELECT id, rank FROM objects WHERE rank > 2")]
        found += [f"room for the dead: {row}" for row in index.execute("SELECT * FROM reservations")]
        sums = index.execute("SELECT (SELECT count(*) FROM entries), (SELECT count(*) FROM objects), "
                             "(SELECT ifnull(sum(bytes), 0) FROM objects)").fetchone()
        totals = index.execute("SELECT entries, objects, bytes FROM totals").fetchone()
        found += [f"totals {totals}, sums {sums}"] if sums != totals else []
        found += [f"integrity: {row[0]}" for row in index.execute("PRAGMA integrity_check") if row[0] != "ok"]
    finally:
        index.close()
    found += [f"left in incoming: {name}" for name in os.listdir(os.path.join(directory, "incoming"))]
    return found


def verify(service, stored, pages, chance):
    """The whole directory after a start."""
    done = service.command("cache", "verify")
    counts = {name: int(number) for name, number in re.findall(r"^(\w+) +(\d+)", done.stdout, re.M)}
    if done.returncode != 0 or counts["damaged"] or counts["missing"] or counts["failures"]:
        raise Breach(f"cache verify: exit {done.returncode}\n{done.stdout}{done.stderr}")
    end = time.monotonic() + 15
    while found := disagreement(service.cache):
        if time.monotonic() > end:
            raise Breach("for good: " + "; ".join(found[:10]))
        time.sleep(0.1)
    connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=90)
    for number in chance.sample(sorted(stored), min(30, len(stored))):
        path = service.path(pages.url(number))
        status, _, body = whole(connection, path, {"Cache-Control": "only-if-cached"})
        if (status, hashlib.sha256(body).hexdigest()) != (200, stored[number]):
            raise Breach(f"{pages.url(number)} was stored and now is {status} {body[:100] if status != 200 else ''}")
    connection.close()
    return counts


def run(rounds, seed, report=lambda line: None):
    """All rounds; raises Breach. Returns how many answers there were in all."""
    chance, pages, total = random.Random(seed), EndlessOrigin(), 0
    services, stored = [], [{}, {}]
    try:
        for limit in ("10GiB", "2MiB"):
            services.append(Mortal({
                "cache.maxBytes": limit, "cache.memoryBytes": "1MiB",
                # Not what is tested, and workers give way to whatever else the machine does.
                "requestBudget": "60s", "fetch.totalTimeout": "60s", "workers.decodeTimeout": "30s"}))
        for service in services:
            service.kill()
        for number in range(rounds):
            tight = number % 2
            service = services[tight]
            # One in five dies while it starts.
            early = chance.random() < 0.2
            service.start(patient=not early)
            life = Round(service, pages, chance.getrandbits(64), stored[tight])
            life.run(8, range(number // 2 * 40, number // 2 * 40 + 80), chance.uniform(0, 0.3 if early else 1.2))
            if tight:
                stored[tight].clear()  # Whatever was stored may have been evicted.
            total += life.answered
            count = objects_are_whole(service.cache)
            service.start()
            counts = verify(service, stored[tight], pages, chance)
            service.kill()
            report(f"round {number + 1}: {life.answered} answers, {count} objects, {len(stored[tight])} known to be stored, "
                   f"adopted {counts['adopted']}, collected {counts['collected']}")
    except (Breach, AssertionError) as breach:
        raise Breach(f"seed {seed}, round {number + 1} of {rounds}: {breach}\n{service.log[-2000:]}") from breach
    finally:
        for service in services:
            service.close()
        pages.close()
    return total


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().getrandbits(32))
    options = parser.parse_args()
    print(f"seed {options.seed}, {options.rounds} rounds", flush=True)
    began = time.monotonic()
    try:
        total = run(options.rounds, options.seed, lambda line: print(line, flush=True))
    except Breach as breach:
        print(f"crash: {breach}", file=sys.stderr)
        return 1
    print(f"{options.rounds} kills, {total} whole answers, nothing lost, {time.monotonic() - began:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
