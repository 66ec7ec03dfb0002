"""A service with a folder and a list of its own, before none of the catalogs: logos with transparent parts, photographs of
all shapes in directories, and a list of two thousand rows."""
import base64
import math
import pathlib
import shutil
import tempfile
import zlib

import visit
from visit import Page, claim, lib

PORT = visit.PORT + 2
BASE = f"http://127.0.0.1:{PORT}"
ROWS = 2_000
SIDE = 240
# Black, white, and colors that a mean of all pixels would hide.
LOGOS = {"black": (0, 0, 0), "white": (255, 255, 255), "green": (20, 160, 70), "red": (200, 30, 40)}
SHAPES = [(600, 400), (400, 600), (500, 500), (900, 400), (480, 640)]
DIRECTORIES = ["2023/Paris in the spring", "2023/Rome", "2024"]


def logo(color):
    """A disc on a transparent ground."""
    middle = (SIDE - 1) / 2
    rows = b"".join(
        b"\0" + b"".join(bytes((*color, 255 if math.hypot(x - middle, y - middle) < SIDE * 0.45 else 0))
                         for x in range(SIDE)) for y in range(SIDE))
    return lib.png(SIDE, SIDE, color=6, data=zlib.compress(rows))


def photograph(number, width, height):
    """Stripes whose colors say which picture it is."""
    colors = [bytes(((number * 53 + stripe * 31) % 200 + 40, (number * 29) % 200 + 40, (stripe * 47) % 200 + 40))
              for stripe in range(8)]
    rows = b"".join(b"\0" + b"".join(colors[(x * 8 // width + y * 8 // height) % 8] for x in range(width))
                    for y in range(height))
    return lib.png(width, height, data=zlib.compress(rows))


def fill(work):
    folder = work / "pictures"
    logos = folder / "logos"
    logos.mkdir(parents=True)
    for name, color in LOGOS.items():
        (logos / f"{name}.png").write_bytes(logo(color))
    originals = [photograph(number, *SHAPES[number % len(SHAPES)]) for number in range(10)]
    for directory in DIRECTORIES:
        (folder / directory).mkdir(parents=True)
        for number in range(60):
            (folder / directory / f"IMG-{number:03}.png").write_bytes(originals[number % len(originals)])
    return originals


class Own:
    """The service, while it runs. `settings` are added to its configuration."""

    def __init__(self, program, settings=""):
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="vitrine-gallery-own-"))
        originals = fill(self.work)
        self.origin = lib.Files({f"/{number}.png": original for number, original in enumerate(originals)})
        rows = self.work / "products.csv"
        rows.write_text("sku,title,picture\n" + "".join(
            f"P{number:05},Product {number},http://127.0.0.1:{self.origin.port}/{number % 10}.png\n"
            for number in range(ROWS)))
        (self.work / "own.yaml").write_text(
            f"userData: auto\nfolders: {{pictures: {{path: {self.work / 'pictures'}, title: Family pictures}}}}\n"
            f"lists: {{products: {{file: {rows}, title: Products}}}}\n" + settings)
        self.process = lib.start(
            [program, "serve", "--port", PORT, "--cache", self.work / "cache", "--config", self.work / "own.yaml",
             "--allow-network", "127.0.0.0/8"], self.work / "log")
        lib.wait_until_served(PORT, self.process, self.work / "log")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        lib.stop(self.process)
        shutil.rmtree(self.work, ignore_errors=True)


# The colors of a screenshot: the middle of a box, its corners, and the spread of the corners.
COLORS = """async ([shot, [left, top, width, height]]) => {
  const image = new Image();
  image.src = `data:image/png;base64,${shot}`;
  await image.decode();
  const canvas = new OffscreenCanvas(image.width, image.height);
  const context = canvas.getContext('2d', { willReadFrequently: true });
  context.drawImage(image, 0, 0);
  const mean = (x, y, side) => {
    const { data } = context.getImageData(x, y, side, side);
    const sums = [0, 0, 0];
    for (let at = 0; at < data.length; at += 1) if (at % 4 < 3) sums[at % 4] += data[at];
    return sums.map((sum) => Math.round(sum / side / side));
  };
  const side = Math.round(width * 0.08);
  const edge = Math.round(width * 0.04);
  return { middle: mean(left + width / 2 - side / 2, top + height / 2 - side / 2, side),
    corners: [[left + edge, top + edge], [left + width - edge - side, top + height - edge - side]]
      .map(([x, y]) => mean(x, y, side)) };
}"""


def logos(browser, tools, program):
    """Pictures with transparent parts, at the first and the second visit, in the list and large."""
    with Own(program):
        for scheme in ("light", "dark"):
            for visited in ("first", "second"):
                # A context of its own: nothing is kept by the browser.
                page = Page(browser, base=BASE, reduced_motion="reduce", color_scheme=scheme, **tools)
                page.open("/?in=source-pictures&dir=logos", tiles=len(LOGOS))
                page.wait(page.all_there)
                page.page.wait_for_timeout(800)
                faults = []
                for name, color in LOGOS.items():
                    frame = page.page.locator(f"#grid [data-item='pictures/file/logos/{name}.png'] .frame")
                    faults += fault(page, frame, name, color)
                claim(not faults, f"logos are discs on a neutral ground at the {visited} visit, in {scheme} colors", "; ".join(faults))
                page.picture(f"logos-{visited}-{scheme}")
                faults = []
                page.page.locator("#grid a.open").first.click()
                for _ in LOGOS:
                    title = page.text("#detail h2")
                    sharp = "document.querySelector('#stage .picture > img:last-of-type')?.src.includes('/t/')"
                    page.wait(lambda: page.run(sharp))
                    page.page.wait_for_timeout(400)
                    name = title.split(".")[0]
                    faults += fault(page, page.page.locator("#stage .picture"), name, LOGOS[name])
                    page.picture(f"logo-{name}-{visited}-{scheme}")
                    page.page.keyboard.press("ArrowRight")
                    page.page.wait_for_timeout(300)
                claim(not faults, "and so they are when they are large", "; ".join(faults))
                claim(not page.errors, "without an error", "; ".join(page.errors[:3]))
                page.close()


def fault(page, place, name, color):
    """What is wrong with a logo: its middle has its color, and its corners have another, which is gray."""
    box = place.bounding_box()
    shot = base64.b64encode(page.page.screenshot()).decode()
    seen = page.run(COLORS, [shot, [round(box[side]) for side in ("x", "y", "width", "height")]])
    apart = lambda one, other: max(abs(a - b) for a, b in zip(one, other))
    faults = []
    if apart(seen["middle"], color) > 24:
        faults.append(f"{name} is {seen['middle']}")
    for corner in seen["corners"]:
        if apart(corner, color) < 24 or max(corner) - min(corner) > 16:
            faults.append(f"{name} stands on {corner}")
    return faults


# Tabs that are cut by an end of the bar which doesn't fade.
CUT = """() => {
  const bar = document.querySelector('#sections');
  const { left, right } = bar.getBoundingClientRect();
  const style = getComputedStyle(bar);
  const fades = (name) => parseFloat(style.getPropertyValue(name)) > 0;
  return [...bar.children].filter((tab) => {
    const box = tab.getBoundingClientRect();
    return (box.left < left - 1 && !fades('--before')) || (box.right > right + 1 && !fades('--after'));
  }).map((tab) => tab.textContent);
}"""


def operator(browser, tools, program):
    """A folder and a list of one's own."""
    with Own(program):
        page = Page(browser, base=BASE, **tools)
        page.open("/", tiles=0)
        tabs = page.page.locator("#sections a").all_inner_texts()
        claim(tabs[:2] == ["Family pictures", "Products"] or tabs[:2] == ["Products", "Family pictures"],
              "one's own tabs come first", ", ".join(tabs))
        claim(not any("no credentials" in tab for tab in tabs), "catalogs without credentials have no tab beside them")
        claim(page.run("document.querySelector('#sections a').getAttribute('aria-current')") == "page", "and are what the page opens with")
        cut = {}
        for width in (320, 390, 700, 844, 1024, 1280, 1440):
            page.page.set_viewport_size({"width": width, "height": 800})
            for way in (0, 200, 9999):
                page.run("(x) => { document.querySelector('#sections').scrollLeft = x; }", way)
                page.page.wait_for_timeout(60)
                cut |= {(width, way): tabs for tabs in [page.run(CUT)] if tabs}
        claim(not cut, "no tab is cut where the bar doesn't fade", cut or "")
        page.page.set_viewport_size({"width": 390, "height": 800})
        page.run("document.querySelector('#sections').scrollLeft = 0")
        box = page.page.locator("#sections").bounding_box()
        page.page.mouse.move(box["x"] + 40, box["y"] + 10)
        page.page.mouse.wheel(0, 200)
        claim(page.wait(lambda: page.run("document.querySelector('#sections').scrollLeft") > 50, 3), "the wheel moves the tabs")
        page.page.set_viewport_size({"width": 1400, "height": 900})
        directories(page)
        page.close()


def directories(page):
    page.open("/?in=source-pictures&dir=2023", tiles=0)
    here = page.page.locator("#directories [aria-current]")
    claim(page.wait(lambda: here.count() == 1 and here.inner_text() == "2023"), "a directory says which it is",
          page.text("#directories"))
    claim("Nothing" not in page.text("#more"), "one that only has directories is not empty", page.text("#more"))
    claim(page.page.title() == "2023 – Family pictures – Vitrine", "and the title of the page has its name", page.page.title())
    page.picture("own-directory")
    page.page.locator("#directories").get_by_text("Paris in the spring").click()
    page.wait(lambda: page.tiles() > 5 and page.all_there())
    lines = set(page.run("[...document.querySelectorAll('#grid .line')].map((line) => line.textContent)"))
    claim(lines == {""}, "captions repeat neither the directory nor the year of a file", ", ".join(lines))
    page.page.wait_for_timeout(1200)
    widths = page.run("new Set([...document.querySelectorAll('#grid .frame')].map((frame) => Math.round(frame.clientWidth / frame.clientHeight * 10))).size")
    claim(widths >= 4, "photographs stand in rows, in their shapes", f"{widths} shapes")
    page.picture("own-photographs")
    page.page.locator("#directories").get_by_text("Family pictures").click()
    claim(page.wait(lambda: "dir=" not in page.page.url), "the way leads back", page.page.url.removeprefix(BASE))
    page.page.locator("#as-list").click()
    page.page.locator("#list").select_option(label="All")
    page.wait(lambda: page.tiles() > 5)
    names = page.run("[...document.querySelectorAll('#columns span')].filter((name) => name.checkVisibility()).map((name) => name.textContent)")
    claim(names[:2] == ["Title", "Directory"] and "Year" not in names, "the table of a folder names directories", ", ".join(names))
    page.picture("own-table")
    # Names of columns stand over them, whatever is missing.
    apart = page.run("""() => {
        const shown = (parts) => [...parts].filter((part) => part.checkVisibility()).map((part) => part.getBoundingClientRect().left);
        const [names, texts] = [shown(document.querySelectorAll('#columns span')),
          shown(document.querySelectorAll('#grid .row:nth-child(2) :is(.caption > b, .line > span)'))];
        return Math.max(...names.slice(0, 2).map((left, column) => Math.abs(left - texts[column])));
    }""")
    claim(apart < 1, "under their own names", f"{apart:.1f} px apart")
    page.page.locator("#as-grid").click()
    page.open("/?in=source-products", tiles=5)
    page.page.locator("#as-list").click()
    names = page.run("[...document.querySelectorAll('#columns span')].filter((name) => name.checkVisibility()).map((name) => name.textContent)")
    claim("Genre" not in names and "Year" not in names, "a list has no columns that it has nothing for", ", ".join(names))
    page.page.locator("#as-grid").click()
    left = page.run("(() => [document.querySelector('#count').getBoundingClientRect().left, document.querySelector('#grid').getBoundingClientRect().left])()")
    claim(abs(left[0] - left[1]) < 1, "the footer begins where the pictures do", left)
