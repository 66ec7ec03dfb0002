"""A page of one's own, on another address than the service: config/web/grid.html, without a library."""
import re
import urllib.parse

from first import SHIFTS
from visit import BASE, Page, claim, lib

PAGE = lib.ROOT / "config/web/grid.html"
LIST = "/v1/tvmaze/shows"
IMAGES = "[...document.querySelectorAll('#grid img')]"


def grid(browser, tools):
    content = PAGE.read_bytes()
    site = lib.Files(lib.Always(lambda handler: handler.answer(200, content, {"Content-Type": "text/html; charset=utf-8"})))
    address = f"http://127.0.0.1:{site.port}/grid.html?" + urllib.parse.urlencode({"service": BASE, "list": LIST})
    # These visits make what is missing, so that the following ones know every width.
    for scale in (1, 2, 3):
        visit = Page(browser, base=BASE, device_scale_factor=scale)
        visit.page.goto(address)
        visit.wait(lambda: visit.page.locator("#grid img").count() > 0)
        visit.wait(lambda: are_there(visit), 60)
        visit.close()
    for scale in (1, 2, 3):
        visit = Page(browser, observe=SHIFTS, base=BASE, device_scale_factor=scale)
        visit.page.goto(address)
        visit.wait(lambda: visit.page.locator("#grid img").count() > 0)
        claim(visit.wait(lambda: are_there(visit), 60), f"every picture in sight comes at {scale}×")
        looked = look(visit)
        wrong = [(each, scale) for each in looked if each["level"] != wanted(each, scale)]
        claim(looked and not wrong, f"a plain srcset takes the right level at {scale}×",
              wrong[:3] or f"{looked[0]['level']} for {looked[0]['place']:.0f} points")
        shifts = sum(visit.run("shifts"))
        claim(shifts < 0.001, f"and nothing shifts at {scale}×", f"CLS {shifts:.4f}")
        visit.picture(f"plain-{scale}")
        visit.close()
    thumbhash(browser, address)
    placeholder(browser, address)
    keyboard(browser, address)
    site.close()


def are_there(visit):
    """Whether every picture in sight has come. Items that have none show their title."""
    return visit.run(f"""() => {IMAGES}.filter((image) => image.srcset && image.getBoundingClientRect().top < innerHeight)
        .every((image) => image.complete && image.naturalWidth > 0)""")


def look(visit):
    """What each picture in sight has loaded: its level, the points of its place, and the widths that it could choose from."""
    seen = visit.run(f"""() => {IMAGES}.filter((image) => image.srcset && image.getBoundingClientRect().top < innerHeight)
        .map((image) => ({{ url: image.currentSrc, place: image.clientWidth, srcset: image.srcset }}))""")
    for each in seen:
        each["level"] = re.search(r"/t/(\w+)/", each["url"])[1] if each["url"] else None
        each["widths"] = {re.search(r"/t/(\w+)/", url)[1]: int(width[:-1])
                          for url, width in (part.split(" ") for part in each.pop("srcset").split(", "))}
    return seen


def wanted(seen, scale):
    """The narrowest level that fills the place, or the widest. Of levels of one width the browser takes the first."""
    enough = [level for level, width in seen["widths"].items() if width >= seen["place"] * scale]
    return enough[0] if enough else max(seen["widths"], key=seen["widths"].get)


def thumbhash(browser, address):
    visit = Page(browser, base=BASE)
    held = []
    visit.page.route("**/t/**", lambda route: held.append(route))
    visit.page.goto(address)
    visit.wait(lambda: len(held) > 8)
    backgrounds = visit.run(f"""() => {IMAGES}.filter((image) => image.srcset)
        .map((image) => image.style.backgroundImage.startsWith('url("data:image/png'))""")
    claim(len(backgrounds) > 20 and sum(backgrounds) >= len(backgrounds) - 2,
          "the ThumbHash is there before the picture", f"{sum(backgrounds)} of {len(backgrounds)}")
    for route in held:
        route.continue_()
    visit.page.unroute("**/t/**")
    visit.wait(lambda: are_there(visit), 60)
    rest = visit.run(f"""() => {IMAGES}.filter((image) => image.complete && image.naturalWidth
        && image.style.backgroundImage).length""")
    claim(rest == 0, "and goes when it is", rest)
    visit.close()


def placeholder(browser, address):
    visit = Page(browser, base=BASE)
    # What a browser says of a 404.
    visit.allowed = ("Failed to load resource",)
    visit.page.goto(address)
    visit.wait(lambda: visit.page.locator("#grid img").count() > 0)
    without = visit.run(f"""async (service) => {{
        const page = await (await fetch(`${{service}}{LIST}`)).json();
        const item = page.items.find(({{ failure }}) => failure);
        if (!item) return null;
        const url = `${{service}}/t/m/${{item.item}}`;
        const answer = await fetch(url, {{ headers: {{ Accept: "image/*" }} }});
        const image = new Image();
        const ended = await new Promise((done) => {{ image.onload = () => done("load"); image.onerror = () => done("error"); image.src = url; }});
        return {{ failure: item.failure, levels: Object.keys(item.thumbnails).length, srcset: item.srcset, status: answer.status,
            ended, width: image.naturalWidth, cacheStatus: answer.headers.get("cache-status"), id: answer.headers.get("x-request-id") }};
    }}""", BASE)
    claim(without and without["levels"] == 0 and without["srcset"] == "",
          "an item without a picture lists no thumbnails", without)
    claim(without and without["status"] == 404 and without["ended"] == "load" and without["width"] > 0,
          "an img shows the placeholder of a 404", without)
    claim(without and "placeholder" in (without["cacheStatus"] or "") and bool(without["id"]),
          "a page of another site reads Cache-Status and X-Request-Id", without)
    visit.close()


def keyboard(browser, address):
    visit = Page(browser, base=BASE)
    visit.page.goto(address)
    visit.wait(lambda: visit.page.locator("#grid img").count() > 10)
    visit.page.keyboard.press("Tab")
    visit.page.keyboard.press("Tab")
    at = visit.run("[...document.querySelectorAll('#grid a')].indexOf(document.activeElement)")
    claim(at == 1, "the keyboard reaches the cells one after the other", at)
    texts = visit.run(f"{IMAGES}.map((image) => image.alt)")
    claim(texts and all(texts), "and every picture has its title as alternative text", texts[:3])
    claim(not visit.errors, "without errors", visit.errors[:2])
    visit.close()
