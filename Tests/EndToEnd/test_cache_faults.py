"""A disk that is full, read-only, gone, dirty or damaged: every request is answered, and all is well again afterwards."""
import hashlib
import os
import pathlib
import shutil
import subprocess
import time
import unittest

import client
import support


class MountedService(support.Service):
    """A service in a mount namespace of its own; `mount` is what is done there before it starts."""

    def __init__(self, mount, **options):
        self.mount = mount
        super().__init__(**options)

    def start(self, ready=True):
        os.makedirs(self.cache, exist_ok=True)
        script = f'set -e; cd "$1"; {self.mount}; cd /; shift; exec "$@"'
        with open(self.log_file, "ab") as log:
            self.process = subprocess.Popen(
                ["unshare", "-m", "sh", "-c", script, "sh", self.cache, support.SERVER, "serve", "--config",
                 self.config_file],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=support.environment(self.env), start_new_session=True)
        support.eventually(lambda: self._answers("/readyz" if ready else "/healthz"), support.START_LIMIT, "the start")

    def inside(self, script):
        """Runs something in the service's namespace, in the cache directory."""
        done = subprocess.run(
            ["nsenter", "-t", str(self.process.pid), "-m", "sh", "-c", f'set -e; cd "$1"; {script}', "sh", self.cache],
            capture_output=True, text=True)
        if done.returncode != 0:
            raise AssertionError(f"{script}: {done.stderr}")
        return done.stdout


class FaultCase(support.Case):
    """What all tests here look at. Each test has a service of its own."""

    def served(self, service, page):
        answer = service.get(page.url)
        self.assertEqual(answer.status, 200, f"{answer}\n{service.log[-1500:]}")
        return answer

    def stores_again(self, service):
        """A new avatar reaches the disk, and the metric says that the disk is well."""
        support.eventually(lambda: service.metric("avatar_cache_writable") == 1, 15, "a writable cache")
        support.eventually(
            lambda: self.served(service, self.origin.page()).cache.endswith("stored"), 10, "an avatar that is stored")

    def service_for(self, **options):
        service = support.Service(**options)
        self.addCleanup(service.close)
        return service

    def mounted(self, mount, **options):
        if os.geteuid() != 0 or subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode != 0:
            self.fail("this test mounts file systems in a namespace of its own: run it as root, where that is permitted")
        service = MountedService(mount, **options)
        self.addCleanup(service.close)
        return service


