"""Phones, colors, names, languages, and what happens when something is missing."""
import os
import re
import signal

from first import SHIFTS
from touch import PHONE
from visit import BASE, Page, claim

# Contrast of every text with the first opaque background below it (WCAG 2.2, 1.4.3).
CONTRAST = """() => {
  const canvas = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
  const rgba = (color) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const light = ([r, g, b]) => [r, g, b].map((value) => value / 255)
    .map((value) => value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)
    .reduce((sum, value, index) => sum + value * [0.2126, 0.7152, 0.0722][index], 0);
  const poor = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!node.textContent.trim() || !element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
    if (element.closest('[disabled], [aria-hidden=true], option, script, style, #stage')) continue;
    const style = getComputedStyle(element);
    // A star that isn't pointed at.
    if (rgba(style.color)[3] < 20) continue;
    let below = element;
    while (below && rgba(getComputedStyle(below).backgroundColor)[3] < 128) below = below.parentElement;
    const [one, other] = [light(rgba(style.color)), light(rgba(getComputedStyle(below ?? document.body).backgroundColor))];
    const ratio = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    const isLarge = parseFloat(style.fontSize) >= 24;
    if (ratio < (isLarge ? 3 : 4.5)) poor.push(`${node.textContent.trim().slice(0, 20)} ${ratio.toFixed(1)}`);
  }
  return poor;
}"""

# Controls without a name, and those under 24 by 24 px, except links within text (2.5.8).
CONTROLS = """() => {
  const faults = [];
  for (const element of document.querySelectorAll('a[href], button, input, select, summary, [role=button]')) {
    if (!element.checkVisibility() || element.disabled) continue;
    const name = element.getAttribute('aria-label') || element.textContent.trim()
      || element.labels?.[0]?.innerText.trim() || element.title;
    const box = element.getBoundingClientRect();
    if (!name) faults.push(`${element.outerHTML.slice(0, 60)} has no name`);
    const isInText = element.tagName === 'A' && !element.closest('nav, #grid');
    if (!isInText && element.type !== 'range' && (box.width < 24 || box.height < 24)) {
      faults.push(`${name} is ${Math.round(box.width)}×${Math.round(box.height)}`);
    }
  }
  const grid = document.querySelector('#grid');
  for (const row of grid.children) {
    if (row.getAttribute('role') !== 'row') faults.push('a row has no role');
    for (const cell of row.children) if (cell.getAttribute('role') !== 'gridcell') faults.push('a cell has no role');
  }
  const ids = [...document.querySelectorAll('[id]')].map(({ id }) => id);
  if (new Set(ids).size < ids.length) faults.push('an id is used twice');
  return faults;
}"""


