#!/usr/bin/env python3
"""A worker killed a hundred times under load: no hit fails, and at most the image in hand does.

  worker-kills.py [--server PROGRAM] [--kills 100]

Three clients ask for new avatars all the time, one for hits; meanwhile a worker is killed with SIGKILL, again and again.
Exit status: 0 no failed hit, at most one failed miss a kill, none of them remembered, and all workers up at the end; 1 if not.
"""
import collections
import os
import signal
import sys
import threading
import time

import proof

LIMIT = 240


def main():
    options = proof.arguments(__doc__, kills=100)
    import client
    import origin as origins
    import support
    origin = origins.Origin()
    service = support.Service({"workers.count": 2, "log.level": "warning"})
    here, ended, lock = origin.page(), threading.Event(), threading.Lock()
    pictures = [origins.noise(seed, 512) for seed in range(8)]
    hits, misses, failed = collections.Counter(), collections.Counter(), []

    def hit():
        with client.Connection(service.port) as connection:
            while not ended.is_set():
                hits[connection.ask(service.path(here.url)).status] += 1

    def miss(lane):
        turn = 0
        while not ended.is_set():
            turn += 1
            page = origin.page(pictures[turn % len(pictures)], path=f"/{lane}-{turn}.png")
            answer = service.get(page.url)
            with lock:
                misses[(answer.status, answer.code)] += 1
                if answer.status != 200:
                    failed.append(page.url)
                else:
                    del origin.pages[page.path]

    faults = []
    try:
        service.get(here.url)
        threads = [threading.Thread(target=hit), *(threading.Thread(target=miss, args=(lane,)) for lane in range(3))]
        for thread in threads:
            thread.start()
        kills, end = 0, time.monotonic() + LIMIT
        while kills < options.kills and time.monotonic() < end:
            made = sum(misses.values())
            for victim in service.workers[kills % 2 :][:1]:
                try:
                    os.kill(victim, signal.SIGKILL)
                    kills += 1
                except ProcessLookupError:
                    pass  # It is being replaced at the moment.
            # Work goes on between the kills: the next one waits for an answer to a miss.
            while sum(misses.values()) == made and time.monotonic() < end:
                time.sleep(0.005)
        ended.set()
        for thread in threads:
            thread.join()
        remembered = [url for url in failed if service.get(url).status != 200]
        support.eventually(lambda: service.metric("avatar_workers_up") == 2, what="both workers up")
        restarts = service.metric("avatar_worker_restarts_total")
        service.stop()
    finally:
        ended.set()
        service.close()
        origin.close()
    print(f"{kills} kills, {restarts:.0f} workers replaced; hits {dict(hits)}; misses "
          f"{ {' '.join(map(str, key)).strip(): count for key, count in misses.items()} }; "
          f"{len(remembered)} failures remembered")
    if kills < options.kills:
        faults.append(f"only {kills} kills in {LIMIT} s")
    if set(hits) != {200}:
        faults.append(f"hits failed: {dict(hits)}")
    if len(failed) > kills:
        faults.append(f"{len(failed)} misses failed")
    if remembered:
        faults.append(f"{len(remembered)} failures are held against their pictures")
    for fault in faults:
        print(f"FAULT {fault}")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
