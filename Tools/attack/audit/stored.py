"""Reproductions about what is stored. Each check raises AssertionError with what went wrong.

`service` is a running service: `.base` (http://127.0.0.1:PORT), `.cache` (its cache directory, empty when a check
begins) and `.restart(**environment)`, which ends it with SIGTERM and restarts it on the same cache with these
variables."""
import base64
import concurrent.futures
import contextlib
import hashlib
import json
import os
import pathlib
import random
import shutil
import sqlite3
import subprocess
import tempfile
import time
import urllib.request

from service import lib

KEY = "akeyoftheauditofthestore"


def png(seed, width=200, height=300, noise=False):
    source = random.Random(seed)
    rows = b"".join(
        b"\0" + (source.randbytes(width) if noise else bytes((x * seed + y) & 255 for x in range(width))) for y in range(height))
    return lib.png(width, height, rows, color=0, level=-1)


class Origin:
    """Answers /N.png with picture N, or `body` if that is set, and `fields`; with `redirect` set it leads there."""

    def __init__(self):
        self.asked, self.fields, self.redirect, self.body, self.picture = 0, {}, None, None, png
        owner = self

        def answer(handler):
            owner.asked += 1
            if owner.redirect:
                return handler.answer(302, b"", {"Location": owner.redirect})
            body = owner.body or owner.picture(int(handler.path.strip("/").split(".")[0]) + 3)
            handler.answer(200, body, owner.fields)

        self.server = lib.Files(lib.Always(answer))


@contextlib.contextmanager
def origin(service, **environment):
    """An origin, and the service restarted so that it asks it for `a.test` and `b.test`."""
    one = Origin()
    port = one.server.port
    settings = dict(
        VITRINE_URL_KEYS=KEY, VITRINE_FETCH_ALLOW_NETWORKS="127.0.0.0/8",
        VITRINE_FETCH_CONNECT_TO=f"a.test:80:127.0.0.1:{port},b.test:80:127.0.0.1:{port}", **environment)
    one.restart = lambda **more: service.restart(**settings, **more)  # type: ignore[attr-defined]
    one.restart()  # type: ignore[attr-defined]
    try:
        yield one
    finally:
        one.server.close()


def signed(number, level="s", host="a.test"):
    return lib.signed(f"http://{host}/{number}.png", level, KEY)


def all_good(service, paths):
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        codes = list(pool.map(lambda path: service.status(path), paths))
    bad = [code for code in codes if code != 200]
    assert not bad, f"{len(bad)} of {len(codes)} answers were {sorted(set(bad))}"


def check_purge_from_the_future(service):
    """A purge by a node whose clock was a year ahead switched the shared store off for a year."""
    with tempfile.TemporaryDirectory() as store, origin(service, VITRINE_S3_ENDPOINT=f"file://{store}") as one:
        all_good(service, [signed(1)])
        end = time.monotonic() + 60
        while not reference(store, 1).is_file():
            assert time.monotonic() < end, "the picture was not uploaded within a minute"
            time.sleep(0.2)
        ahead = time.time() + 365 * 86_400
        purge = pathlib.Path(store) / "p" / "url" / str(int(ahead * 1000))
        purge.parent.mkdir(parents=True)
        purge.write_bytes(b"")
        os.utime(purge, (ahead, ahead))
        service.stop()
        shutil.rmtree(service.cache)
        one.restart()
        asked = one.asked
        assert service.status(signed(1)) == 200
        assert one.asked == asked, "the shared store has the picture, and its origin was asked"
    return True, "an empty node takes the picture from the shared store"


