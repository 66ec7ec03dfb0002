"""Clients that shut others out: each check takes a running service and returns (ok, sentence).

`service` has `host`, `port` and `restart(settings)`, where `settings` are dotted keys of
config/vitrine.yaml with their values; it restarts the service with those and nothing else.
Only raw sockets, so that clients can send what no library would.
"""

import re
import socket
import threading
import time

import apis


def _connect(service, timeout=10):
    connection = socket.create_connection((service.host, service.port), timeout=timeout)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


def _read(connection, seconds=10):
    """All that comes until the service closes or the time is over, and whether it closed."""
    received = b""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        connection.settimeout(max(0.05, end - time.monotonic()))
        try:
            part = connection.recv(65536)
        except TimeoutError:
            break
        except OSError:
            return received, True
        if not part:
            return received, True
        received += part
    return received, False


def _statuses(received):
    """Statuses of the answers in `received`, in order."""
    statuses = []
    while received.startswith(b"HTTP/1.1 "):
        head, _, rest = received.partition(b"\r\n\r\n")
        statuses.append(int(head[9:12]))
        fields = dict(
            line.split(b": ", 1) for line in head.split(b"\r\n")[1:] if b": " in line)
        lengths = {name.lower(): value for name, value in fields.items()}
        received = rest[int(lengths.get(b"content-length", b"0")):]
    return statuses


def _ask(service, text, seconds=10):
    connection = _connect(service)
    try:
        connection.sendall(text if isinstance(text, bytes) else text.encode())
        return _read(connection, seconds)
    finally:
        connection.close()


def _get(service, path, fields="", method="GET", seconds=10):
    """Status, head and body of one answer."""
    host = f"{service.host}:{service.port}"
    received, _ = _ask(
        service,
        f"{method} {path} HTTP/1.1\r\nHost: {host}\r\n{fields}Connection: close\r\n\r\n",
        seconds)
    head, _, body = received.partition(b"\r\n\r\n")
    status = int(head[9:12]) if head.startswith(b"HTTP/1.1 ") else 0
    return status, head.decode("latin-1").lower(), body


class _Drips:
    """Connections that send `start`, and then a byte every half second; new ones for closed ones."""

    def __init__(self, service, count, start, drop=b"a"):
        self.service, self.start, self.drop = service, start, drop
        self.is_over = False
        self.threads = [threading.Thread(target=self._drip, daemon=True) for _ in range(count)]
        for thread in self.threads:
            thread.start()

    def _drip(self):
        while not self.is_over:
            try:
                connection = _connect(self.service, 30)
                connection.sendall(self.start)
                while not self.is_over:
                    time.sleep(0.5)
                    connection.sendall(self.drop)
            except OSError:
                time.sleep(0.1)

    def __enter__(self):
        time.sleep(1)
        return self

    def __exit__(self, *_):
        self.is_over = True
        for thread in self.threads:
            thread.join(35)


def _check_others_are_answered(service, start, drop=b"a"):
    service.restart({"server.maxConnections": 50})
    with _Drips(service, 60, start, drop):
        waits = []
        for _ in range(5):
            began = time.monotonic()
            status, _, _ = _get(service, "/healthz", seconds=30)
            if status != 200:
                return False, "With 60 connections that drip, another one got no answer in 30 s."
            waits.append(time.monotonic() - began)
    return True, f"With 60 connections that drip, others waited {max(waits):.1f} s at most."


def check_dripping_heads(service):
    return _check_others_are_answered(
        service, b"GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nX: ")


def check_dripping_bodies(service):
    return _check_others_are_answered(
        service, b"GET /healthz HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n")


def check_silent_connections(service):
    return _check_others_are_answered(service, b"", b"")


def check_head_deadline(service):
    """A head has its time from its first byte, whatever its first field is."""
    service.restart({"server.headerTimeout": "2s"})
    for field in ["", "Transfer-Encoding: chunked\r\n", "Expect: 100-continue\r\n"]:
        connection = _connect(service)
        connection.sendall(f"GET / HTTP/1.1\r\nHost: a\r\n{field}X: ".encode())
        began, is_closed = time.monotonic(), False
        while time.monotonic() - began < 8 and not is_closed:
            try:
                connection.sendall(b"a")
            except OSError:
                is_closed = True
            received, ended = _read(connection, 0.2)
            is_closed = is_closed or ended or b" 408 " in received
        connection.close()
        if not is_closed:
            return False, f"A head that begins with {field!r} and drips is not cut off."
    return True, "Heads that drip are cut off in time, whatever they begin with."


