"""What catalogs answer, and how often they are asked. Their hosts are played over TLS, on loopback."""
import concurrent.futures
import contextlib
import json
import os
import pathlib
import subprocess
import threading
import time

from service import lib

HOSTS = [
    "api.tvmaze.com", "static.tvmaze.com", "data.rijksmuseum.nl", "id.rijksmuseum.nl", "iiif.micr.io",
    "itunes.apple.com", "is1-ssl.mzstatic.com", "accounts.spotify.com", "api.spotify.com"]
POSTER = lib.png(120, 180)


class Sites:
    """Answers each URL of `pages` (without its scheme) with JSON, bytes, (status, JSON), or what a function of the
    call's number says; 404 otherwise. While `released` is unset, all wait."""

    def __init__(self, directory):
        certificate, key = os.path.join(directory, "sites.pem"), os.path.join(directory, "sites.key")
        names = ",".join(f"DNS:{host}" for host in HOSTS)
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days",
             "2", "-subj", "/CN=audit", "-addext", f"subjectAltName={names}", "-keyout", key, "-out", certificate],
            check=True, capture_output=True)
        self.certificate = certificate
        self.pages, self.asked, self.lock = {}, [], threading.Lock()
        self.released = threading.Event()
        self.released.set()
        self.server = lib.Files(lib.Always(self.answer), certificate, key)
        self.port = self.server.port

    def answer(self, handler):
        handler.rfile.read(int(handler.headers.get("Content-Length", 0)))
        url = handler.headers["Host"] + handler.path
        with self.lock:
            self.asked.append(url)
            count = self.asked.count(url)
        self.released.wait(120)
        page = self.pages.get(url, (404, {}))
        page = page(count) if callable(page) else page
        status, page = page if isinstance(page, tuple) else (200, page)
        body = page if isinstance(page, bytes) else json.dumps(page).encode()
        handler.answer(status, body, {"Content-Type": "image/png" if body is page else "application/json"})

    def count(self, part):
        with self.lock:
            return sum(part in url for url in self.asked)

    def close(self):
        self.released.set()
        self.server.close()


@contextlib.contextmanager
def sites(service, settings=None, **variables):
    """Sites, and the service restarted so that it finds them under their names."""
    played = Sites(service.directory)
    try:
        service.restart(
            settings, VITRINE_FETCH_CA_FILE=played.certificate,
            VITRINE_FETCH_CONNECT_TO=",".join(f"{host}:443:127.0.0.1:{played.port}" for host in HOSTS), **variables)
        yield played
    finally:
        played.close()


def show(number):
    return {"id": number, "name": f"Show {number}", "image": {
        "medium": f"https://static.tvmaze.com/m/{number}.png", "original": f"https://static.tvmaze.com/o/{number}.png"}}


def until(is_so, seconds=30):
    end = time.monotonic() + seconds
    while not is_so() and time.monotonic() < end:
        time.sleep(0.05)
    return is_so()


