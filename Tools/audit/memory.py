"""Clients and originals that take all memory."""
import hashlib
import os
import shutil
import socket
import subprocess
import threading
import time

from pictures import png


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


def check_large_originals_at_once(service):
    """40 originals of 60 MB at once held 2 GB."""
    service.restart(memory_budget="1GiB")
    body = png(4500, 4500)
    # The same picture under other bytes: what follows the end is not decoded.
    paths = [service.picture(f"large-{n}.png", body + b"%d" % n, level="xs") for n in range(40)]
    statuses, peak = [], 0
    threads = [threading.Thread(target=lambda path=path: statuses.append(service.get(path, timeout=300)[0])) for path in paths]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        peak = max(peak, service.memory())
        time.sleep(0.05)
    good = statuses.count(200)
    fair = all(status in (200, 503) for status in statuses)
    return fair and good > 0 and peak <= 1024, f"40 originals of 60 MB: {good} served, at most {peak} MB of 1024"


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
