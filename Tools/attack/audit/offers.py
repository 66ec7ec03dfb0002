"""What is not offered reaches neither an origin nor the disk, and what is blocked doesn't come back."""
import hashlib
import os
import pathlib
import signal
import subprocess
import time
import urllib.parse

import apis
from service import lib

TOKEN = {"Authorization": "Bearer audit-token-of-the-service"}
# As a proxy in front says.
STRANGER = {"X-Forwarded-For": "192.0.2.1"}
ITEM = "tvmaze/show/1"
ENCODED = urllib.parse.quote(ITEM, safe="")
WALK = [
    *(f"/t/{level}/{ITEM}{ending}" for level in ("xs", "xl") for ending in ("", ".jpg", ".webp", ".avif", ".png")),
    f"/o/{ITEM}", f"/v1/{ITEM}", "/v1/tvmaze/shows?page=0", "/v1/tvmaze/search?q=show", f"/v1/explain/{ITEM}",
    "/v1/recent?source=tvmaze", f"/v1/favorites/{ITEM}", "/sheet/m/tvmaze/shows?page=0", "/sheet/m/tvmaze/shows.json?page=0",
    *(f"/iiif/{version}/{ENCODED}{part}" for version in (2, 3)
      for part in ("", "/info.json", "/full/max/0/default.jpg", "/0,0,10,10/10,/0/default.png")),
    "/iiif/presentation/3/tvmaze/shows?page=0", f"/iiif/presentation/3/{ENCODED}/manifest",
    "/t/m/%74vmaze/show/1", "/o/%74vmaze/show/1", "/v1/%74vmaze/show/1", "/t/m/tvmaze/show/1?v=2", "/t/m/rijksmuseum/object/1",
    "/t/m/itunes/album/1", "/t/m/spotify/artist/0123456789abcdefghijkl", "/t/m/tmdb/movie/1"]


def _files(service):
    blobs = pathlib.Path(service.cache) / "v2" / "blobs"
    return sum(len(names) for _, _, names in os.walk(blobs))


def _command(service, *arguments):
    return subprocess.run(
        [service.program, *arguments], env=service.environment, cwd=service.directory, capture_output=True, text=True,
        timeout=120)


def _configure(service, text):
    folder = pathlib.Path(service.directory) / "pictures"
    folder.mkdir(exist_ok=True)
    (folder / "a.png").write_bytes(lib.png(60, 90))
    config = pathlib.Path(service.directory) / "config"
    config.mkdir(exist_ok=True)
    (config / "vitrine.yaml").write_text(text.replace("FOLDER", str(folder)))


def _played(service):
    played = apis.sites(service, {"userData": "open"})
    return played


def _serve(played):
    played.pages["api.tvmaze.com/shows?page=0"] = [apis.show(1)]
    for number in (1, 2):
        played.pages[f"api.tvmaze.com/shows/{number}"] = apis.show(number)
        for size in "mo":
            played.pages[f"static.tvmaze.com/{size}/{number}.png"] = lib.png(100 + number, 150)


def check_sources(service):
    """A service with a folder answers for no catalog, and asks none."""
    _configure(service, "folders: {mine: FOLDER}\n")
    with _played(service) as played:
        _serve(played)
        for path in WALK:
            for headers in ({}, STRANGER, TOKEN):
                for method in ("GET", "HEAD", "PUT" if "favorites" in path else "GET"):
                    status = service.get(path, {**headers, "Content-Type": "application/json"}, method)[0]
                    if status not in (403, 404):
                        return False, f"{method} {path} is answered {status}."
        if played.asked:
            return False, f"{len(played.asked)} requests reached an origin, {played.asked[0]} first."
        if _files(service):
            return False, f"{_files(service)} files are on the disk."
        description = service.get("/openapi.json")[2]
        page = service.get("/")[2]
        for name in (b"tvmaze", b"rijksmuseum"):
            if name + b"/" in description or b'"source":"' + name in page:
                return False, f"{name.decode()} is in the description or the gallery."
        if service.get("/t/m/mine/file/a.png")[0] != 200:
            return False, "The folder is not answered for."
        # The operator's commands take every source.
        if _command(service, "warm", "tvmaze", "show", "1").returncode or not played.asked:
            return False, "A warm run of the operator doesn't take the catalog."
        if service.get(f"/t/m/{ITEM}")[0] != 404:
            return False, "What the operator has warmed is shown to clients."
    return True, f"{len(WALK)} addresses of five catalogs reach neither an origin nor the disk."


def check_routes(service):
    """Routes that are not offered lead nowhere, for all clients."""
    with apis.sites(service, {"server.offers": "thumbnails", "sources.offered": "tvmaze"}) as played:
        _serve(played)
        for path in [*(one for one in WALK if not one.startswith("/t/")), "/", "/v1/status", "/b/sha256-" + 64 * "0"]:
            if path.startswith(("/v1/explain", "/v1/recent", "/v1/favorites")):
                continue
            for headers in ({}, STRANGER, TOKEN):
                if service.get(path, headers)[0] != 404:
                    return False, f"{path} is answered {service.get(path, headers)[0]}."
        if played.asked or _files(service):
            return False, f"{len(played.asked)} requests reached an origin."
        if service.get(f"/t/m/{ITEM}", STRANGER)[0] != 200:
            return False, "Thumbnails are not answered."
    return True, "Only the routes that are named exist."


