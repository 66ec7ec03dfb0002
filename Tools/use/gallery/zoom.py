"""The zoom into a picture."""
import time

from visit import Page, claim


def deep_zoom(browser, tools):
    visit = Page(browser, **tools)
    visit.allowed = ("404",)
    visit.open("/?in=artworks", tiles=10)
    visit.tile(0).locator("a").click()
    zoom = visit.page.get_by_role("button", name="Zoom", exact=True)
    claim(visit.wait(zoom.is_visible), "a large original can be zoomed into")
    tiles = []
    visit.page.on("request", lambda request: "/iiif/3/" in request.url and tiles.append(request.url))
    zoom.click()
    claim(visit.wait(lambda: visit.page.locator("canvas.deep").count() == 1), "on a canvas")
    claim(visit.wait(lambda: any(url.endswith("/info.json") for url in tiles)), "from the tiles of the IIIF endpoint")
    visit.page.keyboard.press("+")
    visit.page.keyboard.press("ArrowLeft")
    visit.page.mouse.move(500, 500)
    visit.page.mouse.wheel(0, -300)
    visit.page.wait_for_timeout(1500)
    lit = visit.run("""(() => { const canvas = document.querySelector('canvas.deep');
        const pixels = canvas.getContext('2d').getImageData(canvas.width / 2 - 50, canvas.height / 2 - 50, 100, 100).data;
        return new Set(pixels).size; })()""")
    claim(lit > 8, "which shows the picture", f"{len(tiles) - 1} tiles")
    visit.picture("deep-zoom")
    visit.page.keyboard.press("Escape")
    claim(visit.wait(lambda: visit.page.locator("canvas.deep").count() == 0 and visit.page.locator("#detail").is_visible()),
          "Escape returns to the whole picture")
    visit.page.mouse.move(500, 500)
    visit.page.mouse.wheel(0, -300)
    claim(visit.wait(lambda: visit.page.locator("canvas.deep").count() == 1), "the wheel zooms into it")
    visit.page.keyboard.press("Escape")
    visit.page.route("**/iiif/3/**", lambda route: route.fulfill(status=404, json={}))
    zoom.click()
    claim(visit.wait(lambda: "Largest level" in visit.text(".hint")), "without tiles the largest level is shown")
    visit.close()
    zoom_movement(browser, tools)
    zoom_and_back(browser, tools)


# Where the picture is on the canvas of the zoom.
PLACE = """
window.place = null;
const drawImage = CanvasRenderingContext2D.prototype.drawImage;
CanvasRenderingContext2D.prototype.drawImage = function (image, ...rest) {
  if (this.canvas.classList.contains('deep')) {
    const { a, e, f } = this.getTransform();
    window.place = { scale: a, x: e, y: f };
    // The picture below its tiles is drawn over the whole.
    if (rest[0] === 0 && rest[1] === 0 && !image.src.includes('/iiif/')) window.whole = rest.slice(2);
  }
  return drawImage.call(this, image, ...rest);
};
"""


def zoom_movement(browser, tools):
    """A zoom eases, glides after a throw, and tells its scale."""
    for motion in ("no-preference", "reduce"):
        visit = Page(browser, observe=PLACE, reduced_motion=motion, **tools)
        visit.open("/?in=artworks", tiles=10)
        visit.tile(0).locator("a").click()
        zoom = visit.page.get_by_role("button", name="Zoom", exact=True)
        visit.wait(zoom.is_visible)
        come = [False]
        visit.page.route("**/iiif/3/**/default.jpg", lambda route: route.continue_() if come[0] else route.abort())
        visit.allowed = ("ERR_FAILED",)
        zoom.click()
        if motion == "reduce":
            come[0] = True
            visit.wait(lambda: visit.run("place !== null"))
        else:
            claim(visit.wait(lambda: visit.page.locator("#stage progress").is_visible()), "a line tells that tiles are made")
            come[0] = True
            claim(visit.wait(lambda: not visit.page.locator("#stage progress").is_visible()), "and goes when they have come")
        before = visit.run("""async () => {
            const scales = new Set();
            const begin = performance.now();
            document.querySelector('canvas.deep').dispatchEvent(new KeyboardEvent('keydown', { key: '+', bubbles: true }));
            while (performance.now() - begin < 700) {
                await new Promise(requestAnimationFrame);
                scales.add(place.scale);
            }
            return scales.size;
        }""")
        claim(before > 3 if motion == "no-preference" else before <= 2,
              "“+” takes several frames with motion “no-preference”, one with “reduce”", f"{motion}: {before} scales")
        scale = visit.run("place.scale / devicePixelRatio")
        claim(abs(int(visit.text(".percent").rstrip("%\xa0 ")) - scale * 100) < 1, "a number tells the scale", visit.text(".percent"))
        box = visit.page.locator("canvas.deep").bounding_box()
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        for _ in range(6):
            visit.page.keyboard.press("+")
        visit.page.wait_for_timeout(700)
        throw(visit, x + 100, y)
        at = visit.run("place.x")
        visit.page.wait_for_timeout(600)
        glided = at - visit.run("place.x")
        claim(glided > 8 if motion == "no-preference" else abs(glided) < 1,
              "a throw glides on with motion “no-preference”, not with “reduce”", f"{motion}: {glided:.0f} px")
        visit.page.keyboard.press("Escape")
        visit.page.get_by_role("button", name="Full screen").click()
        claim(visit.wait(lambda: visit.run("document.fullscreenElement?.id") == "stage"), "a picture fills the screen")
        visit.run("document.exitFullscreen()")
        claim(not visit.errors, "without an error", "; ".join(visit.errors))
        visit.close()


