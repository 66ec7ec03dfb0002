"""Fingers: on a phone's list, on one picture, and on favorites."""
from visit import Page, claim

PHONE = {"viewport": {"width": 390, "height": 800}, "device_scale_factor": 2, "has_touch": True, "is_mobile": True}


class Fingers:
    """One or two fingers on the screen."""

    def __init__(self, visit):
        self.page = visit.page
        self.session = visit.context.new_cdp_session(visit.page)

    def send(self, kind, *places):
        points = [{"x": x, "y": y, "id": number} for number, (x, y) in enumerate(places)]
        self.session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    def move(self, *paths, pause=30):
        """Moves each finger along its path, and takes them away."""
        self.send("touchStart", *(path[0] for path in paths))
        for places in list(zip(*paths))[1:]:
            self.send("touchMove", *places)
            self.page.wait_for_timeout(pause)
        self.send("touchEnd")

    def spread(self, x, y, start, end, pause=40):
        """Two fingers that leave each other around a place."""
        gaps = range(start, end, 10)
        self.move([(x - gap, y) for gap in gaps], [(x + gap, y) for gap in gaps], pause=pause)

    def drag(self, start, *places):
        """Holds a finger still until it drags, and moves it."""
        self.send("touchStart", start)
        self.page.wait_for_timeout(600)
        for place in places:
            self.send("touchMove", place)
            self.page.wait_for_timeout(60)
        self.send("touchEnd")


def touch(browser, tools):
    visit = Page(browser, **tools, color_scheme="dark", **PHONE)
    visit.open(tiles=6)
    fingers = Fingers(visit)
    width = visit.tile(0).bounding_box()["width"]
    fingers.spread(195, 500, 40, 130)
    claim(visit.wait(lambda: visit.tile(0).count() == 0 or visit.tile(0).bounding_box()["width"] > 1.5 * width),
          "two fingers change the size of a list")
    visit.run("scrollTo(0, 0)")
    visit.tile(1).locator("a").tap()
    visit.wait(lambda: visit.run("document.querySelector('#stage img')?.naturalWidth ?? 0") > 300)
    # Until its tile has grown into it.
    visit.wait(lambda: visit.run("document.getAnimations().length") == 0)
    title = visit.text("#detail h2")
    # A finger that is on its way.
    fingers.send("touchStart", (300, 400))
    for x in range(280, 120, -40):
        fingers.send("touchMove", (x, 400))
    beside = "(() => { const box = document.querySelector('#stage .is-beside img')?.getBoundingClientRect(); return box && [box.left, box.right]; })()"
    visit.page.wait_for_timeout(200)
    place = visit.run(beside)
    claim(place is not None and 0 < place[0] < 390 < place[1], "a swipe moves the neighbor in", place)
    visit.picture("phone-swipe")
    fingers.send("touchMove", (300, 400))
    fingers.send("touchEnd")
    claim(visit.wait(lambda: visit.page.locator("#stage .is-beside").count() == 0) and visit.text("#detail h2") == title,
          "which goes with a finger that returns")
    fingers.move([(x, 400) for x in range(300, 60, -40)])
    claim(visit.wait(lambda: visit.text("#detail h2") != title), "a swipe shows the next picture")
    fingers.move([(x, 400) for x in range(60, 300, 40)])
    claim(visit.wait(lambda: visit.text("#detail h2") == title), "and one back the picture before")
    fingers.move([(200, y) for y in range(500, 200, -40)])
    claim(visit.text("#detail h2") == title and visit.wait(lambda: visit.run("document.querySelector('#detail').scrollTop") > 50),
          "a finger that goes up scrolls to the facts", visit.run("document.querySelector('#detail').scrollTop"))
    claim(not visit.errors, "without an error", "; ".join(visit.errors))
    visit.close()
    pinched(browser, tools)
    ordered(browser, tools)


def pinched(browser, tools):
    visit = Page(browser, **tools, **PHONE)
    visit.open("/?in=artworks", tiles=4)
    visit.tile(0).locator("a").tap()
    visit.wait(lambda: visit.page.get_by_role("button", name="Zoom", exact=True).is_visible())
    visit.wait(lambda: visit.run("document.querySelector('#stage img')?.naturalWidth ?? 0") > 200)
    visit.wait(lambda: visit.run("document.getAnimations().length") == 0)
    tiles = []
    visit.page.on("request", lambda request: "/default.jpg" in request.url and tiles.append(request.url))
    fingers = Fingers(visit)
    fingers.spread(195, 350, 40, 130)
    claim(visit.wait(lambda: visit.page.locator("canvas.deep").count() == 1 and tiles), "two fingers zoom into a picture",
          f"{len(tiles)} tiles")
    visit.page.wait_for_timeout(800)
    before = visit.page.locator("canvas.deep").screenshot()
    fingers.move([(x, 350) for x in range(300, 100, -40)])
    claim(visit.wait(lambda: visit.page.locator("canvas.deep").screenshot() != before), "and one moves it then")
    visit.picture("phone-zoom")
    fingers.spread(195, 350, 40, 130)
    claim(visit.page.locator("canvas.deep").count() == 1 and not visit.errors, "without an error", "; ".join(visit.errors))
    visit.close()


def ordered(browser, tools):
    """Favorites under a finger."""
    visit = Page(browser, **tools, **PHONE)
    visit.open(tiles=6)
    fingers = Fingers(visit)
    for index in range(4):
        box = visit.tile(index).bounding_box()
        fingers.drag((box["x"] + box["width"] / 2, box["y"] + 60))
        visit.page.wait_for_timeout(200)
        visit.wait(lambda: visit.tile(index).locator(".star").get_attribute("aria-pressed") == "true")
    claim(visit.page.locator("#detail[open]").count() == 0, "a finger that rests opens nothing")
    kept = visit.titles()[:4]
    visit.section("Favorites")
    claim(visit.wait(lambda: visit.titles() == kept[::-1]), "but makes a favorite")
    boxes = [visit.tile(index).bounding_box() for index in range(4)]
    middle = [(box["x"] + box["width"] / 2, box["y"] + box["height"] / 3) for box in boxes]
    x, y = middle[0]
    fingers.move([(x, y + step) for step in range(0, 120, 30)])
    claim(visit.titles() == kept[::-1] and visit.page.locator("#detail[open]").count() == 0,
          "a finger that moves at once changes no order")
    # A list that still rolls would take the next finger.
    visit.wait(lambda: visit.run("new Promise((done) => { const y = scrollY; setTimeout(() => done(scrollY === y), 200); })"))
    boxes = [visit.tile(index).bounding_box() for index in range(4)]
    middle = [(box["x"] + box["width"] / 2, box["y"] + box["height"] / 3) for box in boxes]
    y = middle[0][1]
    between = [((middle[0][0] + middle[1][0]) / 2, y), middle[1], ((middle[1][0] + middle[2][0]) / 2, y), middle[2]]
    fingers.drag(middle[0], *between)
    wanted = [kept[2], kept[1], kept[3], kept[0]]
    claim(visit.wait(lambda: visit.titles() == wanted), "one that stays first drags a favorite", " · ".join(visit.titles()))
    claim(visit.page.locator("#detail[open]").count() == 0, "and opens nothing")
    visit.page.wait_for_timeout(600)
    visit.page.reload()
    claim(visit.wait(lambda: visit.titles() == wanted), "the order is kept")
    visit.picture("phone-favorites")
    for _ in range(4):
        visit.run("document.querySelector('#grid .star[aria-pressed=true]')?.click()")
        visit.page.wait_for_timeout(300)
    claim(not visit.errors, "without an error", "; ".join(visit.errors))
    visit.close()
