"""Several processes on one cache, of which some are stopped, killed, or have other settings and another clock."""
import base64
import contextlib
import fcntl
import hashlib
import json
import os
import pathlib
import random
import shutil
import signal
import struct
import subprocess
import threading
import time
import urllib.error
import urllib.request

from service import lib
from stored import all_good, origin, png, signed

SECONDS = float(os.environ.get("AUDIT_SECONDS", "0")) or 25


def check_killed_purges(service):
    """A purge that was killed beside the service left rows without blobs."""
    with origin(service, VITRINE_CACHE_BUDGET="40MiB") as one:
        environment = {**os.environ, "VITRINE_CACHE_DIRECTORY": service.cache, "VITRINE_CACHE_BUDGET": "40MiB"}
        for turn in range(12):
            all_good(service, [signed(number) for number in range(8)])
            command = [["purge", "url"], ["gc"], ["verify", "--repair"]][turn % 3]
            child = subprocess.Popen([service.program, "cache", *command], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(0.02 * turn)
            child.kill()
            child.wait()
        service.stop()
        found = subprocess.run([service.program, "cache", "verify", "--json"], env=environment, capture_output=True, text=True)
        report = json.loads(found.stdout)
        assert not report.get("missing"), report
        one.restart()
        all_good(service, [signed(number) for number in range(8)])
    return True, "no row is without its blob after twelve kills"


def ledger_lock(shared, kind):
    """Takes the byte that is locked while the ledger changes, for an open file as the service does, or releases it."""
    set_lock, byte = 37, (1 << 40) + 5
    fcntl.fcntl(shared, set_lock, struct.pack("hhqqi4x", kind, os.SEEK_SET, byte, 1, 0))


def check_stopped_neighbor(service):
    """A process that was stopped while it had the ledger's lock stopped every writer, and /metrics, for as long."""
    with origin(service) as one:
        assert service.status(signed(1)) == 200
        shared = open(os.path.join(service.cache, "v2", "shared"), "r+b")
        ledger_lock(shared, fcntl.F_WRLCK)
        try:
            for number in range(2, 8):
                assert service.status(signed(number)) == 200, f"picture {number} beside a stopped process"
            assert service.status("/metrics") == 200, "/metrics"
            code, _, body = service.get("/readyz")
            assert code == 200 and b"holds the lock" in body, f"/readyz is {code}: {body[:200]}"
        finally:
            ledger_lock(shared, fcntl.F_UNLCK)
        deadline = time.time() + 30
        while service.get("/readyz")[2] != b"ready\n":
            assert time.time() < deadline, "the service is not ready although the process continued"
            time.sleep(0.2)
        one.restart()
        asked = one.asked
        all_good(service, [signed(number) for number in range(1, 8)])
        assert one.asked == asked, "pictures that waited in memory were lost"
    return True, "seven pictures, /metrics and a reason beside a stopped process; all stored afterward"


@contextlib.contextmanager
def neighbor(service, environment):
    """Another service on the same cache, with variables of its own. Gives its base and its process."""
    port = lib.free_port()
    variables = {**service.environment, "VITRINE_SERVER_PORT": str(port), **environment}
    with open(service.log, "ab") as log:
        process = subprocess.Popen(
            [service.program, "serve"], env=variables, stdout=log, stderr=log, cwd=service.directory)
    base = f"http://127.0.0.1:{port}"
    try:
        end = time.monotonic() + 60
        while True:
            with contextlib.suppress(OSError):
                urllib.request.urlopen(base + "/healthz", timeout=5).read()
                break
            assert process.poll() is None and time.monotonic() < end, f"the neighbor doesn't serve: {service.tail()}"
            time.sleep(0.1)
        yield base, process
    finally:
        with contextlib.suppress(OSError):
            process.send_signal(signal.SIGCONT)
        process.kill()
        process.wait()


def is_right(answer, body):
    """Whether the bytes of an answer have the digest that it names."""
    return answer.headers["Repr-Digest"] == f"sha-256=:{base64.b64encode(hashlib.sha256(body).digest()).decode()}:"


def ask(bases, end, random_, bad):
    """A client that asks one of several services for a picture after another. Notes what is wrong."""
    while time.monotonic() < end:
        path = signed(random_.randrange(150), random_.choice("sml"))
        try:
            with urllib.request.urlopen(random_.choice(bases) + path, timeout=60) as answer:
                if not is_right(answer, answer.read()):
                    bad.append(f"{path} has wrong bytes")
        except urllib.error.HTTPError as error:
            bad.append(f"{path} is {error.code}: {error.read()[:200]!r}")
        except OSError as error:
            bad.append(f"{path}: {error}")


def check_neighbors(service):
    """A storm on one cache: a neighbor with a smaller budget and a clock a year ahead is stopped again and again, commands are killed."""
    compiler = shutil.which("cc")
    if not compiler:
        return None, "needs a C compiler for a clock that is ahead"
    clock = os.path.join(service.directory, "ahead.so")
    source = pathlib.Path(__file__).with_name("ahead.c")
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", clock, source], check=True)
    random_, bad, stops = random.Random(33), [], 0
    with origin(service, VITRINE_CACHE_BUDGET="48MiB") as one:
        one.picture = lambda seed: png(seed, 480, 360, noise=True)
        variables = {"VITRINE_CACHE_BUDGET": "40MiB", "VITRINE_CACHE_MAX_FILES": "3000", "LD_PRELOAD": clock}
        with neighbor(service, variables) as (base, process):
            end = time.monotonic() + SECONDS
            # The neighbor's clients may wait while it is stopped; those of the service may not.
            clients = [
                threading.Thread(target=ask, args=(bases, end, random.Random(seed), bad))
                for seed, bases in enumerate([[service.base]] * 3 + [[base], [service.base, base]])]
            for client in clients:
                client.start()
            while time.monotonic() < end:
                command = random_.choice([["purge", "url"], ["gc"], ["verify", "--repair"]])
                child = subprocess.Popen(
                    [service.program, "cache", *command], env=service.environment, stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL)
                process.send_signal(signal.SIGSTOP)
                stops += 1
                time.sleep(random_.uniform(0.05, 3))
                process.send_signal(signal.SIGCONT)
                time.sleep(random_.uniform(0, 0.5))
                child.kill()
                child.wait()
            for client in clients:
                client.join()
            process.terminate()
            assert process.wait(60) == 0, f"the neighbor ended with {process.returncode}: {service.tail()}"
        assert not bad, f"{len(bad)} answers: {bad[:3]}"
        service.stop()
        found = subprocess.run(
            [service.program, "cache", "verify", "--json"], env=service.environment, capture_output=True, text=True)
        report = json.loads(found.stdout)
        wrong = {name: value for name, value in report.items() if name in ("corrupt", "strays", "complaints") and value}
        assert not wrong, wrong
        one.restart()
        all_good(service, [signed(number) for number in range(150)])
    return True, f"every client is answered beside a neighbor that was stopped {stops} times; rows without blobs: {len(report['missing'])}"
