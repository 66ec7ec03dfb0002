"""Clients that take descriptors: each check takes a service and returns (ok, sentence).

AUDIT_SECONDS=3600 python3 Tools/attack/audit .build/release/vitrine descriptors.of_1024 attacks for an hour. Otherwise each
attack is made once.
"""
import contextlib
import http.client
import os
import pathlib
import resource
import socket
import ssl
import struct
import subprocess
import threading
import time

from lib import png

SECONDS = float(os.environ.get("AUDIT_SECONDS", "0"))
# What no client takes.
SPARE = 64
CONNECTIONS, STREAMS = 40, 100
# Small bodies are kept in memory, and need no open file.
SMALL, LARGE = 100 << 10, 6 << 20


def _files(service, count, size, name):
    """Sparse pictures in a folder; each has other bytes."""
    folder = pathlib.Path(service.directory) / "folder"
    folder.mkdir(exist_ok=True)
    picture = png(60, 90)
    for number in range(count):
        with open(folder / f"{name}{number}.png", "wb") as file:
            file.write(picture + number.to_bytes(8, "big"))
            file.truncate(size)
    settings = pathlib.Path(service.directory) / "config" / "vitrine.yaml"
    settings.parent.mkdir(exist_ok=True)
    settings.write_text(f"folders:\n  pictures: {folder}\n")


def _certificate(service):
    certificate, key = (os.path.join(service.directory, name) for name in ("own.pem", "own.key"))
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days",
         "2", "-subj", "/CN=audit", "-keyout", key, "-out", certificate], check=True, capture_output=True)
    return {"server.tlsCertificate": certificate, "VITRINE_SERVER_TLS_KEY": key}


def _text(prefix, text):
    """A header field without compression (RFC 7541, section 6.2.2): its name's number, and its value."""
    assert len(text) < 127
    return bytes([prefix, len(text)]) + text.encode()


def _frame(kind, flags, stream, payload):
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


class Closed:
    """An HTTP/2 connection whose window is closed: it takes heads and no body."""

    def __init__(self, service, paths):
        context = ssl._create_unverified_context()
        context.set_alpn_protocols(["h2"])
        plain = socket.create_connection((service.host, service.port), timeout=60)
        self.socket = context.wrap_socket(plain)
        self.good, self.other, self.rest = 0, 0, b""
        # SETTINGS_INITIAL_WINDOW_SIZE is 0.
        sent = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + _frame(4, 0, 0, struct.pack(">HI", 4, 0))
        for number, path in enumerate(paths):
            # GET over https, and neither body nor further heads.
            head = b"\x82\x87" + _text(1, "a") + _text(4, path)
            sent += _frame(1, 5, 2 * number + 1, head)
        self.socket.sendall(sent)
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        """Counts heads with :status 200, which is the first of the static table that is seen, and others."""
        with contextlib.suppress(OSError, ValueError):
            while part := self.socket.recv(65536):
                self.rest += part
                while len(self.rest) >= 9:
                    length = int.from_bytes(self.rest[:3], "big")
                    if len(self.rest) < 9 + length:
                        break
                    kind, flags, payload = self.rest[3], self.rest[4], self.rest[9:9 + length]
                    self.rest = self.rest[9 + length:]
                    if kind == 1 and payload:
                        # A change of the table's size may come first.
                        payload = payload.lstrip(bytes(range(0x20, 0x40)))
                        self.good += payload[:1] == b"\x88"
                        self.other += payload[:1] != b"\x88"
                    if kind == 4 and not flags & 1:
                        self.socket.sendall(_frame(4, 1, 0, b""))

    def close(self):
        with contextlib.suppress(OSError):
            self.socket.close()


def _slow(service, path):
    """A connection that asks for a body and doesn't read it."""
    one = socket.socket()
    one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    one.settimeout(60)
    one.connect((service.host, service.port))
    one.sendall(f"GET {path} HTTP/1.1\r\nHost: a\r\n\r\n".encode())
    return one


def _check_others(service, limit, attack, count=6):
    """Other clients ask for cold pictures, each on a new connection, while `attack` is going on."""
    peak = 0
    for number in range(count):
        cold = service.picture(f"cold-{attack}-{number}-{time.time_ns()}.png", png(120, 180 + number))
        status, _, body = service.get(cold)
        assert status == 200, f"{attack}: a cold picture was answered {status}: {body[:200]!r}"
        status, fields, _ = service.get("/o/pictures/file/small0.png")
        assert status == 200 or status == 503 and "retry-after" in fields, f"{attack}: an original was answered {status}"
        assert service.get("/readyz")[0] == 200, f"{attack}: the service isn't ready"
        peak = max(peak, service.descriptors())
    assert peak <= limit - SPARE, f"{attack}: {peak} of {limit} descriptors are in use"
    return peak


