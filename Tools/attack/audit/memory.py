"""Clients and originals that take all memory."""
import base64
import hashlib
import os
import pathlib
import shutil
import socket
import struct
import subprocess
import threading
import time
import zlib

from lib import chunk, png


def check_readers_that_do_not_read(service):
    """60 clients that never read a 29 MB original held 2 GB."""
    service.restart(memory_budget="1GiB")
    body = png(3200, 3000)
    service.get(service.picture("large.png", body))
    target = "/b/sha256-" + hashlib.sha256(body).hexdigest()
    status = service.get(target, method="HEAD")[0]
    if status != 200:
        return False, f"the original's blob got {status}"
    before = service.memory()
    sockets = []
    for _ in range(60):
        one = socket.create_connection((service.host, service.port))
        one.sendall(f"GET {target} HTTP/1.1\r\nHost: {service.host}:{service.port}\r\n\r\n".encode())
        sockets.append(one)
    peak = before
    for _ in range(40):
        peak = max(peak, service.memory())
        time.sleep(0.1)
    answers = service.get("/healthz")[0] == 200
    for one in sockets:
        one.close()
    return answers and peak - before < 200, f"60 readers of 29 MB: {before} to {peak} MB"


def check_parts_of_a_large_original(service):
    """Item 8: HEAD, 304 and ranges of a byte loaded and hashed all of a blob, each time."""
    body = png(3200, 3000)
    service.get(service.picture("large.png", body))
    target = "/b/sha256-" + hashlib.sha256(body).hexdigest()
    status, headers, _ = service.get(target, method="HEAD")
    if status != 200:
        return False, f"the original's blob got {status}"

    def read():
        text = pathlib.Path(f"/proc/{service.pid}/io").read_text()
        return int(text.split("rchar: ")[1].split()[0])

    before = read()
    wanted = [
        ("HEAD", {}, 200), ("GET", {"If-None-Match": headers["etag"]}, 304), ("GET", {"Range": "bytes=9000000-9000000"}, 206)]
    for _ in range(20):
        for method, fields, expected in wanted:
            status = service.get(target, fields, method=method)[0]
            if status != expected:
                return False, f"{method} with {fields} got {status}"
    grown = (read() - before) / len(body)
    return grown < 2, f"60 HEAD, 304 and ranges of a byte read a blob of {len(body) >> 20} MB {grown:.1f} times"


def check_large_originals_at_once(service):
    """Item 10: 40 originals of 60 MB that were in flight at once held 2 GB."""
    service.restart({"memory.budget": "1GiB", "fetch.hostConcurrency": 64})
    body = png(4500, 4500)
    released, begun = threading.Event(), []

    def original(number):
        # The same picture under other bytes: what follows the end is not decoded. All but a little comes at once,
        # and the rest when it is told.
        def answer(handler):
            rest = b"%d" % number + b"." * 100
            handler.send_response(200)
            handler.send_header("Content-Length", str(len(body) + len(rest)))
            handler.end_headers()
            begun.append(number)
            handler.wfile.write(body)
            released.wait(60)
            handler.wfile.write(rest)
        return answer

    for number in range(40):
        service.origin.files[f"/large-{number}.png"] = original(number)
    paths = [service.picture(f"large-{number}.png", level="xs") for number in range(40)]
    before, statuses, peaks = service.memory(), [], [0, 0]
    limit = service.metrics()['vitrine_memory_share_limit_bytes{share="originals"}'] / (1 << 20)
    threads = [threading.Thread(target=lambda path=path: statuses.append(service.get(path, timeout=300)[0])) for path in paths]
    for thread in threads:
        thread.start()
    # Less than the ten seconds after which an origin counts as stuck.
    end = time.time() + 8
    while any(thread.is_alive() for thread in threads):
        if time.time() > end:
            released.set()
        held = service.memory()
        peaks[released.is_set()] = max(peaks[released.is_set()], held)
        time.sleep(0.05)
    good = statuses.count(200)
    fair = all(status in (200, 503) for status in statuses)
    waiting = peaks[0] - before
    # What is received stands in its share; what is rendered, in all of the budget.
    holds = fair and good > 0 and len(begun) >= 4 and waiting <= limit + 64 and max(peaks) <= 1024
    return holds, (
        f"40 originals of {len(body) >> 20} MB at once: {good} served, at most {waiting} MB in flight of {limit:.0f}, and "
        f"{max(peaks)} of 1024 in all")


