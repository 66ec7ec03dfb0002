"""A picture of 100 megapixels: every tile of its last layer is seen, before a service with little memory."""
import base64
import pathlib
import re
import shutil
import tempfile

import visit
from visit import Page, claim, lib

SIDE, TILE = 10_000, 512
TILES = -(-SIDE // TILE)
# The pyramid of this picture needs 231 MiB, so renders must have a share of that size.
BUDGET = 576 << 20
# With a share of 219 MiB it can't be made.
TIGHT = 512 << 20
PORT = visit.PORT + 1
BASE = f"http://127.0.0.1:{PORT}"

# Each tile of the last layer has a color of its own, and stripes that no smaller layer shows: two rows are dark and two
# are not, so that the mean of two rows is gray.
COLOR = """const color = (column, row) =>
  [70 + column * 53 % 140, 70 + row * 47 % 140, 70 + (column + row) * 31 % 140];"""

DRAW = "async ([side, tile]) => {" + COLOR + """
  const canvas = new OffscreenCanvas(side, side);
  const context = canvas.getContext('2d', { willReadFrequently: true });
  for (let row = 0; row * tile < side; row += 1) {
    for (let column = 0; column * tile < side; column += 1) {
      context.fillStyle = `rgb(${color(column, row).join(' ')})`;
      context.fillRect(column * tile, row * tile, tile, tile);
    }
  }
  context.fillStyle = 'rgb(0 0 0 / 0.45)';
  for (let y = 1; y < side; y += 4) context.fillRect(0, y, side, 2);
  window.picture = await canvas.convertToBlob({ type: 'image/jpeg', quality: 0.9 });
  return window.picture.size;
}"""

SLICE = """async ([start, end]) => {
  const reader = new FileReader();
  const loaded = new Promise((resolve) => { reader.onload = resolve; });
  reader.readAsDataURL(window.picture.slice(start, end));
  await loaded;
  return reader.result.split(',')[1];
}"""

# Where the picture is on the canvas, and the size of each tile that was drawn.
OBSERVE = """
window.place = null;
window.drawn = {};
const drawImage = CanvasRenderingContext2D.prototype.drawImage;
CanvasRenderingContext2D.prototype.drawImage = function (image, ...rest) {
  if (this.canvas.classList.contains('deep')) {
    const { a, e, f } = this.getTransform();
    window.place = { scale: a, x: e, y: f };
    if (image.src.includes('/iiif/')) drawn[image.src] = [image.naturalWidth, image.naturalHeight];
  }
  return drawImage.call(this, image, ...rest);
};
"""

# The tiles of the last layer that are on the canvas, and those that don't show their color and stripes.
LOOK = "([side, tile]) => {" + COLOR + """
  const canvas = document.querySelector('canvas.deep');
  const { scale, x, y } = window.place;
  const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
  const seen = [];
  const missing = [];
  const reach = 6;
  for (let row = 0; row * tile < side; row += 1) {
    const top = Math.max(0, y + row * tile * scale);
    const bottom = Math.min(canvas.height, y + Math.min(side, (row + 1) * tile) * scale);
    if (bottom - top < 4 * reach) continue;
    for (let column = 0; column * tile < side; column += 1) {
      const left = Math.max(0, x + column * tile * scale);
      const right = Math.min(canvas.width, x + Math.min(side, (column + 1) * tile) * scale);
      if (right - left < 4 * reach) continue;
      const [across, down] = [Math.round((left + right) / 2), Math.round((top + bottom) / 2)];
      const sums = [0, 0, 0];
      let [darkest, lightest] = [765, 0];
      for (let v = down - reach; v < down + reach; v += 1) {
        for (let u = across - reach; u < across + reach; u += 1) {
          const at = 4 * (v * canvas.width + u);
          for (let band = 0; band < 3; band += 1) sums[band] += pixels[at + band];
          const light = pixels[at] + pixels[at + 1] + pixels[at + 2];
          darkest = Math.min(darkest, light);
          lightest = Math.max(lightest, light);
        }
      }
      const wanted = color(column, row).map((value) => value * 0.775);
      const isRight = sums.every((sum, band) => Math.abs(sum / (4 * reach * reach) - wanted[band]) < 18);
      (isRight && lightest - darkest > 60 ? seen : missing).push([column, row]);
    }
  }
  return { seen, missing };
}"""


def draw(browser, path):
    """Writes the picture; the browser draws it. Returns its bytes."""
    context = browser.new_context()
    page = context.new_page()
    size = page.evaluate(DRAW, [SIDE, TILE])
    with open(path, "wb") as file:
        for start in range(0, size, 4 << 20):
            file.write(base64.b64decode(page.evaluate(SLICE, [start, start + (4 << 20)])))
    context.close()
    return size


def start(program, work, folder, budget):
    settings = work / "giant.yaml"
    settings.write_text(f"memory: {{budget: {budget >> 20}MiB}}\nfolders: {{giants: {folder}}}\n")
    shutil.rmtree(work / "cache", ignore_errors=True)
    process = lib.start([program, "serve", "--port", PORT, "--cache", work / "cache", "--config", settings], work / "log")
    lib.wait_until_served(PORT, process, work / "log")
    return process


class View:
    """The zoomed picture: where it is, and the tiles that were seen."""

    def __init__(self, page):
        self.page = page
        self.seen = set()

    @property
    def place(self):
        place = self.page.run("window.place")
        return round(place["x"]), round(place["y"])

    def press(self, key):
        """Presses a key until it changes nothing."""
        before = None
        while (now := self.page.run("window.place")) != before:
            before = now
            self.page.page.keyboard.press(key)
            self.page.page.wait_for_timeout(100)

    def drag(self, across, down):
        """Moves the picture by so many pixels; returns whether it moved."""
        box = self.page.page.locator("canvas.deep").bounding_box()
        mouse = self.page.page.mouse
        x, y = box["x"] + box["width"] / 2 - across / 2, box["y"] + box["height"] / 2 - down / 2
        before = self.place
        mouse.move(x, y)
        mouse.down()
        mouse.move(x + across, y + down, steps=2)
        mouse.up()
        self.page.page.wait_for_timeout(60)
        return self.place != before

    def look(self):
        """Waits until every tile in sight is drawn; returns those that are not."""
        self.page.wait(lambda: not self.page.run(LOOK, [SIDE, TILE])["missing"], seconds=60)
        found = self.page.run(LOOK, [SIDE, TILE])
        self.seen.update(map(tuple, found["seen"]))
        return found["missing"]

    def travel(self):
        """Drags over the whole picture; returns the tiles that were missing."""
        box = self.page.page.locator("canvas.deep").bounding_box()
        across, down = box["width"] - 120, box["height"] - 120
        while self.drag(across, down):
            pass
        missing = self.look()
        while True:
            while self.drag(-across, 0):
                missing += self.look()
            across = -across
            if not self.drag(0, -down):
                return missing
            missing += self.look()


def deep_zoom(browser, tools, program):
    work = pathlib.Path(tempfile.mkdtemp(prefix="vitrine-giant-"))
    try:
        folder = work / "pictures"
        folder.mkdir()
        size = draw(browser, folder / "giant.jpg")
        for budget in (TIGHT, BUDGET):
            process = start(program, work, folder, budget)
            try:
                with lib.PeakMemory(process.pid) as memory:
                    look_at(browser, tools, size) if budget == BUDGET else too_large(browser, tools)
                claim(0 < memory.peak < budget, "the service and its children stay within memory.budget",
                      f"{memory.peak >> 20} of {budget >> 20} MiB")
            finally:
                lib.stop(process)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def too_large(browser, tools):
    """Tiles of this picture can't be made. The service says so at once, or when the first is wanted."""
    page = Page(browser, **tools, observe=OBSERVE, base=BASE, viewport={"width": 2200, "height": 1500})
    page.allowed = ("415", "400")
    page.open("/?in=source-giants&item=giants/file/giant.jpg")
    zoom = page.page.get_by_role("button", name="Zoom", exact=True)
    page.wait(zoom.is_visible, seconds=60)
    page.wait(lambda: page.run("document.querySelector('#stage img')?.naturalWidth ?? 0") > 300, seconds=60)
    # The page knows the original's size if it comes after the levels were made.
    page.open("/?in=source-giants&item=giants/file/giant.jpg")
    page.wait(zoom.is_visible, seconds=60)
    asked = []
    page.page.on("response", lambda answer: answer.status in (400, 415) and asked.append(answer.status))
    zoom.click()
    page.wait(lambda: page.run("window.place !== null"))
    # Beyond what the largest level shows.
    for _ in range(8):
        page.page.keyboard.press("+")
    claim(page.wait(lambda: "Largest level" in page.text(".hint"), seconds=60),
          "a picture that is too large for tiles says so", page.text(".hint"))
    page.page.wait_for_timeout(2000)
    before = len(asked)
    page.page.wait_for_timeout(3000)
    claim(len(asked) == before, "and its tiles are not asked for again", f"{before} refusals")
    claim(page.run("drawn") == {} or page.run("window.place.scale") > 0, "but its largest level is shown")
    page.picture("giant-too-large")
    page.close()


def look_at(browser, tools, size):
    page = Page(browser, **tools, observe=OBSERVE, base=BASE, reduced_motion="reduce", viewport={"width": 2200, "height": 1500})
    page.allowed = ("503", "willReadFrequently")
    statuses, refused = {}, []
    page.page.on("response", lambda answer: "/0/default." in answer.url and statuses.update({answer.url: answer.status}))
    page.page.on("response", lambda answer: answer.status >= 400 and answer.status != 503 and refused.append(answer.url))
    failed = []

    def fail_once(route):
        failed.append(route.request.url)
        if len(failed) == 1:
            route.fulfill(status=503, headers={"Retry-After": "1"})
        else:
            route.continue_()

    page.page.route("**/5120,5120,512,512/512,512/0/default.jpg", fail_once)
    page.open("/?in=source-giants&item=giants/file/giant.jpg")
    zoom = page.page.get_by_role("button", name="Zoom", exact=True)
    claim(page.wait(zoom.is_visible, seconds=60), "a picture of 100 megapixels opens", f"{size / 1e6:.1f} MB")
    claim(page.wait(lambda: page.page.locator("#levels .levels button").count() > 0),
          "what is known of it is shown once it is made")
    page.picture("giant")
    zoom.click()
    page.wait(lambda: page.run("window.place !== null"))
    page.wait(lambda: any("/iiif/" in url for url in statuses), seconds=60)
    view = View(page)
    view.press("+")
    missing = view.look()
    claim(not missing and view.seen, "at the last layer every tile in sight is drawn sharp",
          f"{len(view.seen)} tiles, {page.run('window.place')['scale']:.1f} pixels of the screen for each of the picture")
    page.picture("giant-last-layer")
    for _ in range(2):
        page.page.keyboard.press("-")
        page.page.wait_for_timeout(100)
    missing += view.travel()
    claim(not missing and len(view.seen) == TILES * TILES, "no tile of the last layer is missing, to every corner",
          f"{len(view.seen)} of {TILES * TILES} tiles seen" + (f", without {missing[:4]}" if missing else ""))
    page.picture("giant-corner")
    wrong = [url for url, status in statuses.items() if status != 200]
    claim(not wrong, "every tile was answered with 200, one after a 503", f"{len(statuses)} tiles {wrong[:2]}")
    claim(len(failed) == 2, "a tile that failed is asked for again", f"{len(failed)} times")
    other = [url for url, drawn in page.run("window.drawn").items()
             if drawn != [int(side) for side in re.search(r"/(\d+),(\d+)/0/", url).groups()]]
    claim(not other, "every tile had the size that was asked for", ", ".join(other[:2]))
    page.page.keyboard.press("0")
    page.picture("giant-whole")
    claim(not page.errors, "without an error", "; ".join(page.errors + refused))
    page.close()
