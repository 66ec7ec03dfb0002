"""One hostile picture ends or stalls the service."""
import base64
import gzip
import pathlib
import signal
import struct
import threading
import time

from lib import chunk, png


def box(kind, data):
    return struct.pack(">I", 8 + len(data)) + kind + data


HUGE = 0xFFFFFFFF
HEADERS = {
    "codestream.j2k": b"\xff\x4f\xff\x51" + struct.pack(">HHIIIIIIIIH", 41, 0, HUGE, HUGE, 0, 0, 1, 1, 0, 0, 1) + b"\7\1\1",
    "boxes.jp2": box(b"jP  ", b"\r\n\x87\n") + box(b"ftyp", b"jp2 \0\0\0\0jp2 ")
    + struct.pack(">I4sQ", 1, b"jp2h", 0xFFFFFFFFFFFFFFFF) + b"\0" * 40,
    "lowest.bmp": struct.pack("<2sIIIIiiHHIIiiII", b"BM", 82, 0, 54, 40, 2**31 - 1, -2**31, 1, 32, 0, 0, 0, 0, 0, 0),
    "largest.png": b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", HUGE, HUGE, 16, 6, 0, 0, 1)),
    "directory.tif": struct.pack("<2sHIH", b"II", 42, HUGE - 1, 1) + b"\0" * 64,
    "entries.tif": struct.pack("<2sHIH", b"II", 42, 8, 0xFFFF) + struct.pack("<HHII", 256, 4, HUGE, HUGE) * 8,
    "big.tif": struct.pack("<2sHHHQ", b"II", 43, 8, 0, 2**64 - 9) + b"\0" * 64,
    "extents.heic": box(b"ftyp", b"heic\0\0\0\0mif1heic") + struct.pack(">I4sQ", 1, b"meta", 2**63 + 7) + b"\xff" * 64,
    "wide.webp": b"RIFF" + struct.pack("<I", HUGE) + b"WEBPVP8X" + struct.pack("<I", HUGE) + b"\xff" * 18,
    "window.exr": b"\x76\x2f\x31\x01\x02\0\0\0" + b"dataWindow\0box2i\0"
    + struct.pack("<Iiiii", 16, -2**31, -2**31, 2**31 - 1, 2**31 - 1) + b"\0",
    "resolution.hdr": b"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 9223372036854775807 +X 9223372036854775807\n",
    "side.svg": b'<svg xmlns="http://www.w3.org/2000/svg" width="1e308" height="1e308" viewBox="0 0 1e-308 1"/>',
}


def check_hostile_headers(service):
    for name, content in HEADERS.items():
        status = service.get(service.picture(name, content))[0]
        if status != 415 or not service.is_alive():
            return False, f"{name} got {status}, the service {'lives' if service.is_alive() else 'died'}"
    return True, f"{len(HEADERS)} headers with the largest numbers are refused with 415"


def check_inflated_svg(service):
    """40 svgz of 10 KB, each 8 MB when inflated, used to stall every request for seconds."""
    body = b'<svg xmlns="http://www.w3.org/2000/svg" ' + b" " * 8_000_000 + b'width="9" height="9"></svg>'
    paths = [service.picture(f"{n}.svgz", gzip.compress(body + b"<!-- %d -->" % n, 9)) for n in range(40)]
    service.get("/healthz")
    threads = [threading.Thread(target=lambda path=path: service.get(path, timeout=120)) for path in paths]
    for thread in threads:
        thread.start()
    slowest = 0.0
    while any(thread.is_alive() for thread in threads):
        began = time.time()
        service.get("/healthz")
        slowest = max(slowest, time.time() - began)
        time.sleep(0.01)
    return slowest < 0.5, f"/healthz took at most {slowest:.2f} s beside 40 inflating SVGs"


def check_pictures_of_a_dead_process(service):
    """Items 1, 2: nothing was recorded of a picture that the service died of, so that it killed the next start, too."""
    path = service.picture("large.png", png(4500, 4500), level="xs")
    threading.Thread(target=lambda: status_of(service, path), daemon=True).start()
    end = time.time() + 60
    while not service.metrics().get("vitrine_render_running") and time.time() < end:
        time.sleep(0.01)
    service.stop(signal.SIGKILL)
    notice = "a process died during renders"
    before = pathlib.Path(service.log).read_text().count(notice)
    service.start()
    if pathlib.Path(service.log).read_text().count(notice) != before + 1:
        return False, "a picture that was being rendered when the service died is not noted"
    status = service.get(path, timeout=120)[0]
    service.restart()
    again = pathlib.Path(service.log).read_text().count(notice) - before - 1
    return status == 200 and not again, f"it is rendered alone after the next start: {status}, then noted {again} times"


