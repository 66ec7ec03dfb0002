"""One picture: its place, its keys, its trace, the zoom into it; and favorites."""
import re

from visit import BASE, Page, claim


def detail(browser, tools):
    visit = Page(browser, **tools)
    visit.open(tiles=20)
    visit.run("scrollTo(0, 600)")
    visit.page.wait_for_timeout(300)
    top = visit.run("scrollY")
    visit.tile(17).locator("a").click()
    heading = visit.page.locator("#detail h2")
    claim(visit.wait(lambda: heading.inner_text() == visit.tile(17).locator("b").text_content()),
          "a picture opens large, with its title")
    claim("?item=" in visit.page.url, "at an address of its own", visit.page.url.removeprefix(BASE))
    claim(visit.wait(lambda: visit.run("document.querySelector('#stage img')?.naturalWidth ?? 0") > 400), "in a level for it")
    claim(visit.wait(lambda: visit.page.locator("#trace .chain li").count() > 0), "where it comes from is shown")
    claim(visit.page.locator("#trace .is-chosen").count() >= 1, "with the candidate that was chosen")
    chosen = visit.text("#trace .chain .is-chosen small")
    claim(re.search(r"jpeg \d+ × \d+ · [\d.]+\sKB · [\d,]+\s?ms, ", chosen) is not None, "its size, bytes and milliseconds", chosen)
    visit.picture("detail")
    claim(visit.page.locator("#levels .is-shown [aria-pressed=true]").count() == 1, "the shown level is pressed",
          visit.text("#levels .reading"))
    dial = visit.page.locator("#levels input")
    dial.focus()
    size = visit.page.locator("#stage .picture").bounding_box()
    visit.page.keyboard.press("Home")
    claim(visit.wait(lambda: "/t/xs/" in visit.run("document.querySelector('#stage img').src")
                     and visit.text("#levels .reading").startswith("xs ")), "a slider shows each level", visit.text("#levels .reading"))
    claim(visit.page.locator("#stage .picture").bounding_box() == size, "over the same picture")
    claim(re.search(r"[\d.]+ K?B · \d+\sms", visit.text("#levels .reading").replace("\xa0", " ")) is not None,
          "with its bytes and milliseconds")
    visit.picture("slider")
    visit.page.get_by_role("button", name="Automatic").click()
    claim(visit.wait(lambda: "/t/xs/" not in visit.run("document.querySelector('#stage img').src")), "and back to what fits")
    visit.page.get_by_role("button", name="Show xs as webp").click()
    claim(visit.wait(lambda: visit.run("document.querySelector('#stage img').src").endswith("/t/xs/" + visit.page.url.split("item=")[1] + ".webp")),
          "each level and format is a button")
    visit.page.mouse.wheel(0, 500)
    claim(visit.run("scrollY") == top, "the page behind doesn't scroll")
    visit.page.keyboard.press("Space")
    claim(visit.page.locator("#tools .star").get_attribute("aria-pressed") == "false", "Space changes no favorite")
    visit.page.go_back()
    claim(visit.wait(lambda: not visit.page.locator("#detail").is_visible()), "Back closes it")
    claim("item" not in visit.page.url and abs(visit.run("scrollY") - top) < 2, "and the list is where it was")
    visit.page.go_forward()
    claim(visit.wait(lambda: visit.page.locator("#detail").is_visible()), "Forward opens it again")
    visit.page.keyboard.press("ArrowRight")
    claim(visit.wait(lambda: heading.inner_text() == visit.tile(18).locator("b").text_content()), "“→” shows the next")
    visit.page.keyboard.press("Escape")
    claim(visit.wait(lambda: not visit.page.locator("#detail").is_visible()), "Escape closes it")
    claim(visit.wait(lambda: visit.run("document.activeElement.closest('.tile')?.dataset.index") == "18"),
          "and focuses the tile of what was shown")
    address = visit.page.url
    visit.tile(18).locator("a").click()
    visit.wait(lambda: "item=" in visit.page.url)
    shared = visit.page.url
    visit.page.goto("about:blank")
    visit.page.goto(shared)
    claim(visit.wait(lambda: visit.page.locator("#detail").is_visible() and len(heading.inner_text()) > 2), "its address opens it, with the list behind")
    claim(visit.wait(lambda: visit.text(".where").startswith("19 of")), "and its place in it", visit.text(".where"))
    claim(visit.page.get_by_role("button", name="Next").is_enabled() and visit.page.get_by_role("button", name="Previous").is_enabled(),
          "and the arrows on")
    visit.page.keyboard.press("Escape")
    claim(visit.wait(lambda: visit.page.url == address and visit.tiles() > 20), "which is there after Escape")
    claim(not visit.errors, "without an error", "; ".join(visit.errors))
    visit.close()
    returns(browser, tools)
    movement(browser, tools)
    facts(browser, tools)


