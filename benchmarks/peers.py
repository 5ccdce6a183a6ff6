#!/usr/bin/env python3
"""The service beside what Debian and PyPI have for the same job, with one instrument: `avatar-bench load` and `avatar-bench origin`.

Everything is asked in turns, round after round; a figure is the median of its rounds with the smallest and the largest, a ratio
is taken within each round. CPU time is that of all server processes. `make bench-peers` runs it and writes RESULTS.md's table.
"""
import argparse
import json
import os
import pathlib
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time

import peer_servers as peers
from peer_servers import client, support


class Stage:
    """What ends with the run: servers, folders, sockets. Stands in for the test class that the tests' own parts expect."""

    def __init__(self):
        self.ends = []
        self.folder = tempfile.mkdtemp(prefix="avatar-peers-")
        self.addClassCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def addClassCleanup(self, function, *arguments, **named):  # noqa: N802 - the name that unittest gave it
        self.ends.append((function, arguments, named))

    addCleanup = addClassCleanup

    def close(self):
        while self.ends:
            function, arguments, named = self.ends.pop()
            function(*arguments, **named)


class Origin:
    """The benchmark's origin, in a process of its own; its CPU time is nobody's."""

    def __init__(self, stage):
        self.process = subprocess.Popen(
            [peers.BUILT / "avatar-bench", "origin", "--kinds", "jpeg-400,jpeg-1024,jpeg-12mp"], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True)
        stage.addClassCleanup(self.process.communicate)
        self.port = int(self.process.stdout.readline())

    def requests(self, kind, group):
        return int("".join(filter(str.isdigit, peers.get(self.port, f"/-/counts?group={kind}/{group}").content.decode())))