def many(count, action):
    """The results of as many threads at once."""
    results = []
    threads = [threading.Thread(target=lambda n=n: results.append(action(n))) for n in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def check_sizes_that_no_picture_has(service):
    """Item 1: an info.json of the museum's image server with a width of 2^63 - 1 ended the process."""
    most = 2**63 - 1
    infos = [
        {"width": most, "height": most}, {"width": most, "height": 1}, {"width": 1, "height": most},
        {"width": -most, "height": -1}, {"width": 0, "height": 0}, {"width": 10**30, "height": 1e308},
        {"width": 300, "height": 400, "maxWidth": most, "maxArea": most},
        {"width": 300, "height": 400, "maxWidth": 1, "maxHeight": -most, "maxArea": -1}]
    with sites(service) as played:
        for number, info in enumerate(infos, 1):
            def record(part, kind, fields):
                link = f"https://id.rijksmuseum.nl/{number}{part}"
                played.pages[f"id.rijksmuseum.nl/{number}{part}"] = {"id": link, "type": kind, **fields}
                return [{"id": link}]
            picture = f"iiif.micr.io/Audit{number}"
            digital = record(
                "02", "DigitalObject", {"access_point": [{"id": f"https://{picture}/full/max/0/default.jpg"}]})
            visual = record("01", "VisualItem", {"digitally_shown_by": digital})
            record("", "HumanMadeObject", {"shows": visual})
            played.pages[f"{picture}/info.json"] = info
            for size in ("!160,240", "!1,1", "!160,1", "!1,240", "!80,120", "!160,213"):
                played.pages[f"{picture}/full/{size}/0/default.jpg"] = POSTER
            status = service.get(f"/t/s/rijksmuseum/object/{number}")[0]
            asked = [url for url in played.asked if "/full/" in url][-1:]
            assert status in (200, 404), f"{info} was answered {status}, after {asked}"
            assert service.is_alive(), f"{info} ended the service"
        assert played.count("info.json") == len(infos), f"info.json was asked for {played.count('info.json')} times"
        assert played.count("/full/") >= len(infos), "no picture was asked for"
    return True, f"{len(infos)} impossible sizes of a picture are survived."


def index_growth(service, action):
    """KB that the index' log grows by, while a reader keeps the log from being restarted."""
    import sqlite3
    path = pathlib.Path(service.cache) / "v2/index/pictures.sqlite"
    reader = sqlite3.connect(f"file:{path}?mode=ro", uri=True, isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM sqlite_master").fetchone()
    log = path.with_name(path.name + "-wal")

    def size():
        # Writes go on behind the answers.
        sizes = [0, log.stat().st_size]
        while sizes[-1] != sizes[-2]:
            time.sleep(0.5)
            sizes.append(log.stat().st_size)
        return sizes[-1]
    before = size()
    result = action()
    grown = size() - before
    reader.execute("COMMIT")
    reader.close()
    return grown >> 10, result


def check_herd_on_a_page(service):
    """Item 17: each of those who waited for a cold page wrote its 250 items once more."""
    with sites(service) as played:
        for page in (0, 1):
            played.pages[f"api.tvmaze.com/shows?page={page}"] = [
                show(page * 250 + number) for number in range(1, 251)]
        one, status = index_growth(service, lambda: service.get("/v1/tvmaze/shows?page=1")[0])
        assert status == 200 and one > 100, f"a page alone: {status}, {one} KB"
        played.released.clear()
        threading.Timer(3, played.released.set).start()
        herd, statuses = index_growth(
            service, lambda: many(100, lambda _: service.get("/v1/tvmaze/shows?page=0")[0]))
        asked = played.count("shows?page=0")
        assert statuses == [200] * 100, f"the herd was answered {sorted(set(statuses))}"
        assert asked == 1, f"the source was asked {asked} times"
        assert herd < 2 * one, f"100 who wait for a page wrote {herd} KB, and one {one} KB"
    return True, f"100 requests for a cold page asked its source once, and wrote {herd} KB; one alone writes {one} KB."


def check_refusals_of_spotify(service):
    """Item 23: any 400 of Spotify counted as "there is no such thing" for a day."""
    credentials = {"VITRINE_SPOTIFY_CLIENT_ID": "audit", "VITRINE_SPOTIFY_CLIENT_SECRET": "audit"}
    with sites(service, {"freshness.unavailable": "1s"}, **credentials) as played:
        played.pages["accounts.spotify.com/api/token"] = {"access_token": "audit", "expires_in": 3600}
        album, gone = "1AuditAuditAuditAudit01", "1AuditAuditAuditAudit02"
        limit = {"error": {"status": 400, "message": "Invalid limit"}}
        found = {"id": album, "name": "Mended", "type": "album", "images": [], "artists": [{"name": "Audit"}]}
        played.pages[f"api.spotify.com/v1/albums/{album}"] = lambda count: (400, limit) if count == 1 else found
        played.pages[f"api.spotify.com/v1/albums/{gone}"] = (400, {"error": {"status": 400, "message": "Invalid base62 id"}})
        first = service.get(f"/v1/spotify/album/{album}")[0]
        assert first != 404, "a 400 about a limit counts as an album that does not exist"
        mended = until(lambda: service.get(f"/v1/spotify/album/{album}")[0] == 200)
        assert mended, "the album is not asked for again after its source is well"
        statuses = [service.get(f"/t/s/spotify/album/{gone}", {"Accept": "text/plain"})[0] for _ in range(3)]
        asked = played.count(gone)
        assert statuses == [404] * 3 and asked == 1, f"an id that Spotify calls invalid: {statuses}, asked {asked} times"
    return True, f"A 400 about a limit is answered {first} and asked again; one about the id is remembered."


def check_album_of_songs_only(service):
    """Item 26: a look-up of iTunes that holds songs and no album told neither the album nor its cover."""
    with sites(service) as played:
        cover = "is1-ssl.mzstatic.com/image/thumb/audit"
        played.pages["itunes.apple.com/lookup?id=77&entity=song&limit=200"] = {"resultCount": 2, "results": [
            {"wrapperType": "track", "kind": "song", "collectionId": 77, "collectionName": "Only Songs", "trackName": name,
             "artistName": "Audit", "trackNumber": number, "discNumber": 1,
             "artworkUrl100": f"https://{cover}/100x100bb.jpg"}
            for number, name in enumerate(["First", "Second"], 1)]}
        played.pages[f"{cover}/160x160bb.jpg"] = POSTER
        status, _, body = service.get("/v1/itunes/album/77")
        assert status == 200, f"the album was answered {status}; asked: {played.asked}"
        album = json.loads(body)
        assert album["title"] == "Only Songs" and len(album.get("tracks", [])) == 2, f"the album is {album}"
        status, headers, _ = service.get("/t/s/itunes/album/77")
        assert status == 200 and headers["content-type"].startswith("image/"), f"its cover was answered {status}"
    return True, "An album is told by its songs, with its cover."


def check_favorites(service):
    """Item 11: favorites were without bound, and a list of them asked their source for each, one after the other."""
    count, a_minute = 100, 30
    with sites(service) as played:
        played.released.clear()
        with concurrent.futures.ThreadPoolExecutor(16) as clients:
            statuses = list(clients.map(
                lambda n: service.get(f"/v1/favorites/tvmaze/show/{n}", method="PUT", timeout=60)[0], range(1, count + 1)))
        assert statuses == count * [201], f"{count} favorites were answered {sorted(set(statuses))}"
        # The source answers nothing: a list that waits for it is not answered either.
        for _ in range(5):
            status, _, body = service.get("/v1/favorites", timeout=30)
            assert status == 200 and len(json.loads(body)["items"]) == count, f"the list was answered {status}"
        held = played.count("api.tvmaze.com")
        assert held <= 1, f"{held} calls of the API at once for a list of favorites"
        played.pages.update({f"api.tvmaze.com/shows/{n}": show(n) for n in range(1, count + 1)})
        played.released.set()
        told = until(lambda: b"Show " in service.get("/v1/favorites")[2])
        assert told, "what is missing is never looked up"
        until(lambda: played.count("api.tvmaze.com") >= a_minute)
        time.sleep(2)
        service.get("/v1/favorites")
        asked = played.count("api.tvmaze.com")
        # Two, where a minute ends meanwhile.
        assert asked <= 2 * a_minute, f"{asked} calls of the API for {count} favorites, with {a_minute} a minute"
    return True, f"A list of {count} favorites waits for no source, which was asked {asked} times."


def check_answer_that_becomes_a_tree(service):
    """An answer of 16 MB became a tree of 250 to 500 MB, and /healthz waited more than 5 s."""
    answers = {
        "lists": b"[" + b"[1]," * ((15 << 20) // 4) + b"[1]]",
        "objects": b"[" + b'{"a":1},' * ((15 << 20) // 8) + b"1]",
        "shows": b"[" + b",".join(b'{"id":%d}' % number for number in range(1, 900_000)) + b"]"}
    with sites(service) as played:
        slowest, most = 0, 0
        for number, (name, body) in enumerate(answers.items()):
            played.pages[f"api.tvmaze.com/shows?page={number}"] = body
            before = service.memory()
            done = threading.Event()
            codes = []
            askers = [
                threading.Thread(
                    target=lambda: codes.append(service.status(f"/v1/tvmaze/shows?page={number}", 120)), daemon=True)
                for _ in range(4)]
            for asker in askers:
                asker.start()
            threading.Thread(target=lambda: [asker.join() for asker in askers] and done.set(), daemon=True).start()
            while not done.wait(0.05):
                began = time.monotonic()
                assert service.status("/healthz", 30) == 200, f"{name}: /healthz doesn't answer"
                slowest = max(slowest, time.monotonic() - began)
                most = max(most, service.memory() - before)
            assert set(codes) <= {200, 502, 503}, f"{name}: {codes}"
        assert slowest < 2, f"/healthz waited {slowest:.1f} s"
        assert most < 128, f"{most} MB more were used"
    return True, f"/healthz waited at most {slowest:.2f} s, and {most} MB more were used"
