"""Small things of the page, each of which was wrong once."""
from touch import PHONE
from visit import Page, claim

# Tiles of justified rows whose frames are more than two pixels wider or narrower than their pictures, whose own sizes are
# rounded.
MISFITS = """() => [...document.querySelectorAll('#grid .tile:has(img.is-there)')].map((tile) => {
  const image = tile.querySelector('img');
  const ratio = image.naturalWidth / image.naturalHeight;
  const { width, height } = tile.querySelector('.frame').getBoundingClientRect();
  return [tile.dataset.item, ratio > 4 || ratio < 0.25 ? 0 : Math.abs(width - height * ratio)];
}).filter(([, apart]) => apart > 2.5)"""

OVERLAP = """([one, other]) => {
  const [a, b] = [one, other].map((selector) => document.querySelector(selector).getBoundingClientRect());
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}"""


def faces(browser, tools):
    rows(browser, tools)
    tables(browser, tools)
    sheet(browser, tools)
    forced(browser, tools)
    dates(browser, tools)
    ends(browser, tools)
    trace(browser, tools)
    written(browser, tools)


def rows(browser, tools):
    """Justified rows: the last tile has no more than what is its own."""
    for size in (64, 96, 120, 160, 220, 320):
        visit = Page(browser, observe=f"localStorage.setItem('size', '{size}')", **tools)
        visit.allowed = ("404",)
        visit.open("/?in=artworks", tiles=6)
        wrong = {}
        for _ in range(8):
            visit.wait(visit.all_there, 5)
            visit.page.wait_for_timeout(100)
            wrong |= dict(visit.run(MISFITS))
            visit.run("scrollBy(0, 700)")
        claim(not wrong, f"a tile of {size} px is within 2 px of its picture's shape", dict(list(wrong.items())[:3]) or "")
        visit.close()


def tables(browser, tools):
    """A table has the columns that something is in."""
    visit = Page(browser, observe="for (const id of ['artworks', 'shows']) localStorage.setItem('layout:' + id, 'list')", **tools)
    visit.allowed = ("404",)
    visit.open("/?in=artworks", tiles=10)
    names = visit.run("[...document.querySelectorAll('#columns span')].filter((name) => name.checkVisibility()).map((name) => name.textContent)")
    claim(names == ["Title", "By", "Year"], "a table has no column that is empty, nor sizes that are not the original's", ", ".join(names))
    visit.wait(visit.all_there)
    cut = visit.run("""[...document.querySelectorAll('#grid .placeholder')].filter((place) =>
        place.scrollWidth > place.clientWidth || place.scrollHeight > place.clientHeight).length""")
    claim(cut == 0 and visit.page.locator("#grid .placeholder").count() > 0, "its placeholders are not cut", cut)
    visit.close()


def sheet(browser, tools):
    """A phone, upright and on its side."""
    visit = Page(browser, **tools, **PHONE)
    visit.open(tiles=6)
    visit.page.locator("#find").tap()
    visit.wait(lambda: visit.page.locator("#search").is_visible())
    visit.page.touchscreen.tap(195, 700)
    visit.page.wait_for_timeout(500)
    claim(not visit.page.locator("#search").is_visible() and visit.page.locator("#detail[open]").count() == 0,
          "a tap beside the search sheet closes it, and opens nothing")
    visit.page.touchscreen.tap(195, 600)
    claim(visit.wait(lambda: visit.page.locator("#detail[open]").count() == 1), "the next tap opens a picture")
    visit.open("/?in=films", tiles=4)
    credit = visit.run("(() => { const c = document.querySelector('#credit'); return [c.scrollHeight - c.clientHeight, c.clientHeight]; })()")
    claim(credit[0] <= 1 and credit[1] <= 44, "a credit is whole, on three lines at most", f"{credit[1]} px")
    visit.page.locator("#sections a").nth(3).tap()
    visit.wait(lambda: visit.run("document.querySelector('#sections').scrollLeft") > 0)
    sides = visit.run("[...document.querySelector('#sections').classList].sort()")
    claim(sides == ["has-after", "has-before"], "tabs fade at both ends", ", ".join(sides))
    visit.page.set_viewport_size({"width": 844, "height": 390})
    visit.open(tiles=4)
    room = visit.run("document.querySelector('#footer').getBoundingClientRect().top - document.querySelector('#header').getBoundingClientRect().bottom")
    claim(room > 280, "a phone on its side has room for pictures", f"{room:.0f} of 390 px")
    visit.picture("phone-side")
    visit.close()


def forced(browser, tools):
    visit = Page(browser, forced_colors="active", **tools)
    visit.open("/?item=tvmaze/show/5")
    pressed = "[...document.querySelectorAll('#levels [aria-pressed=true], #layout [aria-pressed=true]')]"
    visit.wait(lambda: visit.run(f"{pressed}.length") > 2)
    same = visit.run(f"""{pressed}.filter((button) => {{
        const {{ color, backgroundColor }} = getComputedStyle(button);
        return [color, getComputedStyle(document.body).backgroundColor, 'rgba(0, 0, 0, 0)'].includes(backgroundColor);
    }}).map((button) => button.textContent)""")
    claim(not same, "pressed buttons can be read in forced colors", ", ".join(same))
    visit.picture("forced-detail")
    visit.close()


