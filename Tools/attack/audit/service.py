"""A service under attack, and an origin that plays along. Everything on loopback, on free ports."""
import http.client
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import ssl
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))
import lib

KEY = "the audit signs with this key"
HOST = "pictures.test"


class Service:
    """`vitrine serve` on a cache of its own. `http://pictures.test` leads to `origin`."""

    def __init__(self, program):
        self.program = os.path.abspath(program)
        self.directory = tempfile.mkdtemp(prefix="vitrine-audit-")
        self.cache = os.path.join(self.directory, "cache")
        self.log = os.path.join(self.directory, "log")
        # Whether a restart begins with an empty cache.
        self.is_cold = False
        # Limits of the process, by the number of the resource, and how to reach it over TLS.
        self.limits, self.tls = {}, None
        # What the process does before it becomes the service; None for nothing else.
        self.prepare = None
        self.origin = lib.Files()
        self.process = None
        # Of all that ran in turn: the most memory of service and children beyond memory.budget, in MiB.
        self.excess = 0
        # The most memory in MiB, and memory.budget at that time.
        self.most = (0, 1)
        self.watch = None
        self.start()

    def start(self, settings=None, **variables):
        """`settings` are dotted keys; `VITRINE_…` and `OTEL_…` variables and `server_maxConnections=50` do as well."""
        self.port = lib.free_port()
        self.host = "127.0.0.1"
        self.base = f"http://127.0.0.1:{self.port}"
        environment = {
            **os.environ, "VITRINE_URL_KEYS": KEY, "VITRINE_ADMIN_TOKEN": "audit-token-of-the-service",
            "VITRINE_SERVER_PORT": str(self.port), "VITRINE_CACHE_DIRECTORY": self.cache,
            "VITRINE_FETCH_ALLOW_NETWORKS": "127.0.0.0/8", "VITRINE_USER_DATA": "auto",
            "VITRINE_FETCH_CONNECT_TO": f"{HOST}:80:127.0.0.1:{self.origin.port}"}
        for name, value in {**(settings or {}), **variables}.items():
            if not name.startswith(("VITRINE_", "OTEL_")):
                path = re.sub(r"([A-Z]+)", r"_\1", name.replace(".", "_")).upper()
                name = "VITRINE_" + path
            environment[name] = str(value)
        # For commands and further processes on the same cache.
        self.environment = environment
        self.tls = ssl._create_unverified_context() if "VITRINE_SERVER_TLS_KEY" in environment else None
        listing = subprocess.run([self.program, "config"], env=environment, cwd=self.directory, capture_output=True, text=True)
        found = re.search(r"(?m)^memory.budget +(\d+)([MG])iB", listing.stdout)
        self.budget = int(found[1]) * (1024 if found[2] == "G" else 1) if found else None
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                [self.program, "serve"], env=environment, stdout=log, stderr=log, cwd=self.directory,
                preexec_fn=self.limit)
        self.watch = lib.PeakMemory(self.process.pid, 0.1)
        self.watch.__enter__()
        deadline = time.time() + 60
        while time.time() < deadline:
            if self.process.poll() is not None:
                raise RuntimeError(f"the service ended with {self.process.returncode}: {self.tail()}")
            try:
                if self.get("/healthz")[0] == 200:
                    return
            except OSError:
                pass
            time.sleep(0.05)
        raise RuntimeError("the service did not answer within a minute")

    def limit(self):
        if self.prepare:
            self.prepare()
        for kind, most in self.limits.items():
            resource.setrlimit(kind, (most, most))

    @property
    def pid(self):
        return self.process.pid

    def stop(self, how=signal.SIGTERM):
        if self.watch:
            self.watch.__exit__()
            if self.budget:
                peak = self.watch.peak >> 20
                self.excess = max(self.excess, peak - self.budget)
                self.most = max(self.most, (peak, self.budget), key=lambda used: used[0] / used[1])
            self.watch = None
        if self.process and self.process.poll() is None:
            self.process.send_signal(how)
            try:
                self.process.wait(30)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()

    def restart(self, settings=None, **variables):
        self.stop()
        if self.is_cold:
            shutil.rmtree(self.cache, ignore_errors=True)
        self.start(settings, **variables)

    def close(self):
        self.stop()
        self.origin.close()
        shutil.rmtree(self.directory, ignore_errors=True)

    def is_alive(self):
        return self.process.poll() is None

    def tail(self, bytes=2000):
        return pathlib.Path(self.log).read_bytes()[-bytes:].decode("utf-8", "replace")

    def get(self, path, headers=None, method="GET", timeout=60):
        connection = (
            http.client.HTTPSConnection("127.0.0.1", self.port, timeout=timeout, context=self.tls) if self.tls
            else http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout))
        try:
            connection.request(method, path, headers=headers or {})
            response = connection.getresponse()
            return response.status, {name.lower(): value for name, value in response.getheaders()}, response.read()
        finally:
            connection.close()

    def status(self, path, timeout=60):
        """The status of an answer; 0 where none came in time."""
        try:
            return self.get(path, timeout=timeout)[0]
        except (OSError, http.client.HTTPException):
            return 0

    def picture(self, name, content=None, level="s", host=HOST, expires=None):
        """The signed path of http://HOST/NAME, which gives `content` if that is set."""
        if content is not None:
            self.origin.files["/" + name] = content
        return lib.signed(f"http://{host}/{name}", level, KEY, expires)

    def memory(self):
        """MB of the service and its children, shared pages counted once."""
        return lib.memory(self.pid) >> 20

    def descriptors(self):
        return lib.descriptors(self.pid)

    def children(self):
        return lib.tree(self.pid)[1:]

    def metrics(self):
        found = {}
        for line in self.get("/metrics", {"Authorization": "Bearer audit-token-of-the-service"})[2].decode().splitlines():
            if line and not line.startswith("#"):
                name, _, value = line.rpartition(" ")
                found[name] = float(value)
        return found

    def json(self, path, **options):
        return json.loads(self.get(path, **options)[2])
