#!/usr/bin/env python3
"""What a backend and a CDN feel of prefetching: `wait` is held while origins hang, and a storm of prefetches leaves hits alone.

  prefetch.py [--server PROGRAM] [--calls 200] [--urls 10000]

First `calls` prefetches with a wait of 300 ms, each for an avatar whose origin hangs: how late is the answer? Then hits alone, and the
same while `urls` new avatars are prefetched in batches of 250.
Exit status: 0 waits held to within 50 ms at the 99th percentile, hits' 99th percentile at most doubled or 2 ms worse; 1 if not.
"""
import multiprocessing
import sys
import threading
import time

import proof

WAIT, LATE = 0.3, 0.05


def main():
    options = proof.arguments(__doc__, calls=200, urls=10000)
    import origin as origins
    import support
    origin = origins.Origin()
    service = support.Service({"log.level": "warning", "prefetch.queue": 20000})
    try:
        faults = waits(options.calls, origin, service) + storm(options.urls, origin, service)
    finally:
        service.close()
        origin.close()
    for fault in faults:
        print("FAULT", fault)
    return 1 if faults else 0


def waits(calls, origin, service):
    """Held waits, four at a time on connections of their own: the client is not to be what is slow."""
    pages = [origin.page(act="hang") for _ in range(calls)]
    late, lock = [], threading.Lock()

    def lane(number):
        for page in pages[number::4]:
            begun = time.perf_counter()
            answer = service.call("/v1/prefetch", {"urls": [page.url], "wait": f"{int(WAIT * 1000)}ms"})
            with lock:
                late.append(time.perf_counter() - begun - WAIT if answer.status == 202 else 9)

    lanes = [threading.Thread(target=lane, args=(number,)) for number in range(4)]
    for thread in lanes:
        thread.start()
    for thread in lanes:
        thread.join()
    worst = proof.percentile(late, 0.99)
    print(f"{calls} waits of {WAIT * 1000:.0f} ms on origins that hang: 99 % at most {worst * 1000:.1f} ms late")
    return [f"99 % within {worst * 1000:.1f} ms"] if worst > LATE else []


def storm(urls, origin, service):
    """Hits alone, then beside the storm."""
    here = origin.page()
    service.get(here.url)
    pictures = origin.page()
    before = hits(service, here, lambda: time.sleep(3))

    def prefetch():
        # One path, as many avatars as there are queries: the origin counts them as one page.
        for first in range(0, urls, 250):
            batch = [f"{pictures.url}?n={number}" for number in range(first, min(urls, first + 250))]
            while service.call("/v1/prefetch", {"urls": batch}).status == 503:
                time.sleep(0.05)

    during = hits(service, here, prefetch)
    one, other = (proof.percentile(part, 0.99) * 1000 for part in (before, during))
    print(f"hits' 99th percentile {one:.2f} ms alone ({len(before)}), {other:.2f} ms beside {urls} prefetches ({len(during)})")
    return [f"{one:.2f} ms became {other:.2f} ms"] if other > max(2 * one, one + 2) else []


def hits(service, page, meanwhile):
    """The latencies of hits on one kept connection while `meanwhile` runs. In a process of its own: the origin lives in this one."""
    context = multiprocessing.get_context("spawn")
    ended, told = context.Event(), context.Queue()
    asker = context.Process(target=proof.hit_until, args=(service.port, service.path(page.url), ended, told))
    asker.start()
    try:
        meanwhile()
    finally:
        ended.set()
    latencies = [seconds for seconds, _ in told.get(timeout=30)]
    asker.join()
    return latencies


if __name__ == "__main__":
    sys.exit(main())
