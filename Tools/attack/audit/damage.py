"""Files of the cache that are damaged, or something else than files, and texts that are made to be read slowly."""
import contextlib
import json
import os
import pathlib
import struct
import time

NUMBERS = [1 << 63, 0, 3, 1 << 40, 1 << 60, (1 << 63) - 1, (1 << 64) - 1]


def configure(service, text):
    """Writes the settings that the service finds in its directory."""
    settings = pathlib.Path(service.directory) / "config" / "vitrine.yaml"
    settings.parent.mkdir(exist_ok=True)
    settings.write_text(text)


@contextlib.contextmanager
def posters(service, lines=None):
    """A list with the name `posters`, and the path of its index."""
    listing = pathlib.Path(service.directory) / "posters.csv"
    listing.write_text("sku,title,poster\n" + "".join(
        lines or [f"S{row},Title {row},http://pictures.test/{row}.png\n" for row in range(20)]))
    configure(service, f"lists:\n  posters: {listing}\n")
    service.restart()
    yield pathlib.Path(service.cache) / "lists" / "posters.index"
    configure(service, "")


def page(service, timeout=60):
    status, _, body = service.get("/v1/posters/pictures", timeout=timeout)
    return status, len(json.loads(body)["items"]) if status == 200 else 0


def logged(service, words):
    return words in pathlib.Path(service.log).read_text("utf-8", "replace")


def check_damaged_list_index(service):
    """One number of lists/NAME.index set to 2^63 ended the process, at each start again."""
    with posters(service) as index:
        assert page(service) == (200, 20), page(service)
        sound = index.read_bytes()
        for place in range(0, 128, 8):
            for number in NUMBERS:
                index.write_bytes(sound[:place] + struct.pack("<Q", number) + sound[place + 8:])
                service.stop()
                service.start()
                found = page(service)
                assert found == (200, 20), f"{number} at {place}: {found}"
        for length in range(0, len(sound), max(1, len(sound) // 16)):
            index.write_bytes(sound[:length])
            service.stop()
            service.start()
            assert page(service) == (200, 20), f"cut to {length} bytes: {page(service)}"
        assert logged(service, "is damaged:"), "the damage is not named"
    return True, f"{16 * len(NUMBERS)} numbers and 16 cuts: each is found, named, and the index made again"


def check_damaged_shared_files(service):
    """Files that processes share, with each of these numbers at their beginning, and cut."""
    assert service.status(service.picture("shared.png", b"no picture")) == 415
    service.stop()
    tree = pathlib.Path(service.cache) / "v2"
    for name in ("shared", "uses", "rendering", "claims"):
        file = tree / name
        sound = file.read_bytes() if file.exists() else b""
        for number in NUMBERS:
            file.write_bytes(struct.pack("<Q", number) * 16 + sound[128:])
            service.start()
            assert service.status("/readyz") == 200, f"{number} in {name}"
            service.stop()
        file.write_bytes(sound[:len(sound) // 2])
        service.start()
        assert service.status("/readyz") == 200, f"{name} cut"
        service.stop()
    service.start()
    return True, "The service starts and is ready with each of them."


def check_other_kinds_of_files(service):
    """A FIFO in the place of a database or an index hung the start, or that list's requests."""
    with posters(service) as index:
        assert page(service) == (200, 20)
        files = [pathlib.Path(service.cache) / "v2/index" / name for name in ("pictures.sqlite", "keepsakes.sqlite")]
        for file in [*files, index]:
            for kind, words in (("pipe", "named pipe"), ("directory", "is a directory"), ("loop", "symbolic links")):
                service.stop()
                size = os.path.getsize(service.log)
                kept = file.with_suffix(".kept")
                file.rename(kept)
                {"pipe": os.mkfifo, "directory": os.mkdir, "loop": lambda path: os.symlink(path, path)}[kind](file)
                began = time.monotonic()
                service.start()
                found = page(service, timeout=10)
                took = time.monotonic() - began
                said = pathlib.Path(service.log).read_text("utf-8", "replace")[size:]
                service.stop()
                if file.is_dir() and not file.is_symlink():
                    file.rmdir()
                else:
                    file.unlink()
                kept.rename(file)
                # Nothing can take the place of a directory.
                expected = 502 if file == index and kind == "directory" else 200
                assert found[0] in (expected, 503) and took < 20, f"{kind} at {file.name}: {found}, {took:.0f} s"
                assert words in said and file.name in said, f"{kind} at {file.name} is not named: {said[-500:]}"
        service.start()
    return True, "Named pipes, directories and loops of links are named, and nothing waits for them."


def check_open_quotation_mark(service):
    """A CSV of 1 MB with a quotation mark that stays open took half an hour of a core."""
    lines = ["S1,One,http://pictures.test/1.png\n", "S2,\"Two\n"] + ["http://pictures.test/a,b,c\n"] * 40_000
    began = time.monotonic()
    with posters(service, lines):
        status, count = page(service)
        took = time.monotonic() - began
        assert status == 200 and count >= 1 and took < 60, f"{status}, {count} rows, {took:.0f} s"
    return True, f"the list is read within {took:.1f} s, with its first row"


def check_title_with_a_place_of_the_page(service):
    """A title that contains {{script}} was filled in by the page's template."""
    listing = pathlib.Path(service.directory) / "posters.csv"
    listing.write_text("sku,poster\nS1,http://pictures.test/1.png\n")
    configure(service, "lists:\n  posters:\n    file: %s\n    title: 'A {{script}} and {{style}}'\n" % listing)
    # The places were filled in in another order by each process.
    for _ in range(6):
        service.restart()
        body = service.get("/")[2]
        assert body.count(b"A {{script}} and {{style}}") >= 1, "the title is not in the page as it is"
        assert body.count(b"<script type=\"module\">") == 1, "the script is in the page twice"
    configure(service, "")
    return True, "The title stands in the page as it was written."