class Disk(FaultCase):
    def test_a_full_disk(self):
        service = self.mounted(
            "mount -t tmpfs -o size=3m,mode=700 tmpfs .; cd .; head -c 1500000 /dev/zero >\"$PWD/filler\"")
        pages = [self.origin.page() for _ in range(150)]
        answers = [self.served(service, page) for page in pages]
        self.assertTrue(answers[0].cache.endswith("stored"), answers[0])
        self.assertFalse(answers[-1].cache.endswith("stored"), "the disk has not run full")
        with self.subTest("it is told"):
            support.eventually(lambda: service.metric("avatar_cache_writable") == 0, 10, "avatar_cache_writable 0")
            self.assertGreater(service.metric("avatar_cache_store_failures_total"), 0)
            state = client.ask(service.control, "/readyz")
            self.assertEqual(state.status, 200, "it goes on serving")
            self.assertIn("cache", str(state.json["degraded"]))
            self.assertLessEqual(len(service.logged("cache_unwritable")), 2, "one log line, not one a request")
        with self.subTest("what is here is served, from memory and from disk"):
            for page, first in ((pages[0], answers[0]), (pages[-1], answers[-1])):
                answer = self.served(service, page)
                self.assertEqual((answer.body, answer.cache[:3]), (first.body, "hit"))
        with self.subTest("whatever was cut off in writing is not left"):
            support.eventually(lambda: not service.inside("ls incoming").strip(), 10, "an empty incoming")
        with self.subTest("it is well again without a restart"):
            service.inside("rm filler")
            self.stores_again(service)
            times = len(service.events("cache_unwritable"))
            self.assertEqual(times, len(service.logged("cache_writable", times)))
            self.assertEqual(client.ask(service.control, "/readyz").json["degraded"], [])

    def test_a_read_only_disk(self):
        home = support.temporary(self)
        first = self.service_for(directory=os.path.join(home, "cache"))
        page = self.origin.page(headers={"Cache-Control": "max-age=600"})
        body = self.served(first, page).body
        first.stop()
        service = self.mounted(
            "mount --bind . .; mount -o remount,bind,ro \"$PWD\"", directory=os.path.join(home, "cache"))
        for _ in range(20):
            self.served(service, self.origin.page())
        self.assertEqual(self.served(service, page).body, body)
        self.assertEqual(service.metric("avatar_cache_writable"), 0)
        self.assertIn("cache", str(client.ask(service.control, "/readyz").json["degraded"]))
        self.assertEqual(client.ask(service.port, f"/o/{hashlib.sha256(body).hexdigest()}.jpg").status, 200)
        with self.subTest("it is well again without a restart"):
            service.inside('mount -o remount,bind,rw "$PWD"')
            self.stores_again(service)

    def test_a_directory_that_vanishes(self):
        service = self.service_for()
        page = self.origin.page(headers={"Cache-Control": "max-age=600"})
        body = self.served(service, page).body
        shutil.rmtree(service.cache)
        for _ in range(20):
            self.served(service, self.origin.page())
        self.assertEqual(self.served(service, page).body, body)
        self.stores_again(service)
        support.eventually(service.objects, 10, "objects in a new directory")
        self.assertEqual(service.command("cache", "verify").returncode, 0)

    def test_a_directory_that_is_moved_away_and_back(self):
        service = self.service_for()
        page = self.origin.page(headers={"Cache-Control": "max-age=600"})
        self.served(service, page)
        os.rename(service.cache, service.cache + ".away")
        self.stores_again(service)
        shutil.rmtree(service.cache)
        os.rename(service.cache + ".away", service.cache)
        self.stores_again(service)
        service.restart()
        self.assertRegex(self.served(service, page).cache, "^hit")
        self.assertEqual((page.count, service.command("cache", "verify").returncode), (1, 0))

    def test_a_directory_that_cannot_be_made(self):
        home = support.temporary(self)
        path = pathlib.Path(home, "cache")
        path.write_text("a file, no directory")
        service = self.service_for(directory=str(path))
        for _ in range(5):
            self.served(service, self.origin.page())
        self.assertEqual((service.metric("avatar_cache_writable"), path.read_text()), (0, "a file, no directory"))
        path.unlink()
        self.stores_again(service)


