"""A wall clock that jumps: no entry lives for ever, and origins see no stampede."""
import mmap
import pathlib
import struct
import subprocess
import time
import unittest

import support

DAY = 86400
# Put before the C library. (libfaketime changes the environment at the start, after which Swift's runtime does not find its
# arguments.) The wall clock alone: deadlines run on the monotonic one, which no jump touches.
SHIM = r"""
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile long long *seconds;

__attribute__((constructor)) static void open_clock(void) {
  const char *path = getenv("TEST_CLOCK");
  int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  if (file < 0) return;
  void *page = mmap(0, sizeof *seconds, PROT_READ, MAP_SHARED, file, 0);
  close(file);
  if (page != MAP_FAILED) seconds = page;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
  long status = syscall(SYS_clock_gettime, clock, now);
  if (status == 0 && seconds && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += *seconds;
  return (int)status;
}

time_t time(time_t *to) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (to) *to = now.tv_sec;
  return now.tv_sec;
}

int gettimeofday(struct timeval *now, void *zone) {
  struct timespec exact;
  (void)zone;
  clock_gettime(CLOCK_REALTIME, &exact);
  now->tv_sec = exact.tv_sec;
  now->tv_usec = exact.tv_nsec / 1000;
  return 0;
}
"""


class Clock(support.Case):
    @classmethod
    def setUpClass(cls):
        folder = pathlib.Path(support.temporary(cls))
        (folder / "clock.c").write_text(SHIM)
        cls.library = str(folder / "clock.so")
        done = subprocess.run(
            ["gcc", "-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o", cls.library, str(folder / "clock.c")],
            capture_output=True, text=True)
        if done.returncode != 0:
            raise AssertionError(f"gcc: {done.stderr}")
        cls.clock_file = folder / "clock"
        cls.clock_file.write_bytes(bytes(8))
        with open(cls.clock_file, "r+b") as file:
            cls.clock = mmap.mmap(file.fileno(), 8)
        cls.addClassCleanup(cls.clock.close)
        super().setUpClass()

    @classmethod
    def start(cls, config=None, **options):
        return super().start(config, env={"LD_PRELOAD": cls.library, "TEST_CLOCK": str(cls.clock_file)}, **options)

    @classmethod
    def set_clock(cls, days):
        cls.clock[:] = struct.pack("@q", days * DAY)

    settings = {"freshness.minimum": "5m", "freshness.staleWhileRevalidate": "7d", "freshness.staleIfError": "30d",
                "log.level": "warning"}

    def setUp(self):
        self.set_clock(0)
        self.addCleanup(self.set_clock, 0)

    def pages(self, count=10):
        pages = [self.origin.page(headers={"Cache-Control": "max-age=3600"}, etag='"one"') for _ in range(count)]
        for page in pages:
            self.assertEqual(self.service.get(page.url).status, 200)
        return pages

    def storm(self, pages, rounds=5):
        """Everybody asks for everything, several times; all answers."""
        def ask(index):
            return self.service.get(pages[index % len(pages)].url)
        return [answer for _ in range(rounds) for answer in support.at_once(len(pages) * 2, ask)]

    def test_the_clock_is_ours(self):
        self.set_clock(40)
        date = time.strptime(self.service.get(self.origin.page().url)["last-modified"], "%a, %d %b %Y %H:%M:%S GMT")
        self.assertGreater(time.mktime(date), time.time() + 38 * DAY)

    def test_each_jump_costs_each_avatar_one_fetch_at_most(self):
        for days in (1, 8, 40, 4000, -1, -40, -4000):
            with self.subTest(f"by {days} days"):
                self.set_clock(0)
                pages = self.pages()
                self.set_clock(days)
                answers = self.storm(pages)
                self.assertEqual({answer.status for answer in answers}, {200})
                for answer in answers:
                    self.assertTrue(0 <= answer.lifetimes["max-age"] <= 3600, answer)
                    self.assertLessEqual(answer.lifetimes.get("stale-if-error", 0), 30 * DAY)
                for page in pages:
                    page.wait_for(2, within=10)  # Past its lifetime, or from a future that is none: asked again …
                    self.assertEqual(page.count, 2)  # … once.

    def test_a_jump_and_back_again(self):
        pages = self.pages()
        for turn, days in enumerate((40, 0, -40, 0), 2):
            self.set_clock(days)
            self.storm(pages, rounds=3)
            self.assertLessEqual(max(page.count for page in pages), turn, f"after a jump to {days} days")

    def test_no_entry_from_the_future_is_immortal(self):
        self.set_clock(40)
        page = self.pages(1)[0]
        self.set_clock(0)
        page.etag, page.body = '"two"', self.origin.page().body
        first = self.service.get(page.url)
        support.eventually(lambda: self.service.get(page.url)["etag"] != first["etag"], 10, "the new picture")

    def test_last_modified_never_goes_back(self):
        page = self.pages(1)[0]
        first = self.service.get(page.url)["last-modified"]
        self.set_clock(-40)
        page.etag, page.body = '"two"', self.origin.page().body
        etag = self.service.get(page.url)["etag"]
        answer = support.eventually(
            lambda: (got := self.service.get(page.url))["etag"] != etag and got, 10, "the new picture")

        def seconds(text):
            return time.mktime(time.strptime(text, "%a, %d %b %Y %H:%M:%S GMT"))
        self.assertGreaterEqual(seconds(answer["last-modified"]), seconds(first))


if __name__ == "__main__":
    unittest.main()