def _calm(service, before):
    """Descriptors go back to where they were; those of files within seconds."""
    end = time.time() + 60
    while (left := service.descriptors()) > before + 40:
        assert time.time() < end, f"{left} descriptors are in use long after an attack, {before} before it"
        time.sleep(0.2)


def _check_streams(service, limit, files):
    service.restart(_certificate(service))
    before = service.descriptors()
    paths = [f"/o/pictures/file/small{number % files}.png" for number in range(CONNECTIONS * STREAMS)]
    closed = [Closed(service, paths[first:first + STREAMS]) for first in range(0, len(paths), STREAMS)]
    try:
        peak, end = 0, time.time() + 60
        while (answered := sum(one.good + one.other for one in closed)) < len(paths) and time.time() < end:
            peak = max(peak, service.descriptors())
            time.sleep(0.02)
        assert answered == len(paths), f"{answered} of {len(paths)} streams were answered"
        good = sum(one.good for one in closed)
        assert good > 0, "no stream was answered with its file"
        peak = max(peak, _check_others(service, limit, "streams"))
    finally:
        for one in closed:
            one.close()
    assert peak <= limit - SPARE, f"streams: {peak} of {limit} descriptors are in use"
    _calm(service, before)
    return peak, good


def _check_slow(service, limit, files):
    service.restart()
    before = service.descriptors()
    slow = [_slow(service, f"/o/pictures/file/large{number}.png") for number in range(files)]
    try:
        peak = _check_others(service, limit, "slow")
    finally:
        for one in slow:
            one.close()
    _calm(service, before)
    return peak


def _check_silent(service, limit, count):
    """More connections than may be open say nothing."""
    silent = []
    try:
        for _ in range(count):
            one = socket.socket()
            one.setblocking(False)
            with contextlib.suppress(BlockingIOError):
                one.connect((service.host, service.port))
            silent.append(one)
        return _check_others(service, limit, "silent", 3)
    finally:
        for one in silent:
            one.close()


def _check(service, limit, slow):
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    if most < limit:
        return None, f"this machine allows {most} descriptors only"
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    service.limits = {resource.RLIMIT_NOFILE: limit}
    files = CONNECTIONS * STREAMS
    _files(service, files, SMALL, "small")
    _files(service, slow, LARGE, "large")
    end, rounds, streams, answers, readers = time.time() + SECONDS, 0, 0, 0, 0
    while rounds == 0 or time.time() < end:
        peak, good = _check_streams(service, limit, files)
        streams, answers = max(streams, peak), max(answers, good)
        readers = max(readers, _check_slow(service, limit, slow))
        readers = max(readers, _check_silent(service, limit, limit if limit < 2_000 else 500))
        rounds += 1
    return True, (
        f"Of {limit} descriptors {files} streams with closed windows take {streams} ({answers} are sent), slow and "
        f"silent connections {readers}; others get their pictures, {rounds} times.")


def check_soft_limit(service):
    """The service was content with the soft limit, often 1,024, where the hard one allows more."""
    def lower():
        resource.setrlimit(resource.RLIMIT_NOFILE, (256, 4_096))

    service.prepare = lower
    service.restart()
    limits = pathlib.Path(f"/proc/{service.pid}/limits").read_text()
    found = next(line.split()[3] for line in limits.splitlines() if line.startswith("Max open files"))
    return found == "4096", f"Of 256 descriptors, and 4,096 at most, the service has {found}."


def check_spare(service):
    """Without a free descriptor, new clients waited until others went away: idle connections are closed for them."""
    service.restart()
    idle = []
    for _ in range(50):
        one = http.client.HTTPConnection(service.host, service.port, timeout=60)
        one.request("GET", "/healthz")
        one.getresponse().read()
        idle.append(one)
    used = service.descriptors()
    _, most = resource.prlimit(service.pid, resource.RLIMIT_NOFILE)
    resource.prlimit(service.pid, resource.RLIMIT_NOFILE, (used, most))
    slowest = 0
    for number in range(30):
        began = time.monotonic()
        status = service.get("/healthz", timeout=5)[0]
        slowest = max(slowest, time.monotonic() - began)
        assert status == 200, f"client {number} was answered {status}"
    resource.prlimit(service.pid, resource.RLIMIT_NOFILE, (most, most))
    picture = service.get(service.picture("after.png", png(60, 90)))[0]
    assert picture == 200, f"a picture is answered {picture} once there are descriptors again"
    return True, f"30 clients of a service with {used} of {used} descriptors in use are answered within {slowest:.2f} s each."


def check_of_1024(service):
    """Streams with closed windows left no descriptor for a cold picture, a client, or the runtime, which trapped."""
    return _check(service, 1_024, 300)


def check_of_20000(service):
    return _check(service, 20_000, 300)