class Contents(FaultCase):
    def test_foreign_files_are_left_alone_and_served_to_nobody(self):
        service = self.service_for()
        page = self.origin.page(headers={"Cache-Control": "max-age=600"})
        object_hash = self.served(service, page).sha256
        other = "ab" + "0" * 62
        foreign = {
            "notes.txt": b"of a person", "objects/readme": b"hello", f"objects/{object_hash[:2]}/notes": b"beside one",
            f"objects/{object_hash[:2]}/{object_hash}.jpg.bak": b"a copy", "objects/zz/file.jpg": b"no shard of ours",
            "incoming/upload.tmp": b"not ours", "set-aside.txt": b"x",
        }
        for name, content in foreign.items():
            path = pathlib.Path(service.cache, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        wrong = pathlib.Path(service.cache, "objects", "ab", f"{other}.jpg")
        wrong.parent.mkdir(exist_ok=True)
        wrong.write_bytes(b"\xff\xd8 not what its name says")
        folder = pathlib.Path(service.cache, "objects", "cd", f"cd{'0' * 62}.jpg")
        folder.mkdir(parents=True)
        (folder / "within").write_text("a folder under an object's name")
        for name in (other, f"cd{'0' * 62}"):
            self.assert_problem(client.ask(service.port, f"/o/{name}.jpg"), 404, "not_found")
        service.restart()
        service.command("cache", "verify")
        for name, content in foreign.items():
            with self.subTest(name):
                self.assertEqual(pathlib.Path(service.cache, name).read_bytes(), content)
        # A folder in the place of an object is moved aside, with all that it holds.
        self.assertEqual([path.read_text() for path in pathlib.Path(service.cache).rglob("within")],
                         ["a folder under an object's name"])
        answer = self.served(service, page)
        self.assertEqual((answer.sha256, page.count), (object_hash, 1))
        self.stores_again(service)

    def test_damaged_objects_are_fetched_again_and_replaced(self):
        def flip(path):
            content = bytearray(path.read_bytes())
            content[len(content) // 2] ^= 1
            path.write_bytes(content)
        damages = {"a flipped bit": flip, "cut short": lambda path: os.truncate(path, 100), "gone": os.remove,
                   "empty": lambda path: os.truncate(path, 0), "longer": lambda path: path.write_bytes(path.read_bytes() + b"x")}
        # No memory tier: everything is read from disk.
        service = self.service_for(config={"cache.memoryBytes": "0MiB"})
        for name, damage in damages.items():
            with self.subTest(name):
                page = self.origin.page(headers={"Cache-Control": "max-age=600"})
                first = self.served(service, page)
                path = service.objects()[first.sha256]
                damage(path)
                again = self.served(service, page)
                self.assertEqual((again.body, page.count), (first.body, 2))
                self.assertEqual(path.read_bytes(), first.body)
                self.assertRegex(self.served(service, page).cache, "^hit")
        with self.subTest("verify finds what nobody asked for"):
            page = self.origin.page(headers={"Cache-Control": "max-age=600"})
            answer = self.served(service, page)
            self.assertTrue(answer.cache.endswith("stored"), answer)
            flip(service.objects()[answer.sha256])
            done = service.command("cache", "verify")
            self.assertEqual(done.returncode, 1, done.stdout)
            self.assertRegex(done.stdout, r"damaged +1\b")
            self.assertEqual(service.command("cache", "verify").returncode, 0)

    def test_a_damaged_index_is_set_aside_while_nobody_runs(self):
        def overwrite(at, count):
            def damage(path):
                with open(path, "r+b") as file:
                    file.seek(at)
                    file.write(os.urandom(count))
            return damage

        def folder(path):
            os.remove(path)
            os.mkdir(path)
        damages = {
            "no database": lambda path: pathlib.Path(path).write_bytes(b"not a database at all" * 500),
            "its header": overwrite(0, 100), "its first page": overwrite(100, 3900), "its middle": overwrite(8192, 20000),
            "empty": lambda path: os.truncate(path, 0), "cut short": lambda path: os.truncate(path, 9000), "gone": os.remove,
            "a folder": folder,
        }
        for name, damage in damages.items():
            with self.subTest(name):
                service = self.service_for()
                pages = [self.origin.page(headers={"Cache-Control": "max-age=600"}) for _ in range(5)]
                bodies = [self.served(service, page).body for page in pages]
                service.stop()
                damage(os.path.join(service.cache, "index.sqlite3"))
                service.start()
                for page, body in zip(pages, bodies):
                    self.assertEqual(self.served(service, page).body, body)
                self.stores_again(service)
                done = service.command("cache", "verify")
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                service.close()

    def test_an_index_that_is_damaged_while_it_is_in_use(self):
        service = self.service_for(config={"cache.memoryBytes": "0MiB"})
        pages = [self.origin.page(headers={"Cache-Control": "max-age=600"}) for _ in range(10)]
        bodies = [self.served(service, page).body for page in pages]
        for name in ("index.sqlite3", "index.sqlite3-wal"):
            with self.subTest(name):
                path = pathlib.Path(service.cache, name)
                with open(path, "r+b") as file:
                    file.write(os.urandom(max(8192, path.stat().st_size)))
                for page, body in zip(pages, bodies):
                    self.assertEqual(self.served(service, page).body, body)
                self.stores_again(service)
        service.restart()
        for page, body in zip(pages, bodies):
            self.assertEqual(self.served(service, page).body, body)
        self.assertEqual(service.command("cache", "verify").returncode, 0)


class Shared(FaultCase):
    def test_two_servers_on_one_directory(self):
        first = self.service_for()
        second = self.service_for(directory=first.cache)
        page = self.origin.page(headers={"Cache-Control": "max-age=600"})
        body = self.served(first, page).body
        answer = self.served(second, page)
        self.assertEqual((answer.body, answer.cache[:3], page.count), (body, "hit", 1))
        with self.subTest("a purge holds in both within two seconds"):
            page.status = 404
            first.call("/v1/purge", {"sources": [page.url]})
            purged = time.monotonic()
            support.eventually(lambda: second.get(page.url).status == 404, 5, "the purge in the second")
            self.assertLess(time.monotonic() - purged, 2 + support.TOLERANCE)
        with self.subTest("one is killed, the other goes on"):
            first.kill()
            self.stores_again(second)
            self.assertEqual(second.command("cache", "verify").returncode, 0)


if __name__ == "__main__":
    unittest.main()
