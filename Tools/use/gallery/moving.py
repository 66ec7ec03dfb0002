"""The moving picture of README: a CSV file becomes a wall."""
import html
import io
import json
import pathlib
import re
import tempfile
import time

import visit
from PIL import Image
from visit import Page, claim, lib

PORT = visit.PORT + 3
SIZE = {"width": 1200, "height": 750}
# Of the moving picture.
MOST_BYTES = 1_000_000
SHOWS = 80
# What it takes from origins until the last picture is there, in seconds at most, and pictures of it.
LIMIT, SHOTS = 30, 24
TERMINAL = """<!doctype html><meta charset="utf-8"><style>
body { margin: 0; height: 750px; background: #f7f5f1; display: grid; place-items: center; }
pre { box-sizing: border-box; width: 1100px; height: 560px; margin: 0; padding: 32px 40px; border-radius: 14px;
  background: #1d1b19; color: #f2eee6; font: 20px/1.6 "DejaVu Sans Mono", monospace; overflow: hidden; }
b { color: #f08a5d; }
</style><pre>%s</pre>"""


def files(program, work):
    """Posters of the demo as files with names, and the rows of a CSV that names them."""
    origin = lib.Origin(program, work, SHOWS)
    rows = []
    try:
        shows = json.loads(origin.read("api.tvmaze.com", "/shows?page=0")[1])
        for show in shows:
            url = (show.get("image") or {}).get("original")
            if not url:
                continue
            host, path = re.fullmatch(r"https://([^/]+)(/.*)", url).groups()
            status, body = origin.read(host, path)
            if status != 200 or not is_whole(body):
                continue
            name = re.sub(r"[^a-z0-9]+", "-", show["name"].lower().replace("’", "")).strip("-") + ".jpg"
            (work / "posters" / name).write_bytes(body)
            rows.append((f"P-{len(rows) + 1:03}", show["name"], f"https://pictures.example/0/{name}"))
    finally:
        origin.end()
    return rows


def is_whole(body):
    """Whether it is a picture. The demo also has some that are none."""
    try:
        Image.open(io.BytesIO(body)).load()
    except (OSError, SyntaxError):
        return False
    return True


def csv_to_wall(browser, tools, program):
    """Draws it as DIR/csv-to-wall.webp, if pictures are wanted."""
    directory = tools["pictures"]
    if not directory:
        return
    program = pathlib.Path(program).resolve()
    with tempfile.TemporaryDirectory(prefix="vitrine-gallery-moving-") as place:
        work = pathlib.Path(place)
        (work / "posters").mkdir()
        rows = files(program, work)
        quoted = [",".join(f'"{value}"' if "," in value else value for value in row) for row in rows]
        (work / "posters.csv").write_text("\n".join(["sku,title,picture", *quoted]) + "\n")
        settings = "lists:\n  posters: {file: posters.csv, title: Posters}\n"
        (work / "vitrine.yaml").write_text(settings)
        origin = lib.Origin(program, work, 1, "--pictures", work / "posters", "--latency", "150", "--jitter", "900")
        service = lib.start([program, "serve", "--config", "vitrine.yaml", "--port", PORT, "--cache", "cache", *origin.options()],
                            work / "log", cwd=work)
        try:
            lib.wait_until_served(PORT, service, work / "log")
            shots = terminal(browser, work, settings) + wall(browser, tools)
        finally:
            lib.stop(service)
            origin.end()
    moving = directory / "csv-to-wall.webp"
    first, *rest = [picture for picture, _ in shots]
    first.save(moving, save_all=True, append_images=rest, duration=[time for _, time in shots], loop=0, quality=70, method=6,
               minimize_size=True)
    size = moving.stat().st_size
    claim(size < MOST_BYTES, f"a CSV becomes a wall in {len(shots)} pictures of less than {MOST_BYTES:,} bytes", f"{size:,} bytes")


def terminal(browser, work, settings):
    """The commands, one after the other, with what they print; each for some milliseconds."""
    lines = (work / "posters.csv").read_text().splitlines()[:5]
    log = re.search(r"vitrine: the gallery.*", (work / "log").read_text())
    steps = [("head -5 posters.csv", "\n".join(lines), 1800), ("cat vitrine.yaml", settings.strip(), 1500),
             ("vitrine serve --config vitrine.yaml", log[0] if log else "", 1700)]
    page = browser.new_page(viewport=SIZE)
    said, shots = "", []
    for command, printed, wait in steps:
        said += f"<b>$</b> {html.escape(command)}\n{html.escape(printed)}\n\n"
        page.set_content(TERMINAL % said)
        shots.append((shot(page), wait))
    page.close()
    return shots


def wall(browser, tools):
    """The list in the gallery, while its pictures arrive."""
    page = Page(browser, base=f"http://127.0.0.1:{PORT}", viewport=SIZE, **tools)
    page.page.goto(f"{page.base}/?in=source-posters")
    shots = []
    begin = time.monotonic()
    while (late := time.monotonic() - begin) < LIMIT and len(shots) < SHOTS:
        shots.append((shot(page.page), 180))
        if late > 1 and page.all_there():
            break
    page.wait(page.all_there)
    page.page.wait_for_timeout(800)
    shots.append((shot(page.page), 1200))
    for _ in range(6):
        page.run("scrollBy(0, 110)")
        page.wait(page.all_there)
        page.page.wait_for_timeout(150)
        shots.append((shot(page.page), 150))
    page.page.wait_for_timeout(800)
    shots.append((shot(page.page), 3500))
    claim(page.tiles() > 8 and not page.errors, "a list of a CSV is a wall", f"{page.tiles()} tiles")
    page.close()
    return shots


def shot(page):
    return Image.open(io.BytesIO(page.screenshot())).convert("RGB")
