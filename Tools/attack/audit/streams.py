"""Streams that cost the service more than their clients: each check takes a service and returns (ok, sentence)."""
import contextlib
import socket
import ssl
import threading
import time

from descriptors import Closed, _certificate, _frame, _text

from lib import png

STREAMS = 100
# MiB of a service whose clients don't take what they asked for, with a budget of 512.
MOST_OF_CLOSED = 400
ACCEPT = "Accept: text/event-stream\r\n"


def _head(service, path, length):
    """HEADERS of a POST whose body has a length."""
    return b"\x83\x87" + _text(1, "a") + _text(4, path) + b"\x0f\x0d" + bytes([len(length)]) + length.encode()


def _connect(service):
    context = ssl._create_unverified_context()
    context.set_alpn_protocols(["h2"])
    one = context.wrap_socket(socket.create_connection((service.host, service.port), timeout=60))
    one.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + _frame(4, 0, 0, b""))
    return one


def _farewell(one, seconds):
    """The code of the last GOAWAY that comes, and whether the connection closes; nothing else is of interest."""
    rest, code, end = b"", None, time.time() + seconds
    one.settimeout(1)
    while time.time() < end:
        try:
            part = one.recv(65536)
        except TimeoutError:
            continue
        except OSError:
            return code, True
        if not part:
            return code, True
        rest += part
        while len(rest) >= 9 and len(rest) >= 9 + int.from_bytes(rest[:3], "big"):
            length = int.from_bytes(rest[:3], "big")
            if rest[3] == 7:
                code = int.from_bytes(rest[13:17], "big")
            rest = rest[9 + length:]
    return code, False


def check_resets_by_the_service(service):
    """MadeYouReset (CVE-2025-8671): bodies that are longer than they say began and dropped 3,500 requests a second."""
    service.restart(_certificate(service))
    slow = service.picture("late.png", lambda handler: (time.sleep(2), handler.answer(200, png(60, 90))))
    for name, length, body, flags in [("longer", "1", b"aa", 0), ("shorter", "2", b"a", 1)]:
        one, sent = _connect(service), 0
        farewell = []
        reader = threading.Thread(target=lambda: farewell.append(_farewell(one, 30)))
        reader.start()
        with contextlib.suppress(OSError):
            while sent < 3_000 and reader.is_alive():
                stream = 2 * sent + 1
                one.sendall(
                    _frame(1, 4, stream, _head(service, slow, length)) + _frame(0, flags, stream, body))
                sent += 1
                # As fast as the service resets them, so that no stream is refused for their number.
                time.sleep(0.001)
        reader.join()
        one.close()
        code, is_closed = farewell[0]
        assert is_closed and code == 11, f"{sent} bodies that are {name} than they say end with {code}, closed: {is_closed}"
    began = time.monotonic()
    status = service.get(service.picture("cold.png", png(120, 180)))[0]
    assert status == 200, f"a cold picture is answered {status}"
    return True, (
        f"A client whose bodies are longer or shorter than they say is disconnected (ENHANCE_YOUR_CALM); a cold picture "
        f"takes {time.monotonic() - began:.1f} s then.")


def _follow(service, room=None):
    one = socket.socket()
    if room:
        one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, room)
    one.settimeout(30)
    one.connect((service.host, service.port))
    one.sendall(f"GET /v1/status HTTP/1.1\r\nHost: a\r\n{ACCEPT}\r\n".encode())
    return one


def check_silent_event_streams(service):
    """As many silent streams of events as connections kept everybody out, from hits and /healthz, too."""
    connections = 64
    service.restart({"server.maxConnections": connections})
    hit = service.picture("hit.png", png(60, 90))
    assert service.get(hit)[0] == 200
    silent = [_follow(service) for _ in range(connections)]
    slowest = 0
    try:
        for number in range(10):
            for path in (hit, "/healthz", service.picture(f"cold{number}.png", png(60, 91 + number))):
                began = time.monotonic()
                status = service.get(path, timeout=10)[0]
                slowest = max(slowest, time.monotonic() - began)
                assert status == 200, f"{path} is answered {status} beside {connections} silent streams of events"
    finally:
        for one in silent:
            one.close()
    return True, f"Beside {connections} silent streams of events, hits, /healthz and cold pictures take {slowest:.1f} s at most."