def phone(browser, tools):
    visit = Page(browser, **tools, color_scheme="dark", **PHONE)
    visit.open(tiles=6)
    claim(visit.wait(visit.all_there), "it fits a phone")
    claim(visit.run("document.documentElement.scrollWidth <= innerWidth"), "without scrolling sideways")
    visit.picture("phone")
    heights = visit.run("[document.querySelector('#header').offsetHeight, document.querySelectorAll('#header')[0].getBoundingClientRect().top]")
    claim(heights[0] <= 56, "its header is one row", f"{heights[0]} px")
    small = visit.run("""[...document.querySelectorAll('button, #sections a, select, summary')].filter((control) => control.checkVisibility())
        .map((control) => control.getBoundingClientRect()).filter(({ width, height }) => width < 43.5 || height < 43.5).length""")
    claim(small == 0, "its targets have 44 px", f"{small} are smaller")
    visit.run("scrollTo(0, 900)")
    claim(visit.wait(lambda: visit.run("document.querySelector('#header').getBoundingClientRect().bottom") <= 0.5), "the header hides on the way down")
    visit.run("scrollTo(0, 700)")
    claim(visit.wait(lambda: visit.run("document.querySelector('#header').getBoundingClientRect().top") == 0), "and comes on the way up")
    visit.run("scrollTo(0, 0)")
    visit.page.wait_for_timeout(400)
    visit.page.locator("#find").tap()
    visit.page.locator("summary").first.tap()
    places = {}
    for width in (320, 512, 704, 720, 390):
        visit.page.set_viewport_size({"width": width, "height": 800})
        box = visit.page.locator("#filters > div").bounding_box()
        places[width] = (round(box["x"]), round(box["x"] + box["width"]))
    claim(all(left >= 0 and right <= width for width, (left, right) in places.items()),
          "its filters are on the screen, and on those a little wider",
          ", ".join(f"{left}–{right} of {width} px" for width, (left, right) in places.items()))
    small = visit.run("""[...document.querySelectorAll('input:not([type=range]), select')]
        .filter((field) => field.checkVisibility() && parseFloat(getComputedStyle(field).fontSize) < 16).length""")
    claim(small == 0, "its fields have 16 px")
    faults = visit.run(CONTROLS)
    claim(not faults, "and names", ", ".join(faults[:5]))
    visit.picture("phone-filters")
    visit.page.keyboard.press("Escape")
    visit.tile(1).locator("a").tap()
    visit.wait(lambda: visit.page.locator("#detail").is_visible())
    claim(visit.run("(() => { const b = document.querySelector('#detail').getBoundingClientRect(); return [b.width, b.height]; })()")
          == [390, 800], "a picture fills the screen")
    visit.wait(lambda: visit.run("document.querySelector('#stage img')?.naturalWidth ?? 0") > 300)
    visit.picture("phone-detail")
    claim(not visit.errors, "without an error", "; ".join(visit.errors))
    visit.close()


# Tools beside the screen, and whether the toolbar scrolls sideways.
TOOLBAR = """() => {
  const bar = document.querySelector('#tools');
  const outside = [...bar.querySelectorAll('button')].filter((tool) => tool.checkVisibility()).filter((tool) => {
    const { left, right, top, bottom } = tool.getBoundingClientRect();
    return left < 0 || right > innerWidth || top < 0 || bottom > innerHeight;
  }).map((tool) => tool.getAttribute('aria-label'));
  return bar.scrollWidth > bar.clientWidth ? [...outside, 'scrolls'] : outside;
}"""


def toolbar(browser, tools):
    """What is done with a picture, on phones of all widths."""
    for path, name in (("/?in=films", "a film"), ("/?in=favorites", "a favorite")):
        visit = Page(browser, **tools, **PHONE)
        visit.allowed = ("404",)
        if "favorites" in path:
            for number in range(1, 4):
                visit.page.request.put(f"{BASE}/v1/favorites/tvmaze/show/{number}")
        visit.open(path, tiles=3)
        visit.tile(1).locator("a").tap()
        visit.wait(lambda: visit.text(".where") != "")
        outside = {}
        for width in (320, 344, 360, 375, 390, 412):
            visit.page.set_viewport_size({"width": width, "height": 740})
            outside |= {width: away for away in [visit.run(TOOLBAR)] if away}
        claim(not outside, f"every tool of {name} is on the screen, from 320 px on", outside or visit.text("#tools"))
        visit.page.set_viewport_size({"width": 360, "height": 740})
        visit.page.get_by_role("button", name="More", exact=True).tap()
        wanted = ["Share", "Download"] + (["Move earlier", "Move later"] if "favorites" in path else [])
        shown = [act for act in wanted if visit.page.get_by_role("button", name=act).is_visible()]
        claim(shown == wanted and not visit.run(TOOLBAR), "and the others are in a menu", ", ".join(shown))
        visit.picture(f"phone-menu-{path.split('=')[1]}")
        visit.page.keyboard.press("Escape")
        claim(not visit.page.get_by_role("button", name="Share").is_visible() and visit.page.locator("#detail").is_visible(),
              "which Escape closes alone")
        visit.page.get_by_role("button", name="Close", exact=True).tap()
        claim(visit.wait(lambda: not visit.page.locator("#detail").is_visible()), "a finger closes it")
        if "favorites" in path:
            for number in range(1, 4):
                visit.page.request.delete(f"{BASE}/v1/favorites/tvmaze/show/{number}")
        claim(not visit.errors, "without an error", "; ".join(visit.errors))
        visit.close()