def dates(browser, tools):
    visit = Page(browser, **tools)
    visit.open("/?from=2010-01-02", tiles=1)
    claim("2 January 2010" in visit.text("#chips"), "a filter's date is written for people", visit.text("#chips"))
    claim(visit.page.title().startswith("2 January 2010 – TV shows"), "and the title of the page has it", visit.page.title())
    visit.page.locator("summary").first.click()
    visit.page.locator("#to").fill("2001-01-01")
    near = visit.wait(lambda: "is after" in visit.text("#date-rule"))
    apart = visit.run("""(() => { const [one, other] = ['#date-rule', '#to'].map((id) => document.querySelector(id).getBoundingClientRect());
        return one.top - other.bottom; })()""")
    claim(near and 0 <= apart < 40, "what is wrong with dates is said below them", f"{apart:.0f} px")
    visit.picture("dates")
    # A sentence that comes while one types.
    visit.run("(() => { const toast = document.querySelector('#toast'); toast.textContent = 'A sentence'; toast.showPopover(); })()")
    claim(not visit.run(OVERLAP, ["#toast", "#filters > div"]), "a toast doesn't lie on the filters")
    visit.close()


def ends(browser, tools):
    visit = Page(browser, **tools)
    visit.open(tiles=20)
    gap = visit.run("document.querySelector('#grid').getBoundingClientRect().top - document.querySelector('#header').getBoundingClientRect().bottom")
    claim(gap <= 20, "pictures begin below the header", f"{gap:.0f} px")
    visit.run("scrollTo(0, 1500)")
    visit.page.wait_for_timeout(300)
    visit.run("document.querySelector('#grid a.open').focus()")
    visit.page.keyboard.press("Control+Home")
    visit.page.wait_for_timeout(200)
    claim(visit.run("scrollY") == 0, "Ctrl and Home go to the top of the page", visit.run("scrollY"))
    visit.page.keyboard.press("?")
    visit.wait(lambda: visit.page.locator("#keys-panel").is_visible())
    apart = visit.run("document.querySelector('#keys-panel > button').getBoundingClientRect().top - document.querySelector('#keys-panel dl').getBoundingClientRect().bottom")
    claim(apart >= 8, "the sheet of keys has room above its button", f"{apart:.0f} px")
    visit.close()


def trace(browser, tools):
    """What is told of candidates."""
    visit = Page(browser, **tools)

    def odd(route):
        document = route.fetch().json()
        document["candidates"][0].update(state="remembered", bytes=12, format="jpeg", size={"width": 0, "height": 0}, reason="It ends too early.")
        route.fulfill(json=document)

    visit.page.route("**/v1/explain/**", odd)
    visit.open("/?item=tvmaze/show/5")
    first = visit.page.locator("#trace .chain li").first
    visit.wait(lambda: first.count() == 1)
    claim("failed" in first.inner_text() and "0 × 0" not in first.inner_text(), "a candidate that failed earlier is said to have failed",
          first.inner_text().replace("\n", " · "))
    visit.close()
    visit = Page(browser, **tools)
    visit.allowed = ("404",)
    visit.open("/?item=tvmaze/show/99999999", tiles=0)
    visit.wait(lambda: "no picture at this address" in visit.text("#detail h2"))
    tools_ = [name for name in ("Share", "Download", "Zoom") if visit.page.get_by_role("button", name=name, exact=True).is_visible()]
    claim(not tools_, "nothing can be done with what is not there", ", ".join(tools_))
    visit.close()


def written(browser, tools):
    """Titles from right to left, and stars on pictures."""
    visit = Page(browser, **tools)

    def arabic(route):
        document = route.fetch().json()
        document["items"][0]["title"] = "صورة-1.jpg"
        document["items"][0]["favorite"] = True
        route.fulfill(json=document)

    visit.page.route("**/v1/tvmaze/shows*", arabic)
    visit.open(tiles=10)
    bidi = visit.run("getComputedStyle(document.querySelector('#grid .caption b')).unicodeBidi")
    claim(bidi == "plaintext", "titles are written in the direction of their own letters", bidi)
    disc = visit.run("getComputedStyle(document.querySelector('#grid .star[aria-pressed=true]')).backgroundColor")
    claim(disc == "rgba(0, 0, 0, 0)", "a star hides no more than itself", disc)
    visit.page.emulate_media(media="print")
    shown = visit.run("['#header', '#footer'].filter((part) => document.querySelector(part).checkVisibility())")
    claim(not shown, "a print has the pictures only", ", ".join(shown))
    visit.close()
