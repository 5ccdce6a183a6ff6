#!/usr/bin/env python3
"""Churn of ten times the cache and more, for as long as told; the limit holds, memory and descriptors stay flat.

    benchmarks/soak.py [--seconds 600] [--max-bytes 32MiB] [--seed N]

Clients ask for avatars of which few are popular and most are seen once, some purge, some refresh. Meanwhile

- what the objects and what is being written take on disk (st_blocks) passes `cache.maxBytes` by one object at most. Only
  files that are there before and after a look are added up: all of them were there at one moment;
- after the first third, the server's own memory (RssAnon) and descriptors no longer grow;
- every answer is a 200 whose bytes are its ETag's.

At the end `cache verify` finds nothing damaged or missing. Exits 1 otherwise, naming the seed.
"""
import argparse
import http.client
import os
import pathlib
import random
import re
import statistics
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from crash import Breach, EndlessOrigin, support, whole  # noqa: E402

MIB = 1 << 20
CHURN = 10
# What memory may differ by between the second and the last third: the allocator's and the kernel's own to and fro.
MEMORY_SLACK, MEMORY_SHARE = 6 * MIB, 0.08
DESCRIPTOR_SLACK = 8


def bytes_on_disk(directory):
    """What the objects and what is being written allocate; at least this much was there at one moment. And the largest."""
    def listed():
        found = {}
        for folder in ("objects", "incoming"):
            for path, _, names in os.walk(os.path.join(directory, folder)):
                for name in names:
                    try:
                        status = os.lstat(os.path.join(path, name))
                    except FileNotFoundError:
                        continue  # Evicted meanwhile.
                    found[status.st_ino, status.st_mtime_ns] = status.st_blocks * 512
        return found
    before, after = listed(), listed()
    both = [min(before[key], after[key]) for key in before.keys() & after.keys()]
    return sum(both), max(both, default=0)