def accessible(browser, tools):
    for scheme in ("light", "dark"):
        visit = Page(browser, **tools, color_scheme=scheme)
        visit.open(tiles=20)
        visit.wait(lambda: visit.text("#status") != "")
        poor = visit.run(CONTRAST)
        faults = visit.run(CONTROLS)
        visit.tile(1).locator("a").click()
        visit.wait(lambda: visit.page.locator("#levels .level").count() > 0)
        poor += visit.run(CONTRAST)
        faults += visit.run(CONTROLS)
        claim(not poor, f"all texts have enough contrast in {scheme} colors", ", ".join(poor[:5]))
        claim(not faults, f"controls have names, roles and size in {scheme} colors", ", ".join(faults[:5]))
        if scheme == "dark":
            visit.picture("dark-detail")
            visit.page.keyboard.press("Escape")
            visit.wait(lambda: not visit.page.locator("#detail").is_visible())
            visit.picture("dark")
        visit.close()
    visit = Page(browser, **tools, reduced_motion="reduce")
    visit.open(tiles=20)
    visit.page.keyboard.press("+")
    claim(visit.run("document.getAnimations().length") == 0, "nothing moves where less motion is wanted")
    visit.page.locator("#settings").click()
    visit.page.locator("#theme").select_option("dark")
    dark = "getComputedStyle(document.body).backgroundColor"
    claim(visit.run(dark) == "rgb(23, 21, 19)", "dark colors can be chosen", visit.run(dark))
    visit.close()
    visit = Page(browser, **tools, locale="nl-NL")
    visit.open(tiles=20)
    claim("Kunstwerken" in visit.text("#sections") and visit.run("document.documentElement.lang") == "nl", "it speaks Dutch")
    visit.close()
    visit = Page(browser, **tools, forced_colors="active")
    visit.open(tiles=20)
    colors = visit.run("""[...document.querySelectorAll('#sections a')].slice(0, 2).map((link) =>
        getComputedStyle(link).backgroundColor)""")
    claim(colors[0] != colors[1], "forced colors show the current section")
    visit.close()


def without_storage(browser, tools):
    visit = Page(browser, observe="Object.defineProperty(window, 'localStorage', { get() { throw new Error('denied') } })",
                 **tools)
    visit.open(tiles=20)
    claim(visit.tiles() > 20 and not visit.errors, "a browser that keeps nothing for pages shows it too")
    visit.close()


def status(browser, tools):
    visit = Page(browser, **tools)
    visit.open(tiles=20)
    claim(visit.wait(lambda: "hits" in visit.text("#status")), "a corner has the hit ratio", visit.text("#status"))
    visit.page.locator("#status").click()
    claim(visit.wait(lambda: visit.page.locator("#status-panel dd").count() == 4), "and opens on more",
          " · ".join(visit.page.locator("#status-panel dd").all_inner_texts()))
    visit.picture("status")
    visit.close()
    strip(browser, tools)
    visit = Page(browser, **tools)
    lacking = {"hitRatio": None, "requests": 0, "requestsPerSecond": 0, "warming": [],
               "disk": {"bytes": 0, "limit": 1}, "memory": {"bytes": 0, "limit": 1},
               "sources": [{"name": "tmdb", "missing": "TMDB needs a token."}]}
    visit.page.route("**/v1/status", lambda route: route.fulfill(json=lacking))
    visit.open(tiles=20)
    claim(visit.wait(lambda: "no credentials" in visit.text("#sections .is-off")), "a source without credentials is gray",
          visit.text("#sections .is-off"))
    claim(visit.page.locator("#sections .is-off").get_attribute("title") == "TMDB needs a token.", "with the reason")
    visit.allowed = ("503", "502")
    visit.page.route("**/v1/tmdb/**", lambda route: route.fulfill(
        status=503, json={"type": "urn:vitrine:problem:source-not-configured", "detail": "TMDB needs a token."}))
    visit.page.locator("#sections a").nth(1).click()
    claim(visit.wait(lambda: "needs a token" in visit.text("#more")) and visit.page.locator("#more button").count() == 0,
          "and nothing to try again")
    visit.page.unroute("**/v1/tmdb/**")
    visit.page.route("**/v1/tmdb/**", lambda route: route.fulfill(
        status=502, json={"type": "urn:vitrine:problem:source-failed", "detail": "curl: 7"}))
    visit.page.locator("#sections a").nth(0).click()
    visit.page.locator("#sections a").nth(1).click()
    claim(visit.wait(lambda: visit.text("#more p >> nth=0") == "TMDB can’t be reached."), "a failure is a sentence for people",
          visit.text("#more"))
    visit.close()


