#!/usr/bin/env python3
"""Thousands of connections that wait for one slow origin are all answered within the budget, and hits stay fast.

  waiters.py [--server PROGRAM] [--waiters 9000] [--sources 300]

Twice: all of them wait for one avatar, then for `--sources` of them. The origin takes the requests and says nothing, so
that each waiter's answer is the 504 of the budget. Meanwhile one client asks for hits on a connection of its own.
Exit status: 0 every answer within the budget and a second, and hits below 100 ms for 99 of 100; 1 if not.
"""
import collections
import multiprocessing
import sys

import proof

BUDGET, TOLERANCE, HIT_LIMIT = 4.0, 1.0, 0.1


def main():
    options = proof.arguments(__doc__, waiters=9000, sources=300)
    proof.raise_descriptors(2 * options.waiters + 2000)
    import support
    from origin import Origin
    origin = Origin()
    service = support.Service({
        "requestBudget": f"{BUDGET:.0f}s", "fetch.totalTimeout": "30s", "fetch.idleTimeout": "30s",
        "maxConnections": options.waiters + 100, "log.level": "warning"})
    here = origin.page()
    faults = []
    try:
        service.get(here.url)
        silent = [origin.page(act="hang") for _ in range(options.sources)]
        for name, pages in (("one avatar", silent[:1]), (f"{options.sources} avatars", silent)):
            faults += round_of(name, pages, options.waiters, service, service.path(here.url))
        support.eventually(lambda: service.metric("avatar_connections") == 0, what="nobody connected")
        print(f"server at rest behind it {proof.private(service.process.pid) / proof.MEBIBYTE:.0f} MiB")
        service.stop()
    finally:
        service.close()
        origin.close()
    for fault in faults:
        print(f"FAULT {fault}")
    sys.exit(1 if faults else 0)


def round_of(name, pages, count, service, hit):
    import support
    # The rest of the last round has to be gone: what is over maxConnections is refused.
    support.eventually(lambda: service.metric("avatar_connections") == 0, what="nobody connected")
    crowd = proof.Crowd(service.port)
    sockets = crowd.connect(count)
    # A process of its own: the crowd's own loop is not to slow it down.
    context = multiprocessing.get_context("spawn")
    ended, told = context.Event(), context.Queue()
    hitting = context.Process(target=proof.hit_until, args=(service.port, hit, ended, told))
    hitting.start()
    support.eventually(lambda: service.metric("avatar_connections") == count + 1, what="all connected")
    paths = [service.path(page.url) for page in pages]
    crowd.ask(sockets, lambda number: paths[number % len(paths)])
    memory = proof.private(service.process.pid)
    crowd.wait(BUDGET + 10)
    ended.set()
    hits = told.get(timeout=20)
    hitting.join()
    for one in sockets:
        one.close()
    statuses = collections.Counter(status for status, _, _ in crowd.answers)
    times = [seconds for _, seconds, _ in crowd.answers]
    waits = [seconds for seconds, _ in hits]
    print(f"{name}: {count} waiters, statuses {dict(statuses)}, slowest {max(times):.2f} s, median {proof.percentile(times, 0.5):.2f} s; "
          f"{len(hits)} hits, 99 % within {proof.percentile(waits, 0.99) * 1000:.1f} ms, slowest {max(waits) * 1000:.1f} ms; "
          f"server {memory / proof.MEBIBYTE:.0f} MiB while they wait", flush=True)
    faults = []
    if set(statuses) - {504, 503}:
        faults.append(f"{name}: statuses {dict(statuses)}")
    if len(pages) == 1 and set(statuses) != {504}:
        faults.append(f"{name}: waiters of one flight were shed: {dict(statuses)}")
    if max(times) > BUDGET + TOLERANCE:
        faults.append(f"{name}: an answer after {max(times):.2f} s")
    if {status for _, status in hits} != {200}:
        faults.append(f"{name}: hits failed")
    if proof.percentile(waits, 0.99) > HIT_LIMIT:
        faults.append(f"{name}: 99 % of hits within {proof.percentile(waits, 0.99) * 1000:.0f} ms")
    return faults


if __name__ == "__main__":
    main()
