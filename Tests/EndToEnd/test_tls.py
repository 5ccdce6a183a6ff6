"""HTTPS: on the public side with a certificate of its own, and towards origins, whose certificates are verified."""
import os
import pathlib
import socket
import ssl
import subprocess
import unittest

import client
import origin
import support


def certificate(folder, name):
    """A self-signed certificate for 127.0.0.1 and its key, made by openssl: their paths."""
    paths = [os.path.join(folder, f"{name}.{kind}") for kind in ("pem", "key")]
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
         "-subj", f"/CN={name}", "-addext", "subjectAltName=IP:127.0.0.1", "-out", paths[0], "-keyout", paths[1]],
        check=True, capture_output=True)
    return paths


class PublicTLS(support.Case):
    @classmethod
    def setUpClass(cls):
        cls.folder = support.temporary(cls)
        cls.certificate, cls.key = certificate(cls.folder, "first")
        cls.settings = {"tls.certificateFile": cls.certificate, "tls.keyFile": cls.key}
        super().setUpClass()

    def context(self, trusted=None):
        return ssl.create_default_context(cafile=trusted or self.certificate)

    def get(self, page):
        return client.ask(self.service.port, self.service.path(page.url), tls=self.context())

    def test_avatars_are_served_and_urls_are_handed_out_as_https(self):
        page = self.origin.page()
        self.assertEqual(self.get(page).status, 200)
        self.assertRegex(self.get(page).cache, "^hit")
        (told,) = self.service.call("/v1/prefetch", {"urls": [page.url]}).json["avatars"]
        for name in ("avatarURL", "objectURL"):
            self.assertTrue(told[name].startswith(f"https://127.0.0.1:{self.service.port}/"), told)

    def test_old_versions_of_tls_are_refused(self):
        for version in (ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1):
            with self.subTest(version.name):
                context = ssl.create_default_context(cafile=self.certificate)
                context.set_ciphers("ALL:@SECLEVEL=0")
                context.minimum_version = context.maximum_version = version
                with self.assertRaises((ssl.SSLError, OSError)):
                    client.ask(self.service.port, "/healthz", tls=context)
        for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
            with self.subTest(version.name):
                context = self.context()
                context.minimum_version = context.maximum_version = version
                self.assertEqual(client.ask(self.service.port, "/healthz", tls=context).status, 200)

    def test_what_is_no_tls_gets_no_answer_and_harms_nobody(self):
        for said in (b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n", b"\x16\x03\x01\xff\xff" + bytes(500), b"\0" * 100):
            with self.subTest(said[:10]), socket.create_connection(("127.0.0.1", self.service.port), 20) as plain:
                received = b""
                try:
                    plain.sendall(said)
                    plain.shutdown(socket.SHUT_WR)
                    while more := plain.recv(4096):
                        received += more
                except OSError:
                    pass  # A hard end is as good, and may come before we are done.
                self.assertNotIn(b"HTTP/1", received)
        self.assertEqual(client.ask(self.service.port, "/healthz", tls=self.context()).status, 200)

    def test_many_clients_at_once(self):
        page = self.origin.page()
        answers = support.at_once(20, lambda _: self.get(page))
        self.assertEqual({answer.status for answer in answers}, {200})
        self.assertEqual(page.count, 1)

    def test_a_new_certificate_is_taken_in_by_a_reload_and_a_broken_one_is_not(self):
        mine, key = certificate(self.folder, "mine")
        service = self.start({"tls.certificateFile": mine, "tls.keyFile": key})

        def status(trusted):
            return client.ask(service.port, "/healthz", tls=self.context(trusted)).status

        self.assertEqual(status(mine), 200)
        second, second_key = certificate(self.folder, "second")
        for source, target in ((second, mine), (second_key, key)):
            pathlib.Path(target).write_bytes(pathlib.Path(source).read_bytes())
        service.reload()
        self.assertEqual(status(second), 200)
        pathlib.Path(mine).write_text("no certificate")
        service.reload("reload_failed")
        self.assertEqual(status(second), 200)

    def test_a_start_with_a_key_that_does_not_fit_fails(self):
        _, other = certificate(self.folder, "third")
        mine, _ = certificate(self.folder, "fourth")
        done = support.command(
            "serve", "--listen", f"127.0.0.1:{support.free_port()}", "--control-listen", f"127.0.0.1:{support.free_port()}",
            "--tls-certificate-file", mine, "--tls-key-file", other, "--cache-directory", os.path.join(self.folder, "cache"))
        self.assertIn(done.returncode, (1, 78), done)
        self.assertTrue(done.stderr.strip())


class OriginTLS(support.Case):
    def test_an_origin_whose_certificate_nobody_vouches_for_is_502_and_asked_nothing(self):
        stranger = origin.Origin(tls=certificate(support.temporary(self), "stranger"))
        self.addCleanup(stranger.close)
        page = stranger.page()
        redirect = self.origin.page(b"", status=302, headers={"Location": page.url})
        for name, url in (("at once", page.url), ("behind a redirect", redirect.url)):
            with self.subTest(name):
                self.assert_problem(self.service.get(url), 502, "origin_tls_failed")
        self.assertEqual((page.count, redirect.count), (0, 1))


if __name__ == "__main__":
    unittest.main()