def check_private_pictures(service):
    """A picture that its origin allows only private caches to keep was kept for a week and sent on as public."""
    with origin(service) as one:
        one.fields = {"Cache-Control": "private"}
        for path in [signed(1), signed(1), signed(1, level="m")]:
            fields = service.get(path)[1]
            assert fields["cache-control"] == "private, no-cache", fields["cache-control"]
        assert one.asked == 1, f"{one.asked} downloads within a minute"
        one.restart(VITRINE_CACHE_HONOR_PRIVATE="false")
        one.fields = {"Cache-Control": "private, max-age=900, max-age=300"}
        found = service.get(signed(2))[1]["cache-control"]
        assert found.startswith(("public, max-age=300", "public, max-age=299")), found
    return True, "private, no-cache for each request, and one download; the strictest of two ages if the setting says so"


def check_purge_of_a_full_disk(service):
    """`cache purge all` on a disk that is full to the last byte exited with 1, and left rows and most blobs."""
    if os.geteuid() != 0:
        return None, "needs root for a small disk"
    service.stop()
    with tempfile.TemporaryDirectory() as directory:
        disk = os.path.join(directory, "disk")
        os.mkdir(disk)
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", disk], capture_output=True).returncode:
            return None, "needs the right to mount a small disk"
        try:
            one = Origin()
            one.picture = lambda seed: png(seed, 320, 240, noise=True)  # type: ignore[assignment, misc]
            listing = os.path.join(directory, "list.txt")
            with open(listing, "w") as file:
                file.write("\n".join(f"http://a.test/{number}.png" for number in range(30)))
            environment = {
                **os.environ, "VITRINE_CACHE_DIRECTORY": os.path.join(disk, "cache"), "VITRINE_FETCH_ALLOW_NETWORKS": "127.0.0.0/8",
                "VITRINE_FETCH_CONNECT_TO": f"a.test:80:127.0.0.1:{one.server.port}"}
            subprocess.run([service.program, "warm", "urls", listing], env=environment, check=True, capture_output=True)
            filler = os.open(os.path.join(disk, "filler"), os.O_WRONLY | os.O_CREAT)
            with contextlib.suppress(OSError):
                while os.write(filler, b"x" * 4096):
                    pass
            os.close(filler)
            purge = subprocess.run([service.program, "cache", "purge", "all"], env=environment, capture_output=True, text=True)
            assert purge.returncode == 0, f"exit status {purge.returncode}: {purge.stderr[-300:]}"
            left = sum(len(files) for _, _, files in os.walk(os.path.join(disk, "cache", "v2", "blobs")))
            assert left == 0, f"{left} blobs are left"
            stats = subprocess.run([service.program, "cache", "stats", "--json"], env=environment, capture_output=True, text=True)
            assert json.loads(stats.stdout)["items"] == 0, stats.stdout[:300]
        finally:
            subprocess.run(["umount", "-l", disk])
    service.start()
    return True, "all blobs and rows are gone, and the command says so"


def check_overfull_warm(service):
    """A warm run of more than the cache holds says so before most of it, ends when its pictures are evicted, and exits with 3."""
    with origin(service) as one:
        service.stop()
        # Pictures that don't shrink.
        one.picture = lambda seed: png(seed, 640, 480, noise=True)
        names = [f"http://a.test/{number}.png" for number in range(200)]
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as listing:
            listing.write("\n".join(names))
            listing.flush()
            port = one.server.port
            run = subprocess.run(
                [service.program, "warm", "urls", listing.name, "--json", "--cache", service.cache], capture_output=True, text=True,
                stdin=subprocess.DEVNULL, env={
                    **os.environ, "VITRINE_CACHE_BUDGET": "33MiB", "VITRINE_FETCH_ALLOW_NETWORKS": "127.0.0.0/8",
                    "VITRINE_FETCH_CONNECT_TO": f"a.test:80:127.0.0.1:{port}"})
        summary = json.loads(run.stdout.splitlines()[-1])
        assert run.returncode == 3, f"exit status {run.returncode}: {run.stdout[-500:]}"
        assert summary["evicted"] > 0 and summary["left"] > 0, summary
        assert "of cache.budget are free" in run.stderr, run.stderr[-500:]
        one.restart()
        assert one.asked < 200, f"{one.asked} of 200 pictures were downloaded into a cache that holds fewer"
    return True, f"{summary['items']} of 200 items began, {summary['evicted']} were evicted"