def check_camera_pictures(service):
    """HEIC of 48 megapixels, JPEG of 102 and PNG of 60 are rendered on a machine of 4 GB (a budget of 1 GiB)."""
    vips = shutil.which("vips")
    if not vips:
        return None, "needs the program vips (libvips-tools)"
    service.restart(memory_budget="1GiB")
    found = []
    for name, width, height, options in (
            ("camera.heic", 8064, 6048, "[Q=40,effort=0]"), ("camera.jpg", 11648, 8736, "[Q=80]"),
            ("scan.png", 9000, 6700, "[compression=1]")):
        ramp, target = os.path.join(service.directory, "ramp.v"), os.path.join(service.directory, name)
        subprocess.run([vips, "gaussnoise", ramp, str(width // 8), str(height // 8)], check=True)
        subprocess.run([vips, "resize", ramp, ramp + ".2.v", "8"], check=True)
        subprocess.run([vips, "bandjoin", f"{ramp}.2.v {ramp}.2.v {ramp}.2.v", ramp + ".3.v"], check=True)
        made = subprocess.run([vips, "cast", ramp + ".3.v", target + options, "uchar"], capture_output=True)
        if made.returncode:
            found.append(f"{name} can't be made here")
            continue
        with open(target, "rb") as file:
            status = service.get(service.picture(name, file.read()), timeout=300)[0]
        found.append(f"{name} {status}")
        if status != 200:
            return False, ", ".join(found)
    return True, ", ".join(found)


def svg(content, number):
    """An SVG as large as the level xl. `number` makes other bytes of the same picture."""
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="1280" height="1920"><!-- {number} -->{content}</svg>').encode()


def embedded(width, height):
    """An element with a black PNG of that size and one bit a pixel."""
    head = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    rows = bytes(width // 8 + 1)
    data = (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows * height, 9))
            + chunk(b"IEND", b""))
    return f'<image width="1280" height="1920" href="data:image/png;base64,{base64.b64encode(data).decode()}"/>'


def nested(count):
    """Masks in masks, each of which takes a surface of the whole picture."""
    masks = "".join(
        f'<mask id="m{n}"><rect width="100%" height="100%" fill="#fff" mask="url(#m{n + 1})"/></mask>' for n in range(count))
    return masks + '<rect width="100%" height="100%" mask="url(#m0)"/>'


def check_svgs_that_take_more_than_predicted(service):
    """20 kB with a picture of 118 megapixels, or 200 nested masks, took 340 to 1,669 MB of each of eight children."""
    service.restart({"imaging.threads": 8}, memory_budget="1GiB")
    hostile = [embedded(10_862, 10_862), nested(200)]
    paths = [service.picture(f"{n}.svg", svg(hostile[n % 2], n), level="xl") for n in range(16)]
    statuses = []
    threads = [
        threading.Thread(target=lambda path=path: statuses.append(service.get(path, timeout=300)[0])) for path in paths]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    # What exceeds its memory is refused. A machine that is too busy answers 503, and has no record of the picture.
    refused = statuses.count(415)
    plain = []
    for name, content in ("masks.svg", nested(3)), ("photograph.svg", embedded(2_000, 2_000)):
        path = service.picture(name, svg(content, 0), level="xl")
        asked = (service.get(path, timeout=300)[0] for _ in range(10))
        plain.append(next((status for status in asked if status != 503), 503))
    holds = refused > 0 and all(status in (415, 503) for status in statuses) and plain == [200, 200]
    return holds, f"{refused} of 16 SVGs are refused with 415, common ones get {plain}"


def check_heads_without_end(service):
    """Trailers and interim heads without an end took 2 GB in half a minute under a budget of 512 MiB."""
    service.restart(memory_budget="512MiB")
    line = b"X-Filler: " + b"a" * 1000 + b"\r\n"

    def flood(handler, start):
        try:
            handler.wfile.write(start)
            while True:
                handler.wfile.write(line * 64)
        except OSError:
            handler.close_connection = True

    def trailers(handler):
        flood(handler, b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n")

    def interim(handler):
        start = b"HTTP/1.1 103 Early Hints\r\n" + line * 8 + b"\r\n"
        try:
            while True:
                handler.wfile.write(start * 8)
        except OSError:
            handler.close_connection = True

    before = service.memory()
    answers, peak = [], before
    for name, content in [("trailers.jpg", trailers), ("interim.jpg", interim)]:
        path = service.picture(name)
        service.origin.files["/" + name] = content
        asking = threading.Thread(target=lambda: answers.append(service.get(path)[0]))
        asking.start()
        deadline = time.time() + 20
        while asking.is_alive() and time.time() < deadline:
            peak = max(peak, service.memory())
            time.sleep(0.1)
    return len(answers) == 2 and peak - before < 60, f"answers {answers}; {before} to {peak} MB"
