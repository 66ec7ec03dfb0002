"""What a reload, Back and a shared address keep: in every section, after four screens, at three sizes."""
import own
from touch import PHONE
from visit import BASE, Page, claim

# The tile in the middle of the window, and where it is.
MIDDLE = """() => {
  const away = ({ left, top, width, height }) =>
    Math.hypot(left + width / 2 - innerWidth / 2, top + height / 2 - innerHeight / 2);
  const tiles = [...document.querySelectorAll('#grid .tile')]
    .map((tile) => [tile.dataset.item, tile.getBoundingClientRect()])
    .sort(([, one], [, other]) => away(one) - away(other));
  return tiles.length ? { item: tiles[0][0], top: tiles[0][1].top, screens: scrollY / innerHeight } : null;
}"""

SIZES = {"a desk": {"viewport": {"width": 1440, "height": 900}},
         "a large screen": {"viewport": {"width": 2560, "height": 1440}}, "a phone": PHONE}
DEMO = ["/", "/?in=films", "/?in=artworks", "/?in=albums&term=night", "/?in=artists&term=the", "/?in=favorites"]
OWN = ["/?in=source-products", "/?in=source-pictures&dir=2023/Rome"]
# As many as fill four screens of any size.
FAVORITES = 260


def everywhere(browser, tools, program):
    shows = range(1, FAVORITES + 1)
    visit = Page(browser, **tools)
    for number in shows:
        visit.page.request.put(f"{BASE}/v1/favorites/tvmaze/show/{number}")
    for size, context in SIZES.items():
        for path in DEMO:
            comes_back(browser, tools, BASE, path, size, context)
    for number in shows:
        visit.page.request.delete(f"{BASE}/v1/favorites/tvmaze/show/{number}")
    visit.close()
    with own.Own(program):
        for size, context in SIZES.items():
            for path in OWN:
                comes_back(browser, tools, own.BASE, path, size, context)


def comes_back(browser, tools, base, path, size, context):
    """Goes four screens down, or to the end, and returns in four ways."""
    where = f"{path} on {size}"
    visit = Page(browser, base=base, **tools, **context)
    # A picture may turn out to be absent, and a catalog may be elsewhere.
    visit.allowed = ("404", "502", "503", "504")
    visit.open(path, tiles=1)
    # A frozen tab answers no script, so it is asked before anything is read from it.
    for _ in range(4):
        visit.run("scrollBy(0, innerHeight)")
        visit.page.wait_for_timeout(300)
    visit.wait(visit.all_there)
    visit.page.wait_for_timeout(400)
    before = visit.run(MIDDLE)
    screens = f"{before['screens']:.1f} screens"
    visit.page.reload()
    if not claim_place(visit, before, f"a reload keeps the place of {where}", screens):
        return
    # A reload before the place is found loses nothing.
    visit.page.reload(wait_until="domcontentloaded")
    visit.page.reload()
    claim_place(visit, before, "so do two", screens)
    visit.page.goto("about:blank")
    visit.page.go_back()
    claim_place(visit, before, "Back from elsewhere, too", screens)
    visit.page.locator(f"#grid [data-item='{before['item']}'] a.open").click()
    visit.wait(lambda: "item=" in visit.page.url)
    shared = visit.page.url
    visit.page.reload()
    alive = visit.answers() and visit.wait(lambda: visit.page.locator("#detail").is_visible())
    visit.page.keyboard.press("Escape")
    visit.wait(lambda: not visit.page.locator("#detail").is_visible())
    claim_place(visit, before, "and a reload with an open picture", screens)
    visit.page.goto("about:blank")
    visit.page.goto(shared)
    alive = visit.answers() and visit.wait(lambda: visit.text(".where") != "")
    visit.page.keyboard.press("Escape")
    item = "document.activeElement.closest('.tile')?.dataset.item"
    claim(alive and visit.wait(lambda: visit.run(item) == before["item"]), "its address leads to its place in the list",
          visit.run(item))
    claim(not visit.errors, "without an error", "; ".join(visit.errors[:3]))
    visit.close()


def claim_place(visit, before, text, detail):
    alive = visit.answers()
    now = {}

    def is_back():
        now.update(visit.run(MIDDLE) or {})
        # At its end a list moves with the height of the footer.
        return now.get("item") == before["item"] and abs(now["top"] - before["top"]) < 16

    holds = alive and visit.wait(is_back)
    claim(holds, text, detail if holds else f"{detail}: {before} → {now}" if alive else f"{detail}: the tab is frozen")
    if not alive:
        visit.close()
    return alive


def bare_addresses(browser, tools):
    """Addresses that name a picture and no section."""
    visit = Page(browser, **tools)
    visit.allowed = ("404",)
    for list_, section in (("tmdb/movies/popular", "Films"), ("rijksmuseum/objects", "Artworks"), ("tvmaze/shows", "TV shows")):
        item = visit.page.request.get(f"{BASE}/v1/{list_}").json()["items"][3]["item"]
        visit.page.goto(f"{BASE}/?item={item}")
        claim(visit.wait(lambda: visit.text(".where").startswith("4 of")) and visit.text("#sections [aria-current]") == section,
              f"the address of a picture alone opens {section}, and has its place there", visit.text(".where"))
        ring = visit.run("getComputedStyle(document.querySelector('#stage')).outlineStyle")
        claim(ring == "none", "without a frame around the picture", ring)
    visit.close()


def kept_lists(browser, tools):
    """A list that was shown before is shown again at once, with its own pictures."""
    visit = Page(browser, **tools)
    visit.allowed = ("404",)
    shown = "[...document.querySelectorAll('#grid .tile')].slice(0, 12).map((tile) => [tile.dataset.item, tile.querySelector('b').textContent].join(' '))"
    visit.open(tiles=20)
    before = visit.run(shown)
    visit.section("Films")
    visit.wait(lambda: "in=films" in visit.page.url and visit.tiles() > 5)
    films = visit.run(shown)
    visit.page.go_back()
    visit.page.wait_for_timeout(600)
    claim(visit.run(shown) == before, "Back shows the pictures of its own list", visit.run(shown)[0])
    visit.page.go_forward()
    visit.page.wait_for_timeout(600)
    claim(visit.run(shown) == films, "so does Forward", visit.run(shown)[0])
    visit.page.go_back()
    visit.page.locator("#term").fill("light")
    visit.wait(lambda: "term=light" in visit.page.url and 0 < visit.tiles() < 20)
    visit.page.locator("#term").fill("")
    visit.wait(lambda: "term" not in visit.page.url)
    visit.page.wait_for_timeout(600)
    claim(visit.run(shown) == before, "and a search that is cleared", visit.run(shown)[0])
    claim(not visit.errors, "without an error", "; ".join(visit.errors))
    visit.close()