def check_age_that_is_no_number(service):
    """Item 3: Age: nan was a 500, and a download for each request."""
    with origin(service) as one:
        for number, age in enumerate(("nan", "inf", "-1", "1e400", "99999999999999999999")):
            one.fields, one.asked = {"Cache-Control": "max-age=600", "Age": age}, 0
            all_good(service, [signed(number)] * 3)
            assert one.asked == 1, f"Age: {age} cost {one.asked} downloads"


def check_refused_address_keeps_the_picture(service):
    """Item 13: a redirect to a refused address on refresh unbound the picture and was 403 for an hour."""
    with origin(service, VITRINE_FRESHNESS_ORIGINAL_MIN="1s") as one:
        one.fields = {"Cache-Control": "max-age=1"}
        all_good(service, [signed(1)])
        one.redirect = "http://10.0.0.1/portal"
        for _ in range(6):
            time.sleep(0.5)
            all_good(service, [signed(1), signed(1, "m")])


def check_refresh_has_a_brake(service):
    """Item 14: with max-age=0 one picture was downloaded 95 times in 5 s."""
    with origin(service) as one:
        one.fields = {"Cache-Control": "max-age=0"}
        end = time.monotonic() + 5
        while time.monotonic() < end:
            all_good(service, [signed(1)] * 8)
        assert one.asked <= 2, f"{one.asked} downloads of one picture"


def check_disk_that_takes_nothing(service):
    """Items 14, 15: 507 for pictures in hand, 40 downloads for 40 hits. A file stands where blobs belong."""
    with origin(service) as one:
        blobs = pathlib.Path(service.cache) / "v2/blobs"
        shutil.rmtree(blobs)
        blobs.touch()
        all_good(service, [signed(number) for number in range(10)] * 4)
        assert one.asked <= 10, f"{one.asked} downloads of 10 pictures"
        assert lib.metric(service.port, "vitrine_store_behind") == 1, "nothing tells of it"
        blobs.unlink()
        end = time.monotonic() + 60
        while lib.metric(service.port, "vitrine_store_behind") and time.monotonic() < end:
            time.sleep(0.2)
        assert any(blobs.iterdir()), "the store did not catch up"


def check_locked_index(service):
    """Item 15: an index that another process held for 25 s turned pictures into 500."""
    with origin(service):
        lock = sqlite3.connect(pathlib.Path(service.cache) / "v2/index/pictures.sqlite", isolation_level=None)
        lock.execute("BEGIN IMMEDIATE")
        began = time.monotonic()
        all_good(service, [signed(number) for number in range(40)])
        took = time.monotonic() - began
        lock.execute("COMMIT")
        lock.close()
        assert took < 25, f"40 pictures took {took:.0f} s"