def returns(browser, tools):
    """What a reload keeps, and an address that names nothing."""
    visit = Page(browser, **tools)
    visit.open(tiles=20)
    visit.run("scrollTo(0, 4000)")
    visit.page.wait_for_timeout(600)
    index = visit.run("""[...document.querySelectorAll('#grid .tile')].find((tile) =>
        tile.getBoundingClientRect().top > 100).dataset.index""")
    visit.tile(index).locator("a").click()
    visit.wait(lambda: "item=" in visit.page.url and visit.page.locator("#detail").is_visible())
    for _ in range(20):
        visit.page.keyboard.press("ArrowRight")
    where = visit.text(".where")
    visit.page.reload()
    claim(visit.wait(lambda: visit.text(".where") == where), "a reload keeps the place of a picture", visit.text(".where"))
    visit.page.keyboard.press("Escape")
    wanted = str(int(index) + 20)
    claim(visit.wait(lambda: visit.run("document.activeElement.closest('.tile')?.dataset.index") == wanted and visit.run("scrollY") > 1000),
          "and closing it returns there in the list", f"{visit.run('scrollY')} px")
    visit.allowed = ("404",)
    visit.page.goto(BASE + "/?item=tvmaze/show/99999999")
    claim(visit.wait(lambda: "no picture at this address" in visit.text("#detail h2")), "an unknown item says so", visit.text("#detail h2"))
    claim(visit.page.locator("#levels").is_hidden() and "not made yet" not in visit.text("#about"), "once")
    visit.close()
    # A look-up that didn't need the candidate knows it as stored only.
    visit = Page(browser, **tools)

    def stored(route):
        document = route.fetch().json()
        for candidate in document["candidates"]:
            candidate["state"] = {"chosen": "stored"}.get(candidate["state"], candidate["state"])
        route.fulfill(json=document)

    visit.page.route("**/v1/explain/**", stored)
    visit.open("/?item=tvmaze/show/2")
    claim(visit.wait(lambda: visit.page.locator("#trace .chain .is-chosen").count() == 1), "the candidate of the levels stays the chosen one")
    visit.close()


def movement(browser, tools):
    """A tile grows into its picture, where motion is wanted."""
    observe = """window.movements = 0;
        const start = document.startViewTransition?.bind(document);
        document.startViewTransition = (change) => { window.movements += 1; return start(change); };"""
    for wanted, count in (("no-preference", 2), ("reduce", 0)):
        visit = Page(browser, observe=observe, reduced_motion=wanted, **tools)
        visit.open(tiles=20)
        visit.tile(3).locator("a").click()
        visit.wait(lambda: visit.page.locator("#detail").is_visible())
        visit.page.wait_for_timeout(400)
        visit.page.keyboard.press("Escape")
        claim(visit.wait(lambda: not visit.page.locator("#detail").is_visible()) and visit.run("movements") == count,
              f"opening and closing are {count} movements with motion “{wanted}”", visit.run("movements"))
        claim(not visit.errors, "without an error", "; ".join(visit.errors))
        visit.close()


def facts(browser, tools):
    """What is told of an artwork and an album, and what can be done with a picture."""
    visit = Page(browser, **tools)
    visit.allowed = ("404",)
    visit.open("/?in=artworks", tiles=10)
    visit.tile(0).locator("a").click()
    claim(visit.wait(lambda: visit.page.locator("#facts").get_by_text("SK-").count() + visit.page.locator("#facts .links a").count() > 1),
          "an artwork has its object number and links", visit.text("#facts p.soft >> nth=0"))
    with visit.page.expect_download() as download:
        visit.page.get_by_role("button", name="Download").click()
    claim(download.value.url.startswith(BASE + "/o/rijksmuseum/"), "the original is downloaded", download.value.suggested_filename)
    visit.context.grant_permissions(["clipboard-read", "clipboard-write"])
    visit.run("delete Navigator.prototype.share")
    visit.page.get_by_role("button", name="Share").click()
    claim(visit.wait(lambda: "copied" in visit.text("#toast")), "its address is copied where pages can't share", visit.text("#toast"))
    claim(visit.run("navigator.clipboard.readText()") == visit.page.url, "so that it can be sent")
    visit.open("/?in=albums&term=night", tiles=2)
    visit.tile(0).locator("a").click()
    claim(visit.wait(lambda: visit.page.locator("#facts ol li").count() > 2), "an album has its songs",
          " · ".join(visit.page.locator("#facts ol li").all_inner_texts()[:3]))
    visit.picture("album")
    visit.close()


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


