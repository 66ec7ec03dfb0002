"""Hits that leave files open: each check takes a service and returns (ok, sentence).

AUDIT_SECONDS=600 python3 Tools/attack/audit .build/release/vitrine hits.leave asks for ten minutes. Otherwise each way is taken
for some seconds.
"""
import collections
import hashlib
import http.client
import os
import pathlib
import resource
import subprocess
import tempfile
import threading
import time

from descriptors import _certificate, _files, _slow

from lib import png

SECONDS = float(os.environ.get("AUDIT_SECONDS", "0"))
LIMIT, ORIGINALS, CLIENTS = 1_024, 1_500, 3
# Small enough to be quick, and too large for memory.
SIZE, LARGE = 100 << 10, 6 << 20
# What else a process opens and closes in the meantime: a connection of a probe, a child.
SLACK = 8


def _limited(service):
    """Lowers the limit of the service's descriptors; returns why that is not possible."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    if most < LIMIT:
        return f"this machine allows {most} descriptors only"
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    service.limits = {resource.RLIMIT_NOFILE: LIMIT}
    return None


def _open(service):
    """Open files of the cache and the folder, all descriptors, and some of those files."""
    links = []
    for name in os.listdir(f"/proc/{service.pid}/fd"):
        try:
            links.append(os.readlink(f"/proc/{service.pid}/fd/{name}"))
        except OSError:
            pass
    folder, blobs = (os.path.join(service.directory, name) for name in ("folder", "cache"))
    files = [link for link in links if link.startswith(folder + "/") or link.startswith(blobs) and "/blobs/" in link]
    return len(files), len(links), files[:3]


def _counted(service):
    """What the service says: the same two numbers."""
    metrics = service.metrics()
    files = sum(value for name, value in metrics.items() if name.startswith("vitrine_open_files{"))
    return int(files), int(metrics["process_open_fds"])


def _blobs(service, count):
    """Digests of originals that are in the cache."""
    digests = []
    for number in range(count):
        # Made once, because the cache keeps the first.
        name = f"blob{number}.png"
        content = service.origin.files.get("/" + name) or png(240, 240, comment=b"%d" % number)
        status = service.get(service.picture(name, content))[0]
        assert status == 200, f"a picture is answered {status}"
        digests.append(hashlib.sha256(content).hexdigest())
    return digests


def _ways(service, count):
    """Paths and fields by the kind of hit."""
    names = [f"small{number}.png" for number in range(ORIGINALS)]
    digests = []
    for name in names[:count]:
        with open(pathlib.Path(service.directory) / "folder" / name, "rb") as file:
            digests.append(hashlib.sha256(file.read()).hexdigest())
    originals = [(f"/o/pictures/file/{name}", {}) for name in names]
    return {
        "originals": originals,
        "ranges": [(path, {"Range": f"bytes={number % 9}-{number + 9_000}"}) for number, (path, _) in enumerate(originals)],
        "several ranges": [(path, {"Range": "bytes=0-1,5-9"}) for path, _ in originals[:count]],
        "thumbnails": [(f"/t/s/pictures/file/{name}", {}) for name in names[:count]],
        "large thumbnails": [(f"/t/l/pictures/file/{name}", {}) for name in names[:count]],
        "documents": [(f"/v1/pictures/file/{name}", {}) for name in names[:count]] + [("/", {}), ("/openapi.json", {})],
        "blobs": [(f"/b/sha256-{digest}", {}) for digest in _blobs(service, count)],
        "conditions": [(path, {"If-None-Match": f'"sha256-{digest}"'}) for (path, _), digest in zip(originals, digests)],
    }


def _ask_by_sockets(service, wanted, seen, end):
    """A client that keeps its connection and asks for all in turn, again and again until the end."""
    kind = http.client.HTTPSConnection if service.tls else http.client.HTTPConnection
    more = {"context": service.tls} if service.tls else {}
    connection = kind("127.0.0.1", service.port, timeout=60, **more)
    while True:
        for path, fields in wanted:
            connection.request("GET", path, headers=fields)
            response = connection.getresponse()
            response.read()
            seen[response.status] = seen.get(response.status, 0) + 1
        if time.time() >= end:
            return connection.close()


def _ask_by_streams(service, wanted, seen, end):
    """The same over HTTP/2, by curl, which asks for the next one after the last."""
    while True:
        with tempfile.NamedTemporaryFile("w", suffix=".curl") as file:
            for path, fields in wanted:
                lines = [f'url = "{service.base.replace("http:", "https:")}{path}"', 'output = "/dev/null"']
                for name, value in fields.items():
                    lines.append('header = "{}: {}"'.format(name, value.replace('"', '\\"')))
                file.write("\n".join([*lines, "http2", "insecure", "silent", 'write-out = "%{http_code}\\n"', "next\n"]))
            file.flush()
            found = subprocess.run(["curl", "-K", file.name], capture_output=True, text=True)
        for status in found.stdout.split():
            seen[int(status)] = seen.get(int(status), 0) + 1
        if time.time() >= end:
            return


def _ask_all(service, ask, ways, seconds):
    """Three clients ask for each kind of hit, for as long as each may take. Returns what they got."""
    all_seen = {}
    for name, wanted in ways.items():
        seen, failed = [{} for _ in range(CLIENTS)], []

        def run(number):
            # Each begins elsewhere.
            first = number * len(wanted) // CLIENTS
            try:
                ask(service, wanted[first:] + wanted[:first], seen[number], end)
            except Exception as error:
                failed.append(f"{type(error).__name__}: {error}")

        end = time.time() + seconds / len(ways)
        threads = [threading.Thread(target=run, args=(number,)) for number in range(CLIENTS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not failed, f"{name}: {failed[0]}"
        good = {206} if "ranges" in name else {304} if name == "conditions" else {200}
        for one in seen:
            for status, count in one.items():
                assert status in good, f"{name}: {count} are answered {status}, others {one}"
                all_seen[name] = all_seen.get(name, 0) + count
    return all_seen


def check_leave_no_file_open(service):
    """Originals that three clients asked for in turn stayed open, and in time were 503."""
    reason = _limited(service)
    if reason:
        return None, reason
    _files(service, ORIGINALS, SIZE, "small")
    requests, peak, ways_taken = 0, 0, 0
    certificate = _certificate(service)
    modes = [("HTTP/1", {}, _ask_by_sockets), ("TLS", certificate, _ask_by_sockets), ("HTTP/2", certificate, _ask_by_streams)]
    for mode, settings, ask in modes:
        # Little memory, so that some thumbnails are sent from their files.
        service.restart({**settings, "cache.memory": "1MiB"})
        ways = _ways(service, 60)
        # What is opened once stays: databases, children.
        _ask_all(service, ask, {name: wanted[:60] for name, wanted in ways.items()}, 0)
        time.sleep(10)
        before = _open(service)
        is_over = threading.Event()
        peaks = []

        def watch():
            while not is_over.wait(0.2):
                peaks.append(_open(service))

        thread = threading.Thread(target=watch)
        thread.start()
        try:
            seen = _ask_all(service, ask, ways, SECONDS / len(modes))
        finally:
            is_over.set()
            thread.join()
        time.sleep(10)
        # A file that only a look of the scrub has open is closed in the next moment.
        after = min((_open(service) for _ in range(5) if not time.sleep(0.2)), key=lambda look: look[:2])
        counted = _counted(service)
        assert after[0] <= before[0], f"{mode}: {after[0]} files are open ten seconds later, {before[0]} before: {after[2]}, {counted}"
        assert after[1] <= before[1] + SLACK, f"{mode}: {after[1]} descriptors are open ten seconds later, {before[1]} before"
        assert counted[0] == after[0], f"{mode}: vitrine_open_files says {counted[0]} of {after[0]} files"
        # The probe has a connection, and /proc/self/fd is opened to count it.
        assert abs(counted[1] - after[1]) <= 2, f"{mode}: process_open_fds says {counted[1]} of {after[1]} descriptors"
        requests, peak, ways_taken = requests + sum(seen.values()), max([peak, *(one[0] for one in peaks)]), len(ways)
    return True, (
        f"{requests} requests of {ways_taken} kinds over HTTP/1, TLS and HTTP/2, {ORIGINALS} originals among them, have at most "
        f"{peak} files open, and none ten seconds later.")


def check_are_sent_while_descriptors_are_free(service):
    """Under a limit of 1,024 descriptors originals were 503 while most of them were free."""
    reason = _limited(service)
    if reason:
        return None, reason
    count, readers_at_once = 200, 260
    _files(service, readers_at_once, LARGE, "large")
    service.restart({})
    readers, statuses = [], {}
    try:
        for number in range(count):
            one = _slow(service, f"/o/pictures/file/large{number}.png")
            readers.append(one)
            status = int(one.recv(12)[9:12])
            statuses[status] = statuses.get(status, 0) + 1
        _, used, _ = _open(service)
        assert statuses == {200: count}, f"{count} clients of as many originals get {statuses}, with {used} of {LIMIT} descriptors in use"
        assert service.get("/healthz")[0] == 200
        for number in range(20):
            status = service.get(service.picture(f"beside{number}.png", png(60, 90 + number)))[0]
            assert status == 200, f"a cold picture beside them is answered {status}"
    finally:
        for one in readers:
            one.close()
    peak = _read_at_once(service, readers_at_once)
    return True, (
        f"{count} clients that read slowly get an original each, with {used} of {LIMIT} descriptors in use, and {readers_at_once} "
        f"that read at once do, with {peak}.")


def _read_at_once(service, count):
    """Each client asks for an original of its own and reads all of it. Returns the most descriptors that are in use."""
    # Its digest is known then, so that this is about files, not about hashing.
    for number in range(count):
        status = service.get(f"/o/pictures/file/large{number}.png", {"Range": "bytes=0-9"})[0]
        assert status == 206, f"an original is answered {status}"
    answers, failed, peak = [], [], 0
    begin = threading.Barrier(count + 1)

    def run(number):
        connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=60)
        try:
            begin.wait()
            connection.request("GET", f"/o/pictures/file/large{number}.png")
            response, length = connection.getresponse(), 0
            while part := response.read(1 << 20):
                length += len(part)
            answers.append(response.status if response.status != 200 or length == LARGE else f"200 with {length} bytes")
        except Exception as error:
            failed.append(f"{type(error).__name__}: {error}")
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    begin.wait()
    while any(thread.is_alive() for thread in threads):
        peak = max(peak, _open(service)[1])
        time.sleep(0.05)
    assert not failed, f"{len(failed)} of {count} clients that read fail, such as {failed[0]}"
    assert set(answers) == {200}, f"{count} clients that read an original each get {collections.Counter(answers)}"
    return peak
