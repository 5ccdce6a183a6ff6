"""The servers that `peers.py` compares, each on free ports of loopback with a folder of its own, and their CPU time from /proc."""
import base64
import hashlib
import hmac
import http.client
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import time

PACKAGE = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(PACKAGE / "Tests/EndToEnd"))
import caches  # noqa: E402
import client  # noqa: E402
import support  # noqa: E402

BUILT = PACKAGE / ".build/release"
THUMBOR = PACKAGE / ".build/peers/venv/bin/thumbor"
KEY = bytes(range(16))
MOST_DESCRIPTORS = 1 << 20  # An endless limit has no number that nginx reads.
HARD_LIMIT = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
DESCRIPTORS = MOST_DESCRIPTORS if HARD_LIMIT == resource.RLIM_INFINITY else min(HARD_LIMIT, MOST_DESCRIPTORS)
# Files that each of nginx's workers keeps open, beside its connections: one that runs out of descriptors stands still.
OPEN_FILES = max(DESCRIPTORS - 6000, DESCRIPTORS // 2)


def cpu_seconds(root):
    """CPU time of a process and all below it, what has ended and was waited for included."""
    try:
        # The clock of another process: see clock_getcpuclockid(3).
        total = time.clock_gettime((~root << 3) | 2)
        fields = pathlib.Path(f"/proc/{root}/stat").read_text().rpartition(")")[2].split()
        total += (int(fields[13]) + int(fields[14])) / os.sysconf("SC_CLK_TCK")
        for task in os.listdir(f"/proc/{root}/task"):
            children = pathlib.Path(f"/proc/{root}/task/{task}/children").read_text()
            total += sum(cpu_seconds(int(child)) for child in children.split())
        return total
    except (OSError, ValueError):
        return 0.0


class Server:
    """A running server; the CPU time of those in `behind` counts as its own."""

    def __init__(self, case, name, command, port, folder, behind=(), program=None):
        self.name, self.port, self.folder, self.behind = name, port, folder, list(behind)
        self.process = program
        if program is None:
            self.log = os.path.join(folder, "log")
            with open(self.log, "wb") as log:
                self.process = subprocess.Popen(
                    [str(part) for part in command], stdin=subprocess.PIPE, stdout=log, stderr=log, cwd=folder,
                    env=support.environment(), start_new_session=True)
            case.addClassCleanup(self.close)
            support.eventually(self.listens, 30, f"the start of {name}")

    def listens(self):
        if self.process.poll() is not None:
            raise AssertionError(f"{self.name} ended:\n{pathlib.Path(self.log).read_text()[-1500:]}")
        try:
            client.Connection(self.port).close()
            return True
        except OSError:
            return False

    def cpu(self):
        return cpu_seconds(self.process.pid) + sum(server.cpu() for server in self.behind)

    def close(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        try:
            os.killpg(self.process.pid, signal.SIGKILL)  # thumbor's processes outlive their first one.
        except ProcessLookupError:
            pass


def answers(port, path, patience=20):
    """Whether a server has an avatar, or is ready."""
    try:
        return get(port, path, patience).status == 200
    except (OSError, http.client.HTTPException):
        return False


def get(port, path, timeout=20):
    """An answer with its `content`, whoever gives it: the tests' own client holds answers to our contract."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        answer.content = answer.read()
        return answer
    finally:
        connection.close()


def signed_path(*sources):
    """The path that `avatar-server url` prints."""
    segment = support.segment(*sources)
    digest = hmac.new(KEY, f"/{segment}.jpg".encode(), hashlib.sha256).digest()[:16]
    return f"/avatar/{base64.urlsafe_b64encode(digest).decode().rstrip('=')}/{segment}.jpg"


def avatar_server(case, folder=None, **flags):
    folder = folder or support.temporary(case)
    pathlib.Path(folder, "empty.json5").write_text("{}\n")
    pathlib.Path(folder, "keys").write_text(KEY.hex() + "\n")
    port, control = support.free_port(), support.free_port()
    settings = {
        "listen": f"127.0.0.1:{port}", "control-listen": f"127.0.0.1:{control}", "cache-directory": f"{folder}/cache",
        "fetch-allow-addresses": "127.0.0.0/8", "log-level": "warning", "signing-keys-file": f"{folder}/keys",
        **{name.replace("_", "-"): value for name, value in flags.items()}}
    command = [BUILT / "avatar-server", "serve", "--config", f"{folder}/empty.json5"]
    server = Server(case, "avatar-server", command + [f"--{k}={v}" for k, v in settings.items()], port, folder)
    support.eventually(lambda: answers(control, "/readyz"), 30, "readiness")
    return server


def bare(case, answer):
    """libmicrohttpd alone with the head and body of a real hit."""
    folder, port = support.temporary(case), support.free_port()
    own = {"content-length", "date", "connection"}
    head = "".join(f"{name}: {value}\n" for name, value in answer.getheaders() if name.lower() not in own)
    pathlib.Path(folder, "head").write_text(head)
    pathlib.Path(folder, "body").write_bytes(answer.content)
    return Server(case, "bare libmicrohttpd", [BUILT / "bare-responder", port, "head", "body"], port, folder)


def nginx_part(name):
    """A file of `benchmarks/nginx`, which avatar-bench reads too."""
    return PACKAGE.joinpath("benchmarks/nginx", name).read_text()


def nginx(case, name, http, folder=None, behind=(), module=""):
    """nginx with what `http` gives for a port and a folder."""
    folder, port = folder or support.temporary(case), support.free_port()
    text = nginx_part("main.conf").replace("@HTTP", http)
    for mark, value in {
            "@USER": "user root;" if os.geteuid() == 0 else "", "@MODULE": f"load_module {module};" if module else "",
            "@CORES": os.cpu_count(), "@DESCRIPTORS": DESCRIPTORS, "@OPEN": OPEN_FILES,
            "@FOLDER": folder, "@PORT": port, "@BEHIND": support.free_port()}.items():
        text = text.replace(mark, str(value))
    pathlib.Path(folder, "nginx.conf").write_text(text)
    return Server(case, name, ["nginx", "-c", f"{folder}/nginx.conf", "-e", f"{folder}/error.log"], port, folder, behind)


STATIC = "server { listen 127.0.0.1:@PORT; root '@FOLDER/files'; }"
IMAGE_FILTER_MODULE = "/usr/lib/nginx/modules/ngx_http_image_filter_module.so"


def image_filter(case):
    http = nginx_part("proxy-cache.conf") + nginx_part("image-filter.conf")
    return nginx(case, "nginx image_filter + proxy_cache", http, module=IMAGE_FILTER_MODULE)


def thumbor(case):
    folder, port = support.temporary(case), support.free_port()
    pathlib.Path(folder, "thumbor.conf").write_text(f"""
SECURITY_KEY = 'bench'
ALLOW_UNSAFE_URL = True
QUALITY = 82
STORAGE = 'thumbor.storages.no_storage'
RESULT_STORAGE = 'thumbor.result_storages.file_storage'
RESULT_STORAGE_STORES_UNSAFE = True
RESULT_STORAGE_FILE_STORAGE_ROOT_PATH = '{folder}/results'
""")
    command = [THUMBOR, "-i", "127.0.0.1", "-p", port, "-c", "thumbor.conf", "-l", "error", "--processes", os.cpu_count()]
    return Server(case, "thumbor", command, port, folder)


def behind_cache(case, server):
    """A plain proxy_cache in front of `server`."""
    http = nginx_part("proxy-cache.conf").replace("@BEHIND", str(server.port))
    return nginx(case, f"{server.name} behind nginx", http, behind=[server])


def in_front(case, kind, server, name):
    """Varnish or nginx from the configurations that the package recommends, in front of `server`."""
    cache = kind(case, server)
    return Server(case, name, None, cache.port, cache.folder, [server], program=cache.process)


def missing(what):
    """Why a peer cannot take part; None if it can."""
    paths = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"
    if what == "thumbor":
        return None if THUMBOR.exists() else "not installed: PyPI could not be reached by .ci/setup peers"
    if what == "image_filter" and not os.path.exists(IMAGE_FILTER_MODULE):
        return "libnginx-mod-http-image-filter is not installed"
    program = {"varnish": "varnishd"}.get(what, "nginx")
    return None if shutil.which(program, path=paths) else f"{program} is not installed"