def favorites(browser, tools):
    visit = Page(browser, **tools)
    visit.open(tiles=20)
    star = lambda index: visit.tile(index).locator(".star")
    claim(star(0).get_attribute("aria-label").startswith("Favorite "), "a star names what it keeps")
    for index in range(4):
        visit.run("(index) => document.querySelector(`[data-index='${index}'] a.open`).focus()", index)
        visit.page.keyboard.press("f")
        claim(visit.wait(lambda: star(index).get_attribute("aria-pressed") == "true"), f"“f” keeps tile {index}")
    visit.page.reload()
    claim(visit.wait(lambda: visit.tiles() > 20 and star(3).get_attribute("aria-pressed") == "true"), "stars are there after a reload")
    kept = visit.titles()[:4]
    visit.section("Favorites")
    claim(visit.wait(lambda: visit.titles() == kept[::-1]), "the last favorite is the first")
    boxes = [visit.tile(index).bounding_box() for index in range(4)]
    visit.page.mouse.move(boxes[0]["x"] + 40, boxes[0]["y"] + 60)
    visit.page.mouse.down()
    visit.page.mouse.move(boxes[1]["x"] + 40, boxes[1]["y"] + 60, steps=4)
    visit.page.mouse.move(boxes[2]["x"] + 40, boxes[2]["y"] + 60, steps=8)
    visit.page.mouse.up()
    wanted = [kept[2], kept[1], kept[3], kept[0]]
    claim(visit.wait(lambda: visit.titles() == wanted), "dragging changes the order", " · ".join(visit.titles()))
    visit.picture("favorites")
    visit.run("document.querySelector(\"[data-index='3'] a.open\").focus()")
    visit.page.keyboard.press("Alt+ArrowLeft")
    wanted = [kept[2], kept[1], kept[0], kept[3]]
    claim(visit.wait(lambda: visit.titles() == wanted), "so do Alt and an arrow")
    claim("place 3 of 4" in visit.text("#said"), "which is said", visit.text("#said"))
    visit.page.wait_for_timeout(600)
    visit.page.reload()
    claim(visit.wait(lambda: visit.titles() == wanted), "the order is kept")
    # Offline, the change is refused in a sentence above the picture.
    visit.tile(0).locator("a").click()
    visit.wait(lambda: visit.page.locator("#detail").is_visible())
    visit.page.wait_for_timeout(400)
    visit.allowed = ("ERR_INTERNET_DISCONNECTED",)
    visit.context.set_offline(True)
    visit.page.keyboard.press("f")
    claim(visit.wait(lambda: "was not changed" in visit.text("#toast")), "a favorite that can't be changed says so", visit.text("#toast"))
    above = visit.run("""(() => { const box = document.querySelector('#toast').getBoundingClientRect();
        return document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2)?.closest('[popover]')?.id; })()""")
    claim(above == "toast", "above the picture")
    claim(visit.page.locator("#tools .star").get_attribute("aria-pressed") == "true", "and stays as it was")
    visit.context.set_offline(False)
    visit.page.keyboard.press("Escape")
    for _ in range(4):
        visit.run("document.querySelector('#grid .star[aria-pressed=true]')?.click()")
        visit.page.wait_for_timeout(300)
    claim(visit.tiles() == 0 and visit.page.get_by_role("button", name="Undo").is_visible(), "those that are none leave the list")
    visit.page.get_by_role("button", name="Undo").click()
    claim(visit.wait(lambda: visit.tiles() == 1), "and can come back")
    visit.open("/?in=favorites&title=zzzzqqq", tiles=0)
    claim(visit.wait(lambda: "with these filters" in visit.text("#more")), "favorites can be filtered")
    visit.open("/?in=favorites")
    visit.run("document.querySelector('#grid .star[aria-pressed=true]')?.click()")
    visit.page.wait_for_timeout(300)
    visit.page.reload()
    claim(visit.wait(lambda: "No favorites yet" in visit.text("#more")), "and can go again")
    claim("TV shows" in visit.text("#more .button"), "with a way to the pictures", visit.text("#more .button"))
    claim(visit.page.locator(".ghosts span").count() == 6, "an empty list of favorites has ghost tiles")
    visit.picture("no-favorites")
    claim(not visit.errors, "without an error", "; ".join(visit.errors))
    visit.close()


def placeholders(browser, tools):
    visit = Page(browser, **tools)
    refused = []
    visit.page.on("response", lambda answer: answer.status >= 400 and refused.append(answer.url))
    visit.open(tiles=20)
    claim(visit.wait(lambda: visit.page.locator(".placeholder").count() > 0), "what has no picture is drawn by the page")
    visit.run("scrollTo(0, 3000)")
    visit.page.wait_for_timeout(800)
    claim(not refused and not visit.errors, "without a request that fails", ", ".join(refused[:3]))
    visit.close()
    # Failures that the list didn't know: the service's own picture is not shown.
    visit = Page(browser, **tools)
    visit.allowed = ("502",)
    picture = visit.page.request.get(BASE + "/t/s/tvmaze/show/2").body()
    broken = [True]
    visit.page.route("**/t/**/tvmaze/show/4*", lambda route: route.fulfill(status=502, body=picture, content_type="image/webp")
                     if broken[0] else route.continue_())
    visit.open(tiles=20)
    place = visit.page.locator("[data-item='tvmaze/show/4']")
    claim(visit.wait(lambda: place.locator(".placeholder").count() == 1 and place.locator("img").count() == 0),
          "one placeholder, the page's own, stands for a picture that fails")
    broken[0] = False
    claim(visit.wait(lambda: place.locator("img.is-there").count() == 1, 25), "and goes when its origin is back")
    visit.close()