def check_event_streams_that_are_not_read(service):
    """A client that doesn't read its events was never disconnected."""
    service.restart({"server.sendTimeout": "2s"})
    reader, silent = _follow(service), _follow(service, room=2304)
    began, events = time.monotonic(), 0
    reader.settimeout(1)
    # It can't be told from one that reads before its buffers are full, which takes some events.
    end = time.monotonic() + 60
    before = service.metrics()["vitrine_http_connections_timed_out_total"]
    try:
        while time.monotonic() < end and service.metrics()["vitrine_http_connections_timed_out_total"] == before:
            with contextlib.suppress(TimeoutError):
                events += reader.recv(65536).count(b"event: status")
        assert time.monotonic() < end, "a client that doesn't read its events stays for a minute"
        took = time.monotonic() - began
        for _ in range(4):
            with contextlib.suppress(TimeoutError):
                events += reader.recv(65536).count(b"event: status")
        assert events >= 3, f"one that reads got {events} events"
    finally:
        reader.close()
        silent.close()
    return True, f"A client that doesn't read its events is disconnected after {took:.1f} s, one that does gets {events} meanwhile."


def check_event_streams_over_http2(service):
    """112 connections of 100 streams of events each took the places of all other requests."""
    service.restart(_certificate(service))
    closed = []
    head = _text(1, "a") + _text(4, "/v1/status")
    # `accept` is number 19 of the static table, with a literal value.
    head += b"\x0f\x04" + bytes([len("text/event-stream")]) + b"text/event-stream"
    try:
        for _ in range(112):
            one = _connect(service)
            one.sendall(b"".join(_frame(1, 5, 2 * number + 1, b"\x82\x87" + head) for number in range(STREAMS)))
            closed.append(one)
        time.sleep(3)
        for number in range(10):
            path = service.picture(f"cold{number}.png", png(60, 91 + number))
            status = service.get(path, timeout=20)[0]
            assert status == 200, f"a cold picture is answered {status} beside 11,200 streams of events"
            assert service.get("/readyz", timeout=20)[0] == 200
    finally:
        for one in closed:
            one.close()
    return True, "Beside 112 connections of 100 streams of events, others get cold pictures."


def check_closed_windows(service):
    """Responses that streams with closed windows don't take were outside of memory.budget: documents, and what is small."""
    connections = 240
    settings = {**_certificate(service), "memory.budget": "512MiB", "cache.memory": "32MiB",
                # The streams have no token.
                "server.offers": "thumbnails,originals,blobs,lists,gallery,iiif,sheets,metrics"}
    grown = []
    for name in ("/metrics", "/openapi.json?x=1", "/v1/status", "/none", "/healthz", "a hit"):
        service.restart(settings)
        service.get("/metrics")
        path = name
        if name == "a hit":
            path = service.picture("hit.png", png(60, 90))
            assert service.get(path)[0] == 200
        before = service.memory()
        closed = []
        try:
            for _ in range(connections):
                closed.append(Closed(service, [path] * STREAMS))
            end, last = time.time() + 60, -1
            while (answered := sum(one.good + one.other for one in closed)) != last and time.time() < end:
                last = answered
                time.sleep(2)
            # A path that isn't there is answered by its problem.
            good = sum(one.good + (one.other if path == "/none" else 0) for one in closed)
            assert good > 0, f"none of {connections * STREAMS} streams of {name} is answered"
            memory = service.memory()
            status = service.get("/healthz", timeout=20)[0]
            assert status == 200, f"/healthz is answered {status} beside {good} of {answered} streams of {name}"
            status = service.get("/metrics", timeout=20)[0]
            metrics = service.metrics() if status == 200 else {}
            assert status in (200, 503), f"/metrics is answered {status}"
            held = metrics.get('vitrine_memory_share_bytes{share="responses"}', 0)
            most = metrics.get('vitrine_memory_share_limit_bytes{share="responses"}', 1)
            assert held <= most, f"{held:.0f} bytes of responses are more than {most:.0f}"
            assert memory <= MOST_OF_CLOSED, f"{answered} streams of {name} take {memory} MiB, {before} before"
            grown.append(f"{name} {before} to {memory} MB ({good} of {answered} good)")
        finally:
            for one in closed:
                one.close()
    return True, f"{connections} connections of {STREAMS} streams with closed windows: {', '.join(grown)}."