def damage(path, first, step):
    size = os.path.getsize(path)
    with open(path, "r+b") as file:
        for page in range(first, size // 4096, step):
            file.seek(page * 4096)
            file.write(b"\xA5" * 4096)


def check_damaged_index(service):
    """Item 16: damaged pages inside the index were a 500 for 52 of 79 items, while /readyz said ready."""
    with origin(service) as one:
        paths = [signed(number) for number in range(79)]
        all_good(service, paths)
        one.restart()
        damage(pathlib.Path(service.cache) / "v2/index/pictures.sqlite", 10, 2)
        all_good(service, paths + paths)
        assert (lib.metric(service.port, "vitrine_store_databases_set_aside_total") or 0) >= 1, "the damage was not found"
        assert service.status("/readyz") == 200


def check_damaged_keepsakes(service):
    """Item 16: a damaged keepsakes.sqlite stopped serve."""
    with origin(service) as one:
        path = pathlib.Path(service.cache) / "v2/index/keepsakes.sqlite"
        # A second end of the service writes nothing to it any more.
        one.restart()
        damage(path, 0, 1)
        one.restart()
        all_good(service, ["/healthz", "/readyz", signed(1)])
        assert list(path.parent.glob("keepsakes.sqlite.damaged-*")), "the damaged file was not set aside"


def check_modes(service):
    """Item 22: originals and history were readable for all."""
    with origin(service):
        all_good(service, [signed(1)])
        for path in pathlib.Path(service.cache, "v2").rglob("*"):
            assert path.stat().st_mode & 0o077 == 0, f"{path} has mode {path.stat().st_mode & 0o777:o}"


def gray(width, height):
    """A PNG of one gray, small as a file."""
    return lib.png(width, height, (b"\0" + b"\x80" * width) * height, color=0)


def check_pyramid_of_a_replaced_picture(service):
    """An original that was "too large for a pyramid" stayed so for an hour although the URL had another picture."""
    with origin(service) as one:
        one.fields = {"Cache-Control": "max-age=1"}
        one.body = gray(9000, 6000)
        one.restart(VITRINE_IMAGING_MEMORY="64MiB", VITRINE_FRESHNESS_ORIGINAL_MIN="1s")
        signed_path = subprocess.run(
            [service.program, "sign", "http://a.test/1.png", "--level", "iiif"], capture_output=True, text=True,
            env={**os.environ, "VITRINE_URL_KEYS": KEY}, check=True).stdout.split()[0]
        base = "/iiif/" + signed_path.split("/iiif/", 1)[1]
        base = base.removesuffix("/info.json")
        tile = f"{base}/0,0,512,512/512,512/0/default.jpg"
        all_good(service, [f"{base}/info.json"])
        assert (code := service.status(tile)) == 415, f"the large picture's tile is {code}"
        one.body = gray(600, 800)
        end = time.monotonic() + 30
        while (code := service.status(tile)) != 200 and time.monotonic() < end:
            service.status(f"{base}/info.json")
            time.sleep(0.5)
        assert code == 200, f"30 s after the picture was replaced its tile is {code}"


def reference(store, number, host="a.test"):
    """The path of an item's object in a shared directory."""
    encoded = base64.urlsafe_b64encode(f"http://{host}/{number}.png".encode()).decode().rstrip("=")
    name = hashlib.sha256(f"url/image/{encoded}".encode()).hexdigest()
    return pathlib.Path(store) / "i" / name[:2] / name


def check_one_upload_that_always_fails(service):
    """One item that the shared store refuses was the head of the line and held up all others."""
    with tempfile.TemporaryDirectory() as store, origin(service) as one:
        # No object can be put where a directory is.
        reference(store, 0).mkdir(parents=True)
        one.restart(VITRINE_S3_ENDPOINT=f"file://{store}")
        all_good(service, [signed(0)])
        all_good(service, [signed(number) for number in range(1, 9)])
        end = time.monotonic() + 60
        while time.monotonic() < end and not all(reference(store, number).is_file() for number in range(1, 9)):
            time.sleep(0.2)
        missing = [number for number in range(1, 9) if not reference(store, number).is_file()]
        assert not missing, f"{len(missing)} of 8 items were not uploaded within a minute"
        assert lib.metric(service.port, "vitrine_shared_uploads_waiting") == 1, "the item that failed is not waiting"
        # It is named when it fails again, after others were stored.
        while "can't be put into the shared store" not in service.tail(100_000):
            assert time.monotonic() < end, "the log doesn't name it"
            time.sleep(0.2)


def check_purge_in_the_shared_store(service):
    """A purge left pictures outside of bundles, and what an upload under way put back."""
    with tempfile.TemporaryDirectory() as store, origin(service) as one:
        one.restart(VITRINE_S3_ENDPOINT=f"file://{store}", VITRINE_ADMIN_TOKEN="audit-token-of-the-service")
        def left():
            return [path for path in pathlib.Path(store).rglob("*") if path.is_file() and path.parts[-3] != "p"]
        for number in range(8):
            encoded = base64.urlsafe_b64encode(f"http://a.test/{number}.png".encode()).decode().rstrip("=")
            request = urllib.request.Request(service.base + signed(number), headers={"Accept": "image/png"})
            urllib.request.urlopen(request, timeout=60).read()
            # The upload of this one is under way, or done.
            time.sleep(0.05 * number)
            purge = urllib.request.Request(
                service.base + "/admin/purge", method="POST", data=b'{"item": "url/image/%s"}' % encoded.encode(),
                headers={"Authorization": "Bearer audit-token-of-the-service", "Content-Type": "application/json"})
            urllib.request.urlopen(purge, timeout=60).read()
        end = time.monotonic() + 30
        while time.monotonic() < end and (left() or lib.metric(service.port, "vitrine_shared_uploads_waiting")):
            time.sleep(0.5)
        assert not left(), f"{len(left())} objects of purged items are in the shared store"


NOBODY = 65_534


def as_nobody():
    os.setgroups([])
    os.setgid(NOBODY)
    os.setuid(NOBODY)


def check_one_bad_directory(service):
    """One directory of blobs that belonged to another account stopped all storing, for good, and nothing named it."""
    if os.geteuid() != 0:
        return None, "needs root for a directory of another account"
    service.stop()
    os.chmod(service.directory, 0o755)
    shutil.rmtree(service.cache, ignore_errors=True)
    os.mkdir(service.cache)
    os.chown(service.cache, NOBODY, NOBODY)
    service.prepare = as_nobody
    try:
        with origin(service) as one:
            all_good(service, [signed(number) for number in range(10)])
            blobs = pathlib.Path(service.cache, "v2", "blobs")
            for digit in "0123456789abcdef":
                with contextlib.suppress(FileExistsError):
                    (blobs / f"{digit}0").mkdir(0o700)
            bad = {path for path in blobs.iterdir() if path.stat().st_uid == 0}
            all_good(service, [signed(number) for number in range(10, 60)])
            # Each picture is an original and two thumbnails; a sixteenth of all falls into a bad directory.
            end = time.monotonic() + 20
            while (count := sum(len(files) for _, _, files in os.walk(blobs))) < 150:
                assert time.monotonic() < end, f"{count} of 180 blobs are stored beside {len(bad)} bad directories of 256"
                time.sleep(0.2)
            text = service.get("/readyz")[2].decode()
            assert any(str(path) in text for path in bad) and "It belongs to root" in text, text
            verify = subprocess.run(
                [service.program, "cache", "verify"], env=service.environment, cwd="/", preexec_fn=as_nobody,
                capture_output=True, text=True)
            assert verify.returncode == 3 and "closed" in verify.stdout, (verify.returncode, verify.stdout[-300:], verify.stderr[-300:])
            one.restart()
            asked = one.asked
            all_good(service, [signed(number) for number in range(60)])
            assert one.asked - asked < 15, f"{one.asked - asked} of 60 pictures were downloaded again after a restart"
            # What root does on this cache is done with the owner's rights.
            with tempfile.NamedTemporaryFile("w", suffix=".txt") as listing:
                os.chmod(listing.name, 0o644)
                listing.write("".join(f"http://a.test/{number}.png\n" for number in range(60, 90)))
                listing.flush()
                subprocess.run(
                    [service.program, "warm", "urls", listing.name], env=service.environment, cwd="/", capture_output=True)
            foreign = {
                os.path.join(top, name) for top, directories, files in os.walk(service.cache) for name in directories + files
                if os.stat(os.path.join(top, name)).st_uid == 0}
            assert foreign == {str(path) for path in bad}, f"root left {sorted(foreign)[:3]}"
    finally:
        service.prepare = None
    return True, f"{count} of 180 blobs are stored beside {len(bad)} bad directories of 256, whose path and owner are named"


def deleted_databases(pid):
    """How many open files of databases have lost their names."""
    count = 0
    for link in pathlib.Path(f"/proc/{pid}/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):
            name = os.readlink(link)
            count += "sqlite" in name and "(deleted)" in name
    return count


def check_emptied_cache(service):
    """The content of the cache was removed under a service, which went on with deleted databases and lost a favorite."""
    with origin(service) as one:
        all_good(service, [signed(1)])
        # As `rm -rf cache/*` does, which the service may make directories of meanwhile.
        subprocess.run(f"rm -rf {service.cache}/* || rm -rf {service.cache}/*", shell=True, stderr=subprocess.DEVNULL)
        all_good(service, [signed(2), signed(3)])
        token = {"Authorization": "Bearer audit-token-of-the-service"}
        code = service.get("/v1/favorites/tvmaze/show/1", method="PUT", headers=token)[0]
        assert code in (200, 201, 204), f"the favorite is {code}"
        end = time.monotonic() + 20
        while deleted := deleted_databases(service.pid):
            assert time.monotonic() < end, f"{deleted} deleted files of databases are open"
            time.sleep(0.2)
        assert "was removed or replaced while it was in use" in service.tail(100_000), "the log doesn't say it"
        one.restart()
        asked = one.asked
        all_good(service, [signed(2), signed(3)])
        assert one.asked == asked, "what was stored afterwards is gone after a restart"
        favorites = service.get("/v1/favorites", headers=token)[2].decode()
        assert "tvmaze/show/1" in favorites, favorites[:300]


def check_half_copied_file(service):
    """A file of a folder that was asked for while it was copied stayed broken in browsers and caches for an hour."""
    folder = pathlib.Path(service.directory) / "pics"
    folder.mkdir()
    settings = pathlib.Path(service.directory) / "config" / "vitrine.yaml"
    settings.parent.mkdir()
    settings.write_text(f"folders:\n  pics: {folder}\n")
    service.restart()
    content, path = png(1, 300, 300, noise=True), folder / "a.png"
    path.write_bytes(content[:20_000])
    code, fields, _ = service.get("/t/s/pics/file/a.png")
    assert (code, fields["cache-control"]) == (415, "no-store"), (code, fields["cache-control"])
    path.write_bytes(content)
    assert service.get("/t/s/pics/file/a.png")[0] == 200
    settings.unlink()


def check_reference_with_impossible_values(service):
    """A reference in the shared store with a width of 0, below 0 or huge ended each node that was asked for its IIIF document."""
    with tempfile.TemporaryDirectory() as store, origin(service) as one:
        one.restart(VITRINE_S3_ENDPOINT=f"file://{store}")
        all_good(service, [signed(1)])
        path = reference(store, 1)
        end = time.monotonic() + 60
        while not path.is_file():
            assert time.monotonic() < end, "the picture was not uploaded within a minute"
            time.sleep(0.2)
        sound = json.loads(path.read_text())
        encoded = base64.urlsafe_b64encode(b"http://a.test/1.png").decode().rstrip("=")
        document = f"/iiif/3/url%2Fimage%2F{encoded}/info.json"
        far = 253_402_300_800_000 * 1_000
        for number, changes in enumerate(({"width": 0}, {"width": -1}, {"height": 2**63 - 1}, {"byteCount": -1}, {"freshUntil": far}, {"fetchedAt": -far})):
            service.stop()
            shutil.rmtree(service.cache)
            wrong = json.loads(json.dumps(sound))
            wrong["originals"][0].update(changes)
            path.write_text(json.dumps(wrong))
            one.restart(VITRINE_S3_ENDPOINT=f"file://{store}")
            all_good(service, [signed(1)])
            service.status(document)
            assert service.is_alive(), f"{changes} ended the service"
            all_good(service, [signed(1)])
            named = service.tail(1 << 20).count("is wrong and is made again")
            assert named > number, f"{changes} is not named"