def check_framing(service):
    """What two readers could frame differently is refused, and what follows is not answered."""
    service.restart({})
    start = "GET /healthz HTTP/1.1\r\nHost: a\r\n"
    after = start + "\r\n"
    for name, head, statuses in [
        ("xchunked", start + "Transfer-Encoding: xchunked\r\n\r\n", {400, 501}),
        ("chunked, gzip", start + "Transfer-Encoding: chunked, gzip\r\n\r\n", {400}),
        ("gzip, chunked", start + "Transfer-Encoding: gzip, chunked\r\n\r\n", {501}),
        ("both lengths", start + "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n", {400}),
        ("two lengths", start + "Content-Length: 0\r\nContent-Length: 0\r\n\r\n", {400}),
        ("a blank before the colon", start + "X : y\r\n\r\n", {400}),
        ("a folded field", start + "X: y\r\n z\r\n\r\n", {400}),
        ("bare LF", "GET /healthz HTTP/1.1\nHost: a\n\n", {400}),
        ("bare CR", start + "X: a\rb\r\n\r\n", {400}),
        ("NUL", start + "X: a\0b\r\n\r\n", {400}),
        ("chunks in HTTP/1.0",
         "GET /healthz HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", {400}),
    ]:
        received, is_closed = _ask(service, head + after)
        found = _statuses(received)
        if len(found) != 1 or found[0] not in statuses or not is_closed:
            return False, f"A request with {name} was answered {found}."
    received, is_closed = _ask(service, start + "Connection: close, keep-alive\r\n\r\n" + after)
    if _statuses(received) != [200] or not is_closed:
        return False, f"close, keep-alive was answered {_statuses(received)}."
    return True, "Requests that could be read in two ways are refused; close wins."


def check_head_size(service):
    service.restart({})
    for field in ["", "Transfer-Encoding: chunked\r\n"]:
        long = "a" * (40 << 10)
        received, _ = _ask(
            service, f"GET /healthz HTTP/1.1\r\nHost: a\r\n{field}X: {long}\r\n\r\n0\r\n\r\n")
        if _statuses(received) != [431]:
            return False, f"A head of 40 KB after {field!r} was answered {_statuses(received)}."
    return True, "Heads over server.maxHeaderSize are refused with 431."


def check_user_data_off(service):
    service.restart({"userData": "off"})
    for method, path in [
        ("GET", "/v1/favorites"), ("PUT", "/v1/favorites/tvmaze/show/1"), ("GET", "/v1/history"),
        ("DELETE", "/v1/history"),
    ]:
        status, _, body = _get(service, path, method=method)
        if status != 403 or b"userData" not in body:
            return False, f"With userData: off, {method} {path} was answered {status}."
    service.restart({"server.host": "0.0.0.0"})
    status, _, _ = _get(service, "/v1/favorites")
    if status != 403:
        return False, f"Listening on 0.0.0.0, favorites were answered {status}."
    return True, "Favorites and history are off where that is set, and off loopback by default."


def check_aliases_of_hits(service):
    """Item 12: each spelling of a hit's path was kept, of 8 KB each, outside of cache.memory."""
    with apis.sites(service) as played:
        played.pages["api.tvmaze.com/shows/1"] = apis.show(1)
        played.pages["static.tvmaze.com/m/1.png"] = played.pages["static.tvmaze.com/o/1.png"] = apis.POSTER
        status = service.get("/t/s/tvmaze/show/1")[0]
        assert status == 200, f"there is no picture to try with: {status}"
        connection = _connect(service, 60)

        def ask(path):
            connection.sendall(f"GET {path} HTTP/1.1\r\nHost: a\r\n\r\n".encode())
            received = b""
            while not _statuses(received) or len(received) < int(
                    re.search(rb"content-length: (\d+)", received.lower())[1]):
                part = connection.recv(1 << 20)
                if not part:
                    return 0
                received += part
            return _statuses(received)[0]

        def kept():
            return sum(
                value for name, value in service.metrics().items() if name.startswith("vitrine_memory_tier_bytes"))

        def encoded(number):
            """The path with those letters encoded that the number's bits say."""
            return "/t/s/tvmaze/" + "".join(
                f"%{ord(letter):X}" if number >> at & 1 else letter for at, letter in enumerate("show")) + "/1"

        # The first long one makes room that stays.
        statuses = [ask(f"/t/s/tvmaze/show/{'0' * 8_000}1")]
        before, tier = service.memory(), kept()
        statuses += [ask(f"/t/s/tvmaze/show/{'0' * (7_000 + number)}1") for number in range(1_000)]
        statuses += [ask(encoded(number)) for number in range(16)]
        connection.close()
        assert statuses == [200] * len(statuses), f"aliases were answered {set(statuses)}"
        grown, more = service.memory() - before, kept() - tier
        # What came with the picture may get there late; each of these ways has 7 KB and more.
        assert more < 64 << 10, f"{len(statuses)} ways to write one path take {more / 1024:.0f} KB of cache.memory"
        assert grown < 5, f"{len(statuses)} ways to write one path take {grown} MB"
    return True, f"{len(statuses)} ways to write one path are answered and not kept: {grown} MB."


def check_foreign_pages(service):
    """No page of another site reads or changes what is private, by whatever name it comes."""
    service.restart({})
    own = f"{service.host}:{service.port}"
    for path in ["/v1/favorites", "/v1/history", "/admin/warm/1"]:
        for host, fields in [
            ("evil.example", ""), (own, "Origin: https://evil.example\r\n"),
            (own, "Origin: null\r\n"), (own, "Sec-Fetch-Site: cross-site\r\n"),
        ]:
            received, _ = _ask(
                service,
                f"GET {path} HTTP/1.1\r\nHost: {host}\r\n{fields}Connection: close\r\n\r\n")
            if _statuses(received) != [403] or b"foreign-" not in received:
                return False, f"{path} as {host} {fields!r} was answered {_statuses(received)}."
        _, head, _ = _get(service, path)
        if "access-control-allow-origin" in head:
            return False, f"{path} may be read by pages of any origin."
    return True, "Favorites, history and admin are for the service's own names and pages."