def throw(visit, x, y):
    """Drags to the left and lets go: 30 pixels each 16 ms, however long the machine takes."""
    session = visit.context.new_cdp_session(visit.page)
    begin = time.time()
    mouse = lambda kind, step: session.send("Input.dispatchMouseEvent", {
        "type": kind, "x": x - 30 * step, "y": y, "button": "left", "buttons": 0 if kind == "mouseReleased" else 1,
        "clickCount": 1, "timestamp": begin + 0.016 * step})
    mouse("mousePressed", 0)
    for step in range(1, 6):
        mouse("mouseMoved", step)
    mouse("mouseReleased", 5)


def zoom_and_back(browser, tools):
    """A zoom begins where one points, and the keys are there after it."""
    visit = Page(browser, observe=PLACE, reduced_motion="reduce", **tools)
    visit.allowed = ("404",)
    visit.open("/?in=artworks", tiles=10)
    visit.tile(1).locator("a").click()
    zoom = visit.page.get_by_role("button", name="Zoom", exact=True)
    visit.wait(zoom.is_visible)
    visit.wait(lambda: visit.run("document.querySelector('#stage .picture > img:last-of-type')?.naturalWidth ?? 0") > 300)
    stage = visit.page.locator("#stage").bounding_box()
    deep = visit.page.locator("canvas.deep")
    ways = {
        "Escape": lambda: visit.page.keyboard.press("Escape"),
        "the button": lambda: visit.page.locator("#stage .steps").get_by_role("button", name="Close").click(),
        "zooming out": lambda: [visit.page.keyboard.press("-") for _ in range(12)],
        "the wheel": lambda: [(visit.page.mouse.wheel(0, 400), visit.page.wait_for_timeout(60)) for _ in range(6)],
    }
    for way, leave in ways.items():
        zoom.click()
        visit.wait(lambda: deep.count() == 1)
        visit.page.mouse.move(stage["x"] + stage["width"] / 2, stage["y"] + stage["height"] / 2)
        leave()
        left = visit.wait(lambda: deep.count() == 0, 4)
        where = visit.text(".where")
        visit.page.keyboard.press("ArrowRight")
        moved = visit.wait(lambda: visit.text(".where") != where, 3)
        visit.page.keyboard.press("ArrowLeft")
        visit.wait(lambda: visit.text(".where") == where, 3)
        claim(left and moved, f"after {way} the arrows go to the neighbors of a picture", visit.run("document.activeElement.id"))
        visit.wait(zoom.is_visible)
    # Under the pointer is what was there before.
    for how, act in (("a double click", lambda x, y: visit.page.mouse.dblclick(x, y)),
                     ("the wheel", lambda x, y: (visit.page.mouse.move(x, y), visit.page.mouse.wheel(0, -120)))):
        box = visit.page.locator("#stage .picture").bounding_box()
        across, down = 0.25, 0.3
        act(box["x"] + across * box["width"], box["y"] + down * box["height"])
        visit.wait(lambda: deep.count() == 1 and visit.run("place !== null"))
        visit.page.wait_for_timeout(800)
        at = visit.run("""([x, y]) => {
            const stage = document.querySelector('#stage').getBoundingClientRect();
            const [across, down] = [(x - stage.left) * devicePixelRatio - place.x, (y - stage.top) * devicePixelRatio - place.y];
            return [across / place.scale, down / place.scale];
        }""", [box["x"] + across * box["width"], box["y"] + down * box["height"]])
        size = visit.run("whole")
        seen = (at[0] / size[0], at[1] / size[1])
        claim(abs(seen[0] - across) < 0.02 and abs(seen[1] - down) < 0.02, f"{how} zooms into the place that is pointed at",
              f"{seen[0]:.2f}, {seen[1]:.2f} of the picture")
        visit.picture(f"zoom-point-{how.split()[-1]}")
        visit.page.keyboard.press("Escape")
        visit.run("place = null")
    visit.page.keyboard.press("+")
    visit.wait(lambda: deep.count() == 1)
    visit.page.keyboard.press("0")
    where = visit.text(".where")
    visit.page.keyboard.press("ArrowRight")
    claim(visit.wait(lambda: visit.text(".where") != where, 3), "arrows don't pan a picture that is whole",
          f"{where} → {visit.text('.where')}, {visit.run('document.activeElement.className')}")
    claim(not visit.errors, "without an error", "; ".join(visit.errors))
    visit.close()