class Soak:
    """Clients, and somebody who watches."""

    def __init__(self, service, pages, seed, limit):
        self.service, self.pages, self.limit = service, pages, limit
        self.chance = random.Random(seed)
        self.ended, self.breaches = threading.Event(), []
        self.answers, self.misses, self.samples, self.most = 0, 0, [], 0
        # An avatar of noise takes four blocks and a half on average: so many fit.
        self.population = max(200, 30 * limit // 16384)

    @property
    def churn(self):
        """How many times over what was stored would fill the cache."""
        return self.misses * 16384 / self.limit

    def run(self, seconds, client_count=6):
        began = time.monotonic()
        threads = [threading.Thread(target=self._ask, args=(self.chance.getrandbits(64),)) for _ in range(client_count)]
        threads.append(threading.Thread(target=self._watch, args=(began,)))
        for thread in threads:
            thread.start()
        self.ended.wait(seconds)
        # A slow machine gets up to three times as long for its churn.
        while self.churn < CHURN and time.monotonic() < began + 3 * seconds and not self.ended.wait(0.5):
            pass
        self.ended.set()
        for thread in threads:
            thread.join()
        if self.breaches:
            raise self.breaches[0]
        self._judge(time.monotonic() - began)

    def _ask(self, seed):
        chance = random.Random(seed)
        connection = http.client.HTTPConnection("127.0.0.1", self.service.port, timeout=90)
        try:
            while not self.ended.is_set():
                popular = chance.random() < 0.5
                number = chance.randrange(40) if popular else 1000 + chance.randrange(self.population)
                url, draw = self.pages.url(number), chance.random()
                if draw < 0.02:
                    self.service.call("/v1/purge", {"sources": [url]})
                elif draw < 0.04:
                    self.service.call("/v1/prefetch", {"urls": [url], "wait": "1s", "refresh": True})
                else:
                    status, fields, body = whole(connection, self.service.path(url))
                    if status != 200:
                        raise Breach(f"{url}: {status} {body[:300]}")
                    self.answers += 1
                    self.misses += "fwd=" in fields["Cache-Status"]
        except Exception as fault:  # Any fault ends the soak, and is told as what it is.
            self.breaches.append(fault if isinstance(fault, Breach) else Breach(repr(fault)))
            self.ended.set()

    def _watch(self, began):
        try:
            while not self.ended.wait(0.1):
                total, largest = bytes_on_disk(self.service.cache)
                self.most = max(self.most, total)
                if total > self.limit + largest:
                    raise Breach(f"{total} bytes on disk; the limit is {self.limit}, the largest object {largest}")
                process = f"/proc/{self.service.process.pid}"
                memory = int(re.search(r"RssAnon:\s+(\d+)", pathlib.Path(process, "status").read_text())[1]) * 1024
                self.samples.append((time.monotonic() - began, memory, len(os.listdir(f"{process}/fd"))))
        except Exception as fault:
            self.breaches.append(fault if isinstance(fault, Breach) else Breach(repr(fault)))
            self.ended.set()

    def _judge(self, seconds):
        second = [sample for sample in self.samples if seconds / 3 <= sample[0] < seconds * 2 / 3]
        last = [sample for sample in self.samples if sample[0] >= seconds * 2 / 3]
        self.memory = [statistics.median(sample[1] for sample in part) for part in (second, last)]
        self.descriptors = [max(sample[2] for sample in part) for part in (second, last)]
        if self.memory[1] > self.memory[0] + max(MEMORY_SLACK, self.memory[0] * MEMORY_SHARE):
            raise Breach(f"memory grows: {self.memory[0] / MIB:.1f} MiB, then {self.memory[1] / MIB:.1f} MiB")
        if self.descriptors[1] > self.descriptors[0] + DESCRIPTOR_SLACK:
            raise Breach(f"descriptors grow: {self.descriptors[0]}, then {self.descriptors[1]}")
        self.evictions = self.service.metric("avatar_cache_evictions_total", tier="disk")
        done = self.service.command("cache", "verify", timeout=300)
        counts = {name: int(number) for name, number in re.findall(r"^(\w+) +(\d+)", done.stdout, re.M)}
        if done.returncode != 0 or counts["damaged"] or counts["missing"] or counts["failures"]:
            raise Breach(f"cache verify: exit {done.returncode}\n{done.stdout}{done.stderr}")


def run(seconds, limit, seed):
    """One soak; raises Breach. Returns what was seen."""
    pages = EndlessOrigin()
    service = support.Service({
        "cache.maxBytes": str(limit), "cache.memoryBytes": "4MiB", "log.level": "warning", "workers.count": 2,
        # Not what is tested, and workers give way to whatever else the machine does.
        "requestBudget": "60s", "fetch.totalTimeout": "60s", "workers.decodeTimeout": "30s"})
    soak = Soak(service, pages, seed, limit)
    try:
        soak.run(seconds)
        service.stop()
        return soak
    except (Breach, AssertionError) as breach:
        raise Breach(f"seed {seed}, {seconds} s, {limit} bytes: {breach}\n{service.log[-2000:]}") from breach
    finally:
        service.close()
        pages.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--max-bytes", default="32MiB", help="cache.maxBytes, in MiB")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().getrandbits(32))
    options = parser.parse_args()
    limit = int(options.max_bytes.removesuffix("MiB")) * MIB
    print(f"seed {options.seed}, {options.seconds:.0f} s, {options.max_bytes}", flush=True)
    try:
        soak = run(options.seconds, limit, options.seed)
        if soak.churn < CHURN:
            raise Breach(f"churn was {soak.churn:.1f} times the cache only: give it longer, or a smaller cache")
    except Breach as breach:
        print(f"soak: {breach}", file=sys.stderr)
        return 1
    print(f"{soak.answers} answers, {soak.misses} misses: churn {soak.churn:.1f} times the cache; {soak.evictions:.0f} evictions\n"
          f"disk at most {soak.most} of {limit} bytes; memory {soak.memory[0] / MIB:.1f}, then {soak.memory[1] / MIB:.1f} MiB; "
          f"descriptors {soak.descriptors[0]}, then {soak.descriptors[1]}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