def strip(browser, tools):
    """While a cache is warmed."""
    visit = Page(browser, observe=SHIFTS, **tools)
    run = {"name": "tmdb popular --pages 1-2", "title": "Films", "source": "tmdb", "list": "movies/popular", "done": 217,
           "total": 300, "perSecond": 9.7}
    document = visit.page.request.get(BASE + "/v1/status").json() | {"warming": [run], "hitRatio": None}
    visit.page.route("**/v1/status", lambda route: route.fulfill(json=document))
    visit.open(tiles=20)
    claim(visit.wait(lambda: "217 of 300 pictures · 9.7 a second" in visit.text("#strip")) and visit.page.locator("#strip").is_visible(), "a strip tells how far warming is",
          visit.text("#strip"))
    claim("Films" in visit.text("#strip") and "--pages" not in visit.text("body"), "in words, not as a command")
    claim(visit.page.locator("#sections .is-filling").inner_text() == "Films", "and its tab fills")
    claim(sum(visit.run("shifts")) < 0.001, "without moving anything")
    visit.picture("strip")
    visit.close()


def without_the_origin(browser, tools, origin):
    """The catalogs are gone; their pages have expired."""
    visit = Page(browser, **tools)
    visit.open(tiles=20)
    os.kill(origin, signal.SIGKILL)
    # Reading a page renews it, so nothing is read until it has expired.
    visit.page.goto("about:blank")
    visit.page.wait_for_timeout(8000)
    visit.page.goto(BASE + "/")
    claim(visit.wait(lambda: visit.page.locator("#banner").is_visible() and "TVmaze can’t be reached" in visit.text("#banner")),
          "a list that is out of date says so", visit.page.locator("#banner").inner_text())
    visit.run("scrollTo(0, 2500)")
    visit.page.wait_for_timeout(500)
    box = visit.page.locator("#banner").bounding_box()
    claim(0 <= box["y"] and box["y"] + box["height"] <= 900, "and stays in sight")
    # A sentence that comes and goes doesn't lie on one that stays.
    apart = visit.run("""() => { const toast = document.querySelector('#toast'); toast.textContent = 'x'; toast.showPopover();
        const [one, other] = [toast, document.querySelector('#banner')].map((part) => part.getBoundingClientRect());
        toast.hidePopover(); return one.bottom <= other.top || other.bottom <= one.top; }""")
    claim(apart, "a toast doesn't lie on it")
    visit.picture("stale")
    visit.close()


def without_the_service(browser, tools, process):
    visit = Page(browser, **tools)
    visit.allowed = ("ERR_", "Failed to load")
    visit.open(tiles=20)
    os.kill(process.pid, signal.SIGTERM)
    process.wait(timeout=30)
    visit.section("Films")
    claim(visit.wait(lambda: "can’t be reached" in visit.text("#more")), "it says when the service can't be reached")
    claim(visit.page.locator("#more button").count() == 1, "and can be asked to try again")
    # Attempts that fail change the seconds, too, but never to one less.
    seen = []

    def is_counted():
        seen.extend(map(int, re.findall(r"\d+", visit.text("#more .soft"))))
        return any(before - after == 1 for before, after in zip(seen, seen[1:]))

    claim(visit.wait(is_counted), "in seconds that are counted", visit.text("#more .soft"))
    visit.close()
