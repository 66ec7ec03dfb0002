"""Reproductions about catalogs and signed URLs. Each check raises AssertionError with what went wrong.

`service` is a running service: `.base` (http://127.0.0.1:PORT), `.log` (path of its standard error) and
`.restart(**environment)`, which restarts it with a cold cache and these variables."""
import contextlib
import pathlib
import re
import threading
import time

from service import lib

COLD_RESTARTS = True
KEY = "akeyoftheauditofcatalogs"


def picture():
    rows = b"".join(b"\0" + bytes((x * 7 + y) & 255 for x in range(300)) for y in range(400))
    return lib.png(300, 400, rows, color=0)


@contextlib.contextmanager
def origin(released):
    """Answers with a picture at once, for `slow.test` once `released` is set, and for /broken with no picture."""
    content = picture()

    def answer(handler):
        if handler.headers["Host"].startswith("slow.test"):
            released.wait(120)
        is_broken = handler.path.startswith("/broken")
        handler.answer(200, b"<p>" if is_broken else content, {"Content-Type": "text/html" if is_broken else "image/png"})

    server = lib.Files(lib.Always(answer))
    try:
        yield server.port
    finally:
        released.set()
        server.close()


def restart(service, port):
    service.restart(
        VITRINE_URL_KEYS=KEY, VITRINE_FETCH_ALLOW_NETWORKS="127.0.0.0/8", VITRINE_LOG_LEVEL="debug",
        VITRINE_FETCH_CONNECT_TO=f"slow.test:80:127.0.0.1:{port},quick.test:80:127.0.0.1:{port}")


def signed(url, level="s", expires=None):
    return lib.signed(url, level, KEY, expires)


def check_fair_shares(service):
    """Item 9: 340 cold pictures of a host that doesn't answer hold back no picture of another."""
    released = threading.Event()
    with origin(released) as port:
        restart(service, port)
        results = []
        flood = [
            threading.Thread(
                target=lambda n=n: results.append(service.status(signed(f"http://slow.test/{n}.png"), 60)), daemon=True)
            for n in range(340)]
        for one in flood:
            one.start()
        end = time.monotonic() + 20
        # Those that there is no room for are refused at once.
        while len(results) < 20 and time.monotonic() < end:
            time.sleep(0.1)
        began = time.monotonic()
        codes = [service.status(signed(f"http://quick.test/{n}.png"), 30) for n in range(5)]
        took = time.monotonic() - began
        still = 340 - len(results)
        released.set()
        for one in flood:
            one.join(60)
        assert codes == [200] * 5, f"pictures of another host: {codes} after {took:.1f} s"
        assert still > 200, f"only {still} pictures of the slow host still waited"
        assert set(results) <= {200, 503}, f"the flood was answered {sorted(set(results))}"


def check_signed_urls_are_not_logged(service):
    """Item 18: no line of the log holds a signed URL, its encoding or its token."""
    with origin(threading.Event()) as port:
        restart(service, port)
        url = "http://quick.test/broken.png?token=geheimes-wort"
        path = signed(url)
        code = path.split("/")[4]
        for one in (path, path.replace("/url/", "/%75rl/"), path + ".jpg", path.replace("/s/", "/m/")):
            service.status(one, 30)
        log = pathlib.Path(service.log).read_text(errors="replace")
        assert "url/image/quick.test#" in log, "the failure is not logged at all"
        for secret in ("geheimes-wort", path.split("/")[-1][:40], code):
            assert secret not in log, f"the log holds {secret[:20]}…"


def check_links_that_end(service):
    """Item 19: a link of 3 s was answered with max-age=604799, so that caches honored it for a week."""
    with origin(threading.Event()) as port:
        restart(service, port)
        seen = []
        for url, wanted in (("http://quick.test/ends.png", 200), ("http://quick.test/broken.png", 415)):
            expires = int(time.time()) + 20
            path = signed(url, expires=expires)
            tag = None
            # A miss, hits, and what a client has already.
            for fields in ({}, {}, {}, {"If-None-Match": "tag"}, {"Accept": "text/plain"}):
                fields = {name: tag or value if value == "tag" else value for name, value in fields.items()}
                left = expires - int(time.time())
                code, headers, _ = service.get(path, fields)
                tag = headers.get("etag", tag)
                assert code in (wanted, 304), f"{url} was answered {code}"
                control = headers.get("cache-control", "")
                found = dict(re.findall(r"([a-z-]+)=(\d+)", control))
                longest = int(found.get("max-age", 0)) + max(
                    int(found.get(name, 0)) for name in ("stale-while-revalidate", "stale-if-error"))
                assert "max-age" in found and longest <= left + 1, (
                    f"a link with {left} s left was answered {code} with {control}")
                seen.append(code)
        path = signed("http://quick.test/ends.png", expires=int(time.time()) - 1)
        code = service.status(path, 30)
        assert code in (403, 410), f"a link that has ended was answered {code}"
    return True, f"Nobody keeps a link's picture for longer than the link counts ({len(seen)} answers, then {code})."


def check_hostile_numbers(service):
    """Item 1: sizes that no picture has end neither the service nor the answer; see also `make fuzz-catalogs`."""
    for number in (9223372036854775807, -9223372036854775808, 10**30):
        for path in (f"/v1/tvmaze/shows?page={number}", f"/v1/tmdb/movies/popular?page={number}",
                     f"/t/s/tvmaze/show/{number}", f"/t/s/url/x/YQ?expires={number}"):
            code = service.status(path, 30)
            assert 400 <= code < 600, f"{path}: {code}"
    assert service.status("/healthz", 10) == 200


def check_bytes_after_a_response(service):
    """What an origin sends after a response made the next request on that connection fail, and that was remembered."""
    body = picture()

    def untidy(handler):
        handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
        handler.wfile.flush()
        time.sleep(0.1)
        # The next request of this connection gets the rest of this response first.
        handler.rfile.readline()
        while handler.rfile.readline().strip():
            pass
        handler.wfile.write(b"<html>the body of a 304</html>\r\n\r\n")
        handler.close_connection = True

    service.origin.files["/first.png"] = untidy
    first = service.get(service.picture("first.png"))[0]
    second = service.get(service.picture("second.png", body))[0]
    return (first, second) == (200, 200), f"answers {first} and {second}"
