#!/usr/bin/env python3
"""Private memory after thousands of mixed misses: server and workers stay small.

  memory.py [--server PROGRAM] [--misses 5000]

Misses of many kinds (small and large PNGs, interlaced or not, photos' sizes, no pictures, errors), four at a time.
Exit status: 0 the server is below 80 MiB and the memory tier in use, each worker at rest below 80 MiB; 1 if not.
"""
import collections
import concurrent.futures
import sys

import proof

LIMIT = 80 * proof.MEBIBYTE


def main():
    options = proof.arguments(__doc__, misses=5000)
    import origin as origins
    import support
    origin = origins.Origin()
    service = support.Service({"workers.count": 2, "log.level": "warning"})
    # A picture's place in the list says how often it comes: mostly avatars as they are, now and then a burden.
    pictures = [origins.noise(seed, 64) for seed in range(20)] + [origins.noise(seed, 256) for seed in range(20, 28)]
    pictures += [origins.noise(99, 1024), origins.quarters(2000), origins.bomb(3000), b"<html>", b"", origins.claim(20000, 20000)]
    pages = [origin.page(body, path=f"/{number}.png") for number, body in enumerate(pictures)]
    statuses = collections.Counter()
    peak = 0
    try:
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            for number, answer in enumerate(pool.map(
                    lambda number: service.get(f"{pages[number % len(pages)].url}?{number}"), range(options.misses))):
                statuses[answer.status] += 1
                if number % 50 == 0:
                    peak = max(peak, proof.private(service.process.pid))
        tier = service.metric("avatar_cache_bytes", tier="memory")
        server = proof.private(service.process.pid)
        workers = [proof.private(pid) for pid in service.workers]
        fetched = sum(page.count for page in pages)
        service.stop()
    finally:
        service.close()
        origin.close()
    print(f"{options.misses} misses {dict(statuses)}, {fetched} fetches: server {server / proof.MEBIBYTE:.0f} MiB "
          f"(at most {peak / proof.MEBIBYTE:.0f}), of which {tier / proof.MEBIBYTE:.0f} MiB are the memory tier; "
          f"workers at rest {', '.join(f'{size / proof.MEBIBYTE:.0f} MiB' for size in workers)}")
    faults = []
    if max(server, peak) > LIMIT + tier:
        faults.append("the server is over 80 MiB and its memory tier")
    if not workers or max(workers) > LIMIT:
        faults.append("a worker is over 80 MiB")
    if fetched < options.misses or set(statuses) - {200, 422}:
        faults.append(f"{fetched} fetches, {dict(statuses)}")
    for fault in faults:
        print(f"FAULT {fault}")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