def check_strangers(service):
    """Strangers get no metrics, no originals of catalogs and no reasons."""
    with apis.sites(service) as played:
        _serve(played)
        for path in ("/metrics", f"/o/{ITEM}", "/o/%74vmaze/show/1"):
            for headers, status in ((STRANGER, 404), (TOKEN, 200), ({}, 200), (STRANGER, 404), ({**STRANGER, **TOKEN}, 200)):
                found, fields, _ = service.get(path, headers)
                if found != status:
                    return False, f"{path} is answered {found} with {headers}."
                if status == 200 and "public" in fields.get("cache-control", ""):
                    return False, f"A cache in front may show {path} to strangers."
        if service.get("/readyz", STRANGER)[2].strip() != b"ready":
            return False, "/readyz tells strangers more than its status."
        if b"Disallow: /o/" not in service.get("/robots.txt", STRANGER)[2]:
            return False, "/robots.txt lets crawlers fetch originals."
    return True, "Metrics, originals of catalogs and reasons are for this machine and the token."


def check_blocks(service):
    """A block holds after a purge of all, kill -9 and cache gc, whichever address leads to the picture."""
    with apis.sites(service) as played:
        _serve(played)
        # The same bytes at another address, as a mirror has them.
        bytes_ = lib.png(101, 150)
        played.pages["api.tvmaze.com/shows/3"] = apis.show(3)
        for size in "mo":
            played.pages[f"static.tvmaze.com/{size}/3.png"] = bytes_
        names = ["tvmaze/show/1", "tvmaze/show/2", "tvmaze/show/3"]
        for name in names:
            for path in (f"/t/m/{name}", f"/o/{name}"):
                if service.get(path)[0] != 200:
                    return False, f"{path} is not answered before."
        digest = "sha256-" + hashlib.sha256(bytes_).hexdigest()
        blocks = [("tvmaze/show/2", "Order 2"), ("https://static.tvmaze.com/o/1.png", None), (digest, "Order 3")]
        for target, reason in blocks:
            done = _command(service, "block", target, *(["--reason", reason] if reason else []))
            if done.returncode:
                return False, f"block {target}: {done.stderr.strip()[-300:]}"
        asked = len([url for url in played.asked if url.startswith("static")])

        def shown():
            for name in names:
                for path in (f"/t/m/{name}", f"/t/xs/{name}.webp", f"/o/{name}",
                             f"/iiif/3/{urllib.parse.quote(name, safe='')}/full/max/0/default.jpg"):
                    status = service.get(path)[0]
                    if status not in (410, 451):
                        return f"{path} is answered {status}"
            if service.get(f"/b/{digest}")[0] not in (404, 410, 451):
                return "the blob is answered"
            return None

        end = time.monotonic() + 5
        while (wrong := shown()) and time.monotonic() < end:
            time.sleep(0.1)
        if wrong:
            return False, f"Five seconds after the block {wrong}."
        for step in ("purge all", "kill", "gc", "restart"):
            if step == "purge all":
                if _command(service, "cache", "purge", "all").returncode:
                    return False, "cache purge all failed."
            elif step == "gc":
                if _command(service, "cache", "gc").returncode:
                    return False, "cache gc failed."
            else:
                variables = {name: value for name, value in service.environment.items() if name.startswith("VITRINE_FETCH_C")}
                if step == "kill":
                    service.stop(signal.SIGKILL)
                service.restart(None, **variables)
            if wrong := shown():
                return False, f"After {step} {wrong}."
        listed = _command(service, "block", "--list").stdout
        if any(target not in listed for target, _ in blocks):
            return False, f"block --list misses one: {listed}"
        again = [url for url in played.asked if url.startswith("static")][asked:]
        if again:
            return False, f"A blocked picture was fetched: {again}."
        if _command(service, "unblock", "tvmaze/show/2").returncode:
            return False, "unblock failed."
        apis.until(lambda: service.get("/t/m/tvmaze/show/2")[0] == 200, 5)
        if service.get("/t/m/tvmaze/show/2")[0] != 200:
            return False, "It does not come back when its block is lifted."
    return True, "An item, a URL and a digest stay blocked through a purge of all, kill -9 and gc."


def check_full_disk(service):
    """A block that can't be written fails, and is not in force until a restart only."""
    if os.geteuid() == 0:
        return None, "Root can write anything."
    with apis.sites(service) as played:
        _serve(played)
        service.get(f"/t/m/{ITEM}")
        index = pathlib.Path(service.cache) / "v2" / "index"
        for file in index.glob("keepsakes.sqlite*"):
            file.chmod(0o400)
        try:
            status = service.get(f"/admin/block/{ITEM}", TOKEN, "PUT")[0]
        finally:
            for file in index.glob("keepsakes.sqlite*"):
                file.chmod(0o600)
        if status < 500:
            return False, f"It is answered {status}."
        if service.get(f"/t/m/{ITEM}")[0] != 200:
            return False, "It is in force all the same."
    return True, "A block that can't be written fails."