class Load:
    """One run of the generator; `with` ends it early where something fails."""

    def __init__(self, server, paths, seconds, connections=32, *more):
        self.server, self.file = server, tempfile.NamedTemporaryFile("w", suffix=".txt")
        self.result = tempfile.NamedTemporaryFile("r", suffix=".json")
        self.file.write("\n".join(paths) + "\n")
        self.file.flush()
        self.before = server.cpu()
        self.process = subprocess.Popen(
            [str(part) for part in (
                peers.BUILT / "avatar-bench", "load", "--target", f"http://127.0.0.1:{server.port}", "--urls",
                self.file.name, "--seconds", seconds, "--connections", connections, "--json", self.result.name, *more)],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.seconds = seconds

    def outcome(self):
        try:
            _, said = self.process.communicate(timeout=self.seconds + 60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise SystemExit(f"peers: the load on {self.server.name} did not end")
        text = pathlib.Path(self.result.name).read_text()
        if not text:
            raise SystemExit(f"peers: {self.server.name}: {said}")
        found = json.loads(text)
        found["cpu"] = (self.server.cpu() - self.before) / max(found["answers"], 1)
        found["saturated"] = found["generatorCPU"] / max(found["seconds"], 0.001) > 0.95
        return found


class Table:
    """Figures by row and column, one value a round; prints medians with their spread."""

    def __init__(self, title, note=""):
        self.title, self.note, self.rows, self.columns, self.targets = title, note, {}, [], []

    def add(self, row, **values):
        for column, value in values.items():
            if column not in self.columns:
                self.columns.append(column)
            self.rows.setdefault(row, {}).setdefault(column, []).append(value)

    def ratio(self, column, row, other):
        """The ratio of two rows, round by round."""
        if row not in self.rows or other not in self.rows:
            return []
        return [a / b for a, b in zip(self.rows[row][column], self.rows[other][column]) if b]

    def target(self, what, values, limit, unit=""):
        if values:
            self.targets.append({"what": what, "values": values, "limit": limit, "unit": unit,
                                 "met": statistics.median(values) <= limit})

    def markdown(self):
        lines = [f"### {self.title}", "", *([self.note, ""] if self.note else [])]
        names = [column.replace("_", " ") for column in self.columns]
        lines += [f"| server | {' | '.join(names)} |", "|---" * (len(names) + 1) + "|"]
        for row, values in self.rows.items():
            lines.append(f"| {row} | " + " | ".join(shown(values.get(column, [])) for column in self.columns) + " |")
        if self.targets:
            lines += ["", "| our target | measured | limit | |", "|---|---|---|---|"]
            for target in self.targets:
                lines.append(f"| {target['what']} | {shown(target['values'])}{target['unit']} | "
                             f"≤ {target['limit']}{target['unit']} | {'met' if target['met'] else '**missed**'} |")
        return "\n".join(lines) + "\n"


def shown(values):
    """`12.3 (11.9–12.8)`: median and spread."""
    def digits(value):
        return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
    if not values:
        return "–"
    if all(value == values[0] for value in values):
        return digits(values[0])
    return f"{digits(statistics.median(values))} ({digits(min(values))}–{digits(max(values))})"


def url(origin, kind, group, name, options=""):
    return f"http://127.0.0.1:{origin.port}/{kind}/{group}/{name}{'?' + options if options else ''}"


def path(server, source):
    """How a server is asked for the avatar of a source."""
    if server.name.startswith("nginx image_filter"):
        return "/" + source.removeprefix("http://")
    if server.name.startswith("thumbor"):
        return "/unsafe/256x256/" + source.replace("?", "%3F").replace("=", "%3D")
    return peers.signed_path(source)


# A round of what is compared by its CPU time: what the machine does beside it comes and goes within seconds.
TURNS = 4


def cpu_per_answer(turns):
    """Seconds, of several loads together."""
    return sum(turn["cpu"] * turn["answers"] for turn in turns) / max(sum(turn["answers"] for turn in turns), 1)


def hits(run):
    table = Table("A hit: one avatar, kept connections, 32 at once", "The same bytes from the first five; the last two have made their own.")
    source = url(run.origin, "jpeg-400", "peers-hit", 1)
    ours = peers.avatar_server(run.stage)
    wanted = path(ours, source)
    support.eventually(lambda: peers.answers(ours.port, wanted), 10, "the avatar")
    answer = peers.get(ours.port, wanted)
    bare = peers.bare(run.stage, answer)
    folder = support.temporary(run.stage)
    file = pathlib.Path(folder, "files" + wanted)
    file.parent.mkdir(parents=True)
    file.write_bytes(answer.content)
    servers = [ours, bare, peers.nginx(run.stage, "nginx static file", peers.STATIC, folder)]
    servers.append(peers.in_front(run.stage, peers.caches.Nginx, ours, "nginx proxy_cache before us"))
    if run.has("varnish"):
        servers.append(peers.in_front(run.stage, peers.caches.Varnish, ours, "Varnish before us"))
    servers += run.makers()
    for server in servers:
        support.eventually(lambda: peers.answers(server.port, path(server, source)), 30, server.name)
    for _ in run.turns(table.title):
        found = {server: [] for server in servers}
        for server in servers * TURNS:
            found[server].append(Load(server, [path(server, source)], run.turn).outcome())
            run.faults(server, found[server][-1])
        for server, turns in found.items():
            answers = sum(turn["answers"] for turn in turns)
            table.add(server.name, **{
                "CPU_µs_a_request": cpu_per_answer(turns) * 1e6,
                "requests_a_second": answers / sum(turn["seconds"] for turn in turns)})
        for server in servers:
            table.rows[server.name].setdefault("CPU_to_nginx_static", []).append(
                table.ratio("CPU_µs_a_request", server.name, "nginx static file")[-1])
    table.columns.append("CPU_to_nginx_static")
    table.target("CPU of ours to nginx static", table.ratio("CPU_µs_a_request", ours.name, "nginx static file"), 0.85)
    table.target("CPU of ours to bare libmicrohttpd", table.ratio("CPU_µs_a_request", ours.name, bare.name), 1.08)
    return table


def many(run):
    return hot(run, run.options.avatars, "nginx's files in the page cache, as many of them open as descriptors allow.")


def many_open(run):
    return hot(run, min(run.options.avatars, peers.OPEN_FILES), "nginx's files in the page cache and all of them open.")


def hot(run, count, note):
    table = Table(f"{count:,} hot avatars in random order, and one", f"All in memory: our memory tier, {note}")
    single = peers.avatar_server(run.stage)
    source = url(run.origin, "jpeg-400", "peers-many", 1)
    body = peers.get(single.port, path(single, source)).content
    folder, files = support.temporary(run.stage), support.temporary(run.stage)
    pathlib.Path(folder, "avatar.jpg").write_bytes(body)
    paths = subprocess.run(
        [peers.BUILT / "avatar-bench", "fill", "--directory", f"{folder}/cache", "--avatar", f"{folder}/avatar.jpg",
         "--count", str(count), "--keys", f"{folder}/keys"],
        check=True, capture_output=True, text=True, timeout=300).stdout.split()
    ours = peers.avatar_server(
        run.stage, folder, cache_memory_bytes=count * (len(body) + 4096) * 3 // 2 + (64 << 20), cache_max_bytes="100GiB")
    for number in range(count):
        # Two folders deep, as one would keep so many.
        place = pathlib.Path(files, f"files/{number % 256:02x}")
        if number < 256:
            place.mkdir(parents=True, exist_ok=True)
        (place / f"{number}.jpg").write_bytes(body)
    static = peers.nginx(run.stage, "nginx static files", peers.STATIC, files)
    asked = {ours: paths, static: [f"/{number % 256:02x}/{number}.jpg" for number in range(count)]}
    for server, all_paths in asked.items():
        seen, end = 0, time.monotonic() + 60
        while seen < count and time.monotonic() < end:
            # In turn, each run from where the last one ended.
            seen += Load(server, all_paths[seen:], 3).outcome()["answers"]
    one = {ours: (single, path(single, source)), static: (static, asked[static][0])}
    for number in run.turns(table.title):
        found = {(server, what): [] for server in (ours, static) for what in ("one", "all")}
        for turn in range(TURNS):
            for server in (ours, static):
                target, only = one[server]
                found[server, "one"].append(Load(target, [only], run.turn).outcome())
                found[server, "all"].append(
                    Load(server, asked[server], run.turn, 32, "--shuffle", number * TURNS + turn).outcome())
                run.faults(server, found[server, "all"][-1])
        for server in (ours, static):
            few, each = cpu_per_answer(found[server, "one"]), cpu_per_answer(found[server, "all"])
            table.add(server.name, **{"one:_CPU_µs": few * 1e6, "all:_CPU_µs": each * 1e6, "all_to_one": each / few})
    table.target("ours, all to one", table.rows[ours.name]["all_to_one"], 1.35)
    theirs = table.rows[static.name]["all_to_one"]
    table.target("ours, all to one, against nginx's own ratio",
                 [a / b for a, b in zip(table.rows[ours.name]["all_to_one"], theirs)], 1.0)
    return table


def misses(run):
    table = Table("A miss: photo to 256 × 256, four at once", "CPU of all processes: fetch, decode, encode, store.")
    servers = [peers.avatar_server(run.stage), *run.makers()]
    kinds = {"jpeg-400": "400²", "jpeg-1024": "1024²", "jpeg-12mp": "12_MP"}
    for server in servers:  # What a first picture costs, a worker's start among it, is none of the others'.
        paths = [path(server, url(run.origin, "jpeg-400", "peers-warm", index)) for index in range(5000)]
        Load(server, paths, 1, 4).outcome()
    for number in run.turns(table.title):
        for server in servers:
            for kind, name in kinds.items():
                paths = [path(server, url(run.origin, kind, f"peers-miss-{number}", index)) for index in range(20_000)]
                found = Load(server, paths, run.seconds, 4).outcome()
                run.faults(server, found)
                table.add(server.name, **{f"{name}:_CPU_ms": found["cpu"] * 1e3})
    ours = servers[0].name
    ratios = table.ratio("1024²:_CPU_ms", ours, "nginx image_filter + proxy_cache")
    table.target("1024²", table.rows[ours]["1024²:_CPU_ms"], 2.2, " ms")
    table.target("1024² where image_filter takes 12 ms for it", [12 * ratio for ratio in ratios], 2.2, " ms")
    table.target("1024² to nginx image_filter", ratios, 0.2)
    table.target("400²", table.rows[ours]["400²:_CPU_ms"], 1.6, " ms")
    return table


def storm(run):
    table = Table("32 clients at once on one cold avatar of an origin that takes 0.5 s")
    servers = [peers.avatar_server(run.stage)]
    servers.append(peers.in_front(run.stage, peers.caches.Nginx, servers[0], "nginx proxy_cache before us"))
    if run.has("varnish"):
        servers.append(peers.in_front(run.stage, peers.caches.Varnish, servers[0], "Varnish before us"))
    servers += run.makers()
    if run.has("thumbor"):
        servers.append(peers.behind_cache(run.stage, servers[-1]))
    for number in run.turns(table.title):
        for index, server in enumerate(servers):
            group = f"peers-storm-{number}-{index}"
            target = path(server, url(run.origin, "jpeg-400", group, 1, "delay=500ms"))
            # Nobody has an answer when asking ends: one request on each connection.
            found = Load(server, [target], 0.2, 32).outcome()
            run.faults(server, found)
            table.add(server.name, **{"slowest_client_s": found["latency"].get("1.0", 0),
                                      "origin_requests": run.origin.requests("jpeg-400", group)})
    ours = table.rows[servers[0].name]
    table.target("origin requests", ours["origin_requests"], 1)
    return table


def mixed(run):
    table = Table("1,000 hits a second while 12-megapixel photos miss, four at once")
    servers = [peers.avatar_server(run.stage), *run.makers(cached=True)]
    for number in run.turns(table.title):
        for server in servers:
            hit = [path(server, url(run.origin, "jpeg-400", "peers-mixed", 1))]
            support.eventually(lambda: peers.answers(server.port, hit[0]), 30, server.name)
            calm = Load(server, hit, run.seconds, 32, "--rate", 1000).outcome()
            photos = [path(server, url(run.origin, "jpeg-12mp", f"peers-mixed-{number}", index)) for index in range(5000)]
            storm = Load(server, photos, run.seconds + 1, 4)
            time.sleep(0.5)
            busy = Load(server, hit, run.seconds, 32, "--rate", 1000).outcome()
            made = storm.outcome()
            run.faults(server, busy)
            table.add(server.name, **{"p99_without,_ms": calm["latency"].get("0.99", 0) * 1e3,
                                      "p99_meanwhile,_ms": busy["latency"].get("0.99", 0) * 1e3,
                                      "photos_a_second": made["perSecond"]})
    ours = table.rows[servers[0].name]
    added = [b - max(2 * a, a + 2) for a, b in zip(ours["p99_without,_ms"], ours["p99_meanwhile,_ms"])]
    table.target("p99 meanwhile beyond twice, or 2 ms more than, without", added, 0, " ms")
    return table


def hanging(run):
    table = Table("A healthy origin while 16 others hang", "Five seconds' patience.")
    servers = [peers.avatar_server(run.stage), *run.makers(cached=True)]
    silent = []
    for number in range(16):
        # The system takes the connections; nobody ever answers. Each is a host of its own.
        listening = socket.create_server((f"127.0.0.{number + 2}", 0), backlog=64)
        run.stage.addClassCleanup(listening.close)
        silent.append("%s:%d" % listening.getsockname())
    for number in run.turns(table.title):
        for index, server in enumerate(servers):
            name = f"{number}-{index}"
            asked = []
            for host in silent:
                waiting = client.Connection(server.port)
                waiting.send(path(server, f"http://{host}/{name}.jpg"))
                asked.append(waiting)
            time.sleep(0.3)
            wanted = path(server, url(run.origin, "jpeg-400", f"peers-hang-{name}", 1))
            begun = time.monotonic()
            answered = peers.answers(server.port, wanted, patience=5)
            table.add(server.name, **{"answered": int(answered), "after_ms": (time.monotonic() - begun) * 1e3})
            for waiting in asked:
                waiting.close()
    return table


class Run:
    """The options, the origin, and which peers are here."""

    def __init__(self, options):
        self.options, self.seconds, self.left_out, self.wrong = options, options.seconds, {}, []
        self.turn = max(options.seconds / 2, 0.5)

    def play(self, comparison):
        """A comparison's table; its servers end with it."""
        self.stage = Stage()
        try:
            self.origin = Origin(self.stage)
            return comparison(self)
        finally:
            self.stage.close()

    def has(self, peer):
        reason = peers.missing(peer)
        if reason:
            self.left_out[peer] = reason
        return reason is None

    def makers(self, cached=False):
        """The peers that make avatars themselves; `cached` puts a cache before those that have none for their clients."""
        found = []
        if self.has("image_filter"):
            found.append(peers.image_filter(self.stage))
        if self.has("thumbor"):
            thumbor = peers.thumbor(self.stage)
            found.append(peers.behind_cache(self.stage, thumbor) if cached else thumbor)
        return found

    def turns(self, what):
        for number in range(1, self.options.rounds + 1):
            print(f"peers: {what}: round {number} of {self.options.rounds}", file=sys.stderr, flush=True)
            yield number

    def faults(self, server, found):
        if found["faults"]:
            self.wrong.append(f"{server.name}: {found['faults']} of {found['answers'] + found['faults']} requests failed")


COMPARISONS = {"hits": hits, "many": many, "many-open": many_open, "misses": misses, "storm": storm, "mixed": mixed, "hanging": hanging}


def machine():
    model = next((line.partition(":")[2].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "?")
    memory = int(open("/proc/meminfo").readline().split()[1]) / (1 << 20)
    system = dict(line.rstrip().split("=", 1) for line in open("/etc/os-release") if "=" in line)
    return f"{os.cpu_count()} cores ({model}), {memory:.0f} GiB, {system.get('PRETTY_NAME', '?').strip(chr(34))}, Linux {os.uname().release.partition('-')[0]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=2, help="length of one measurement")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--avatars", type=int, default=100_000, help="hot avatars of the second comparison")
    parser.add_argument("--only", action="append", choices=COMPARISONS, help="one comparison; may be given again")
    parser.add_argument("--markdown", help="write the tables there, in place of those of the last run")
    parser.add_argument("--json", help="write every round's figures there")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("peers: stopped"))  # What was started ends as well.
    tables = []
    begun = time.monotonic()
    run = Run(options)
    for name in options.only or COMPARISONS:
        tables.append(run.play(COMPARISONS[name]))
        print(tables[-1].markdown(), flush=True)
    command = f"make bench-peers ({options.seconds:g} s a measurement, {options.rounds} rounds)"
    lines = [f"Measured with `{command}` in {time.monotonic() - begun:.0f} s on {machine()}. Medians, in brackets the smallest and the "
             "largest round; ratios are taken within a round.", ""]
    lines += [f"Left out: {peer}: {reason}." for peer, reason in run.left_out.items()]
    lines += [f"Note: {text}." for text in dict.fromkeys(run.wrong)]
    text = "\n".join(lines) + "\n\n" + "\n".join(table.markdown() for table in tables)
    if options.markdown:
        write(pathlib.Path(options.markdown), text)
    if options.json:
        figures = [{"title": table.title, "rows": table.rows, "targets": table.targets} for table in tables]
        pathlib.Path(options.json).write_text(json.dumps(figures, indent=1))
    print("\n".join(lines))


def write(file, text):
    """Puts the tables between the marks of the file, or at its end."""
    begin, end = "<!-- peers: begin -->", "<!-- peers: end -->"
    whole = file.read_text() if file.exists() else "# Results\n\n"
    if begin not in whole:
        whole += f"\n## Beside others\n\n{begin}\n{end}\n"
    before, _, rest = whole.partition(begin)
    file.write_text(f"{before}{begin}\n{text}\n{end}{rest.partition(end)[2]}")


if __name__ == "__main__":
    main()