def check_avif_after_a_restart(service):
    """Item 12: the key of an AVIF held the versions of its encoder, or none, by what had been rendered before."""
    path = service.picture("one.png", png(300, 200))
    # A PNG starts libvips.
    statuses = [service.get(path + kind)[0] for kind in (".png", ".avif")]
    service.restart()
    status, headers, _ = service.get(path + ".avif")
    cached = headers.get("cache-status", "")
    holds = [*statuses, status] == [200, 200, 200] and "hit" in cached
    return holds, f"after a restart the AVIF is answered {status} with Cache-Status: {cached}"


# A tile of 64×64 pixels, as x265 encodes it: its settings and its data.
TILE_SETTINGS = base64.b64decode(
    "AQNwAAAAAAAAAAAAHvAA/P34+AAADwMgAAEAGEABDAH//wNwAAADAJAAAAMAAAMAHroCQCEAAQArQgEBA3AAAAMAkAAAAwAAAwAeoCCB"
    "BZbqSSmubgQEDAgAAAMACAAAAwAIQCIAAQAHRAHBcrAiQA==")
TILE = base64.b64decode(
    "AAAAGCgBrxOA5qhw07/xpR//bX54fJhQtJ5v3w==")


def full(kind, data, version=0):
    return box(kind, bytes([version, 0, 0, 0]) + data)


def grid(number, said=(64, 64), canvas=(900, 660)):
    """A HEIC of one tile, which says that size of itself, on a canvas. Each number is another file."""
    kinds = b"".join(full(b"infe", struct.pack(">HH4sB", item, 0, kind, 0), 2) for item, kind in ((1, b"grid"), (2, b"hvc1")))
    properties = box(b"ipco", full(b"ispe", struct.pack(">II", *canvas)) + full(b"ispe", struct.pack(">II", *said))
                     + box(b"hvcC", TILE_SETTINGS) + full(b"pixi", b"\3\10\10\10"))
    properties += full(b"ipma", struct.pack(">IHB2BHB3B", 2, 1, 2, 1, 4, 2, 3, 2, 3, 4))

    def meta(start):
        places = struct.pack(">BBHHHHHIIHHHHII", 0x44, 0, 2, 1, 1, 0, 1, 0, 12, 2, 0, 0, 1, start, len(TILE))
        return full(
            b"meta", full(b"hdlr", b"\0" * 4 + b"pict" + b"\0" * 13) + full(b"pitm", b"\0\1")
            + full(b"iloc", places, 1) + full(b"iinf", struct.pack(">H", 2) + kinds)
            + full(b"iref", box(b"dimg", struct.pack(">HHH", 1, 1, 2))) + box(b"iprp", properties)
            + box(b"idat", struct.pack(">BBBBII", 0, 1, 0, 0, *canvas)))

    kind = box(b"ftyp", b"heic\0\0\0\0mif1heicmiaf")
    return kind + meta(len(kind) + len(meta(0)) + 8) + box(b"mdat", TILE) + box(b"free", struct.pack(">I", number))


def check_memory_of_other_pictures(service):
    """A grid whose tile leaves a hole showed what its child had rendered before: pictures of others."""
    def poster(name, color):
        rows = b"".join(b"\0" + bytes(color) * 680 for _ in range(1000))
        return [service.get(service.picture(f"{name}.png", png(680, 1000, rows)) + kind)[0] for kind in (".png", ".avif")]

    def shown(number):
        return service.get(service.picture(f"{number}.heic", grid(number, said=(900, 660)), level="l") + ".png")

    # The first one in a child of its own. Each says that its tile covers the canvas, which no header contradicts.
    answers, posters = [shown(1)], []
    for number, color in enumerate([(250, 20, 140), (10, 230, 60)], 2):
        posters += poster(f"poster{number}", color)
        answers.append(shown(number))
    if set(posters) != {200}:
        return False, f"the posters are answered {posters}"
    if any(status not in (200, 415) for status, _, _ in answers) or len({body for _, _, body in answers}) != 1:
        sizes = [(status, len(body)) for status, _, body in answers]
        return False, f"a picture with a hole depends on what was rendered before: {sizes}"
    path = service.picture("hole.heic", grid(4), level="l")
    status, _, body = service.get(path, headers={"Accept": "application/json"})
    holds = status == 415 and "64×64 of 900×660" in body.decode("utf-8", "replace")
    return holds, f"a grid with a hole is answered {status}, one that hides it has the same {len(answers[0][2])} bytes each time"


def status_of(service, path):
    try:
        return service.get(path, timeout=120)[0]
    except OSError:
        return 0
