"""One picture: its place, its keys, its trace, and what stands for it."""
import base64
import re

from visit import BASE, Page, claim


def detail(browser, tools):
    visit = Page(browser, **tools)
    # The next show has no poster.
    visit.allowed = ("404",)
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
    claim(visit.wait(lambda: visit.page.locator("#trace .chain .is-chosen").count() == 1), "with the candidate that was chosen")
    chosen = visit.text("#trace .chain .is-chosen small")
    # An original that the list's picture was made from is stored already.
    claim(re.search(r"jpeg \d+ × \d+ · [\d.]+\sKB · ([\d,]+\s?ms, |stored since )", chosen) is not None, "its size, bytes and time", chosen)
    beyond = visit.run("document.querySelector('#detail').getBoundingClientRect().right - document.documentElement.getBoundingClientRect().right")
    claim(beyond <= 0, "all of it is in sight", f"{beyond} px beyond the edge")
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
    claim(visit.wait(lambda: visit.run("document.querySelector('#stage img').src").endswith("/t/xs/" + visit.page.url.split("item=")[1].replace("show", "poster") + ".webp")),
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
    edges(browser, tools)
    posters(browser, tools)
    kept_places(browser, tools)
    movement(browser, tools)
    facts(browser, tools)


# Everything on the stage's picture, beside the picture itself.
BOXES = """() => [document.querySelector('#stage .picture'), ...document.querySelectorAll('#stage .picture > *')].map((part) => {
  const { left, top, width, height } = part.getBoundingClientRect();
  return [left, top, width, height].map((value) => Math.round(value * 10) / 10);
})"""

# How far the edges of the shown picture are from those of its file, drawn at its size: the mean of each edge's 4 pixels.
EDGES = """async ([shot, [left, top, width, height], ratio]) => {
  const canvas = async (source, box) => {
    const image = new Image();
    image.src = source;
    await image.decode();
    const canvas = new OffscreenCanvas(width, height);
    const context = canvas.getContext('2d', { willReadFrequently: true });
    if (box) context.drawImage(image, left * ratio, top * ratio, width * ratio, height * ratio, 0, 0, width, height);
    else context.drawImage(image, 0, 0, width, height);
    return context;
  };
  const file = document.querySelector('#stage .picture > img:last-of-type').src;
  const [shown, wanted] = [await canvas(`data:image/png;base64,${shot}`, true), await canvas(file, false)];
  const depth = 4;
  const edge = (x, y, across, down) => {
    const [one, other] = [shown, wanted].map((context) => context.getImageData(x, y, across, down).data);
    return one.reduce((sum, value, at) => sum + Math.abs(value - other[at]), 0) / one.length;
  };
  return [edge(0, 0, width, depth), edge(0, height - depth, width, depth), edge(0, 0, depth, height),
    edge(width - depth, 0, depth, height)];
}"""


def edges(browser, tools):
    """All of a picture is on the stage, to its edges."""
    for path, item in (("/", "tvmaze/show"), ("/?in=films", "tmdb/movie"), ("/?in=artworks", "rijksmuseum/object")):
        visit = Page(browser, reduced_motion="reduce", **tools)
        visit.allowed = ("404",)
        visit.open(path, tiles=8)
        visit.page.locator(f"#grid [data-item^='{item}']:has(img) a.open").first.click()
        shifted, worst, seen = {}, {}, 0
        for _ in range(12):
            title = visit.text("#detail h2")
            sharp = "document.querySelector('#stage .picture > img:last-of-type')?.naturalWidth > 300"
            if visit.wait(lambda: visit.run(sharp), 5):
                visit.run("document.querySelector('#stage .note').style.display = 'none'")
                picture, *parts = visit.run(BOXES)
                if any(abs(one - other) > 0.6 for part in parts for one, other in zip(part, picture)):
                    shifted[title] = [part for part in parts if part != picture][0]
                whole = [round(value) for value in picture]
                apart = visit.run(EDGES, [base64.b64encode(visit.page.screenshot()).decode(), whole, 1])
                if max(apart) > 14:
                    worst[title] = [round(value) for value in apart]
                seen += 1
            visit.page.keyboard.press("ArrowRight")
            visit.wait(lambda: visit.text("#detail h2") != title, 3)
        claim(seen > 8 and not shifted, f"a large picture of {path} fills its place, and nothing else", f"{seen} pictures {shifted or ''}")
        claim(seen > 8 and not worst, "and its edges are those of its file", f"{seen} pictures {worst or ''}")
        visit.close()


def posters(browser, tools):
    """The detail of a show has its main poster, which is another item."""
    visit = Page(browser, **tools)
    item = visit.page.request.get(BASE + "/v1/tvmaze/show/5").json()
    poster = item["detail"]["item"]
    claim(poster == "tvmaze/poster/5", "a show names its main poster", poster)
    shown = "document.querySelector('#stage .picture > img:last-of-type')?.src ?? ''"
    visit.open("/?item=tvmaze/show/5")
    claim(visit.wait(lambda: visit.run(shown).endswith("/" + poster)), "its detail shows that", visit.run(shown).removeprefix(BASE))
    claim(visit.wait(lambda: visit.page.locator("#trace .chain .is-chosen b").all_inner_texts() == ["main poster (original)"]),
          "and says where that comes from", ", ".join(visit.page.locator("#trace .chain .is-chosen b").all_inner_texts()))
    claim(visit.text("#detail h2") == item["title"], "under the title of the show", item["title"])
    visit.close()
    visit = Page(browser, **tools)
    visit.allowed = ("502",)
    picture = visit.page.request.get(BASE + "/t/s/tvmaze/show/2").body()
    visit.page.route(f"**/t/**/{poster}", lambda route: route.fulfill(status=502, body=picture, content_type="image/webp"))
    visit.open("/?item=tvmaze/show/5")
    claim(visit.wait(lambda: visit.run(shown).endswith("/tvmaze/show/5") and visit.run("document.querySelector('#stage img').naturalWidth") > 100),
          "a poster that can't be had leaves the picture of the list", visit.run(shown).removeprefix(BASE))
    claim(visit.page.locator("#stage .placeholder").count() == 0, "and no placeholder")
    first = visit.page.locator("#trace .chain b").first
    claim(visit.wait(lambda: first.count() and first.inner_text() == "original"), "and says where that comes from")
    visit.close()


def kept_places(browser, tools):
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
    # A list that comes while the movement begins.
    visit = Page(browser, observe="""document.startViewTransition = (change) => {
        const finished = new Promise((done) => setTimeout(() => { change(); done(); }, 2500));
        return { ready: finished, finished };
    };""", **tools)
    visit.open("/?item=tvmaze/show/18", tiles=20)
    claim(visit.wait(lambda: visit.text(".where").startswith("18 of"), 8), "an address opened late has its place, too", visit.text(".where"))
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
