"""Lists: size, layout, scrolling, search, filters."""
import base64

from visit import BASE, Page, claim

ACCENT = (184, 64, 11)


def sizes(browser, tools):
    visit = Page(browser, **tools)
    visit.open(tiles=20)
    width = visit.tile(0).bounding_box()["width"]
    for _ in range(5):
        visit.page.keyboard.press("+")
    claim(visit.tile(0).bounding_box()["width"] > 2 * width, "“+” makes pictures larger")
    claim(visit.wait(lambda: visit.run("document.querySelector('#grid img').src").find("/t/l/") > 0), "in the level for it")
    visit.picture("large")
    for _ in range(8):
        visit.page.keyboard.press("-")
    claim(visit.tile(0).bounding_box()["width"] < width, "“−” makes them smaller")
    visit.picture("small")
    visit.page.reload()
    visit.wait(lambda: visit.tiles() > 20)
    claim(visit.tile(0).bounding_box()["width"] < width, "the size is kept")
    for _ in range(4):
        visit.page.keyboard.press("+")
    visit.run("scrollTo(0, 1500)")
    visit.page.wait_for_timeout(400)
    visit.page.mouse.move(700, 450)
    under = "document.elementFromPoint(700, 450)?.closest('.tile')?.dataset.index"
    place = "(index) => document.querySelector(`[data-index='${index}']`)?.getBoundingClientRect().top"
    before = visit.run(under)
    top = visit.run(place, before)
    visit.page.keyboard.down("Control")
    for _ in range(3):
        visit.page.mouse.wheel(0, -60)
        visit.page.wait_for_timeout(60)
    visit.page.keyboard.up("Control")
    visit.page.wait_for_timeout(300)
    after = visit.run(place, before)
    inside = visit.run("""(index) => { const box = document.querySelector(`[data-index='${index}']`)
        ?.getBoundingClientRect(); return Boolean(box && box.top <= 452 && box.bottom >= 448); }""", before)
    claim(inside, "Ctrl and the wheel keep the picture under the pointer at its height", f"{top:.0f} → {after or -1:.0f} px")
    visit.page.locator("#as-list").click()
    claim(visit.wait(lambda: visit.run("document.querySelector('#grid').dataset.kind") == "list"), "a list is a choice")
    apart = visit.run("""() => {
        const lefts = (selector) => [...document.querySelectorAll(selector)].map((part) => part.getBoundingClientRect().left);
        const names = lefts('#columns span');
        const texts = [...lefts('#grid .row:nth-child(2) .caption > b'), ...lefts('#grid .row:nth-child(2) .line > span')];
        return Math.max(...names.slice(0, 4).map((left, column) => Math.abs(left - texts[column])));
    }""")
    claim(apart < 1, "whose columns stand under their names", f"{apart:.1f} px apart")
    visit.picture("list")
    visit.page.locator("#as-grid").click()
    visit.close()


def keyboard(browser, tools):
    visit = Page(browser, **tools)
    visit.open(tiles=20)
    visit.run("document.querySelector('#grid a.open').focus()")
    index = "document.activeElement.closest('.tile')?.dataset.index"
    visit.page.keyboard.press("ArrowRight")
    claim(visit.run(index) == "1", "arrows move from tile to tile")
    visit.page.keyboard.press("Tab")
    claim(visit.run(index) is None, "the grid is one stop of the Tab key", visit.run("document.activeElement.outerHTML.slice(0, 60)"))
    visit.page.keyboard.press("Shift+Tab")
    claim(visit.run(index) == "1", "and back is the tile of before", visit.run(index))
    for _ in range(14):
        visit.page.keyboard.press("ArrowDown")
    visit.page.wait_for_timeout(200)
    box = visit.run("(() => { const b = document.activeElement.getBoundingClientRect(); return [b.top, b.bottom]; })()")
    header = visit.run("document.querySelector('header').getBoundingClientRect().bottom")
    footer = visit.run("document.querySelector('footer').getBoundingClientRect().top")
    claim(box[0] >= header and box[1] <= footer, "what is focused is neither under the header nor the footer",
          f"{box[0]:.0f}–{box[1]:.0f} px")
    visit.page.keyboard.press("ArrowUp")
    visit.page.wait_for_timeout(200)
    claim(ring(visit) == 4, "its ring shows on all four sides", f"{ring(visit)} sides")
    visit.page.keyboard.press("Control+End")
    claim(visit.wait(lambda: int(visit.run(index) or 0) > 200), "Ctrl and End go to the last tile", visit.run(index))
    visit.page.keyboard.press("Control+Home")
    claim(visit.wait(lambda: visit.run(index) == "0"), "Ctrl and Home to the first")
    visit.page.keyboard.press("PageDown")
    claim(visit.wait(lambda: int(visit.run(index) or 0) > 8), "PgDn goes down a screen", visit.run(index))
    visit.page.keyboard.press("?")
    claim(visit.wait(lambda: visit.page.locator("#keys-panel kbd").count() > 8), "“?” shows the keys")
    visit.page.keyboard.press("Escape")
    visit.page.locator("#sections a").nth(1).focus()
    visit.page.keyboard.press("Enter")
    visit.wait(lambda: "in=films" in visit.page.url)
    claim(visit.run("document.activeElement.textContent") == "Films", "Enter on a tab keeps the focus",
          visit.run("document.activeElement.tagName"))
    visit.close()


def ring(visit):
    """Sides of the focused element at which the accent's color is seen."""
    box = visit.run("""(() => { const b = document.activeElement.getBoundingClientRect();
        return [b.left, b.top, b.right, b.bottom]; })()""")
    shot = base64.b64encode(visit.page.screenshot()).decode()
    return visit.run("""async ([shot, [left, top, right, bottom], accent]) => {
        const image = new Image();
        image.src = `data:image/png;base64,${shot}`;
        await image.decode();
        const canvas = new OffscreenCanvas(image.width, image.height);
        const context = canvas.getContext('2d');
        context.drawImage(image, 0, 0);
        const isAccent = (x, y) => context.getImageData(x, y, 1, 1).data.slice(0, 3)
            .reduce((sum, value, index) => sum + Math.abs(value - accent[index]), 0) < 60;
        const seen = (x, y, across, down) => Array.from({ length: 9 }, (_, d) =>
            isAccent(x + across * d, y + down * d)).some(Boolean);
        const [x, y] = [(left + right) / 2, (top + bottom) / 2];
        return [seen(left, y, -1, 0), seen(right, y, 1, 0), seen(x, top, 0, -1), seen(x, bottom, 0, 1)]
            .filter(Boolean).length;
    }""", [shot, box, ACCENT])


def places(browser, tools):
    """Where a list was, after Back and reloads."""
    visit = Page(browser, **tools)
    visit.open(tiles=20)
    visit.run("scrollTo(0, 2600)")
    visit.page.wait_for_timeout(600)
    seen = "document.elementFromPoint(700, 400)?.closest('.tile')?.dataset.item"
    before = visit.run(seen)
    visit.page.reload()
    claim(visit.wait(lambda: visit.run(seen) == before), "a reload keeps the place in the list", before)
    visit.section("Films")
    visit.wait(lambda: "in=films" in visit.page.url and visit.tiles() > 10)
    visit.page.go_back()
    claim(visit.wait(lambda: visit.run(seen) == before), "Back, too")
    items = set()
    visit.section("Films")
    visit.wait(lambda: visit.tiles() > 10)
    count = 0
    for _ in range(60):
        found = visit.run("[...document.querySelectorAll('#grid .tile')].map((t) => [t.dataset.index, t.dataset.item])")
        items.update(map(tuple, found))
        visit.run("scrollBy(0, 800)")
        visit.page.wait_for_timeout(60)
        if visit.run("scrollY + innerHeight >= document.body.scrollHeight - 2"):
            count += 1
            if count > 4:
                break
    names = [item for _, item in items]
    claim(len(names) == len(set(names)), "no film is shown twice", f"{len(names)} films")
    lines = visit.run("[...document.querySelectorAll('#grid .line')].map(({ children }) => [...children].map((part) => part.textContent))")
    twice = [line for line in lines if line[1] and line[1] in line[0]]
    claim(lines and not twice, "no year is written twice", ", ".join(map(str, twice[:2])))
    visit.close()


def search(browser, tools):
    visit = Page(browser, **tools)
    visit.open(tiles=20)
    entries = visit.run("history.length")
    visit.page.keyboard.press("/")
    visit.page.keyboard.type("li", delay=20)
    claim(visit.wait(lambda: "three letters" in visit.text("#rule")), "the three-letter rule is said where it is broken")
    visit.page.keyboard.type("ght", delay=20)
    claim(visit.wait(lambda: "term=light" in visit.page.url and 0 < visit.tiles() < 100), "a search shows what is found")
    title = visit.titles()[0]
    claim("light" in title.lower(), f"which is “{title}”")
    claim(visit.run("history.length") == entries + 1, "typing makes one entry of the history")
    visit.page.locator("#term").fill("zzzzqqq")
    claim(visit.wait(lambda: "Nothing was found" in visit.text("#more")), "or says that nothing is")
    visit.page.go_back()
    claim(visit.wait(lambda: "term" not in visit.page.url and visit.tiles() > 20), "Back returns to the list")
    visit.page.locator("#term").fill("lighthouse")
    visit.page.locator("#searching [type=submit]").click()
    claim(visit.wait(lambda: "term=lighthouse" in visit.page.url), "the button searches, too")
    terms = [row["term"] for row in visit.page.request.get(BASE + "/v1/history").json()["searches"]]
    claim(not any(other != term and other.startswith(term) for term in terms for other in terms),
          "the history keeps no half-typed words", ", ".join(terms))
    visit.open()
    visit.page.locator("summary").first.click()
    visit.page.locator("#from").fill("2999-01-01")
    claim(visit.wait(lambda: "in the future" in visit.text("#date-rule")) and "from" not in visit.page.url and not visit.errors,
          "a date in the future is refused beside its field, without a request", "; ".join(visit.errors))
    visit.open("/?title=zzzzqqq", tiles=0)
    visit.wait(lambda: "Nothing was found" in visit.text("#more"))
    visit.page.locator("summary").first.click()
    visit.page.locator("#from").fill("2019-01-01")
    visit.page.locator("#to").fill("2010-01-01")
    claim(visit.wait(lambda: "is after" in visit.text("#date-rule") and not visit.page.locator("#more p").count()),
          "two mistakes are told as one")
    visit.open("/?term=zzzzqqq", tiles=0)
    claim(visit.wait(lambda: "for “zzzzqqq” in TV shows" in visit.text("#more")), "an empty result names the words")
    visit.page.get_by_text("Search Films for").click()
    claim(visit.wait(lambda: "in=films" in visit.page.url and "term=zzzzqqq" in visit.page.url), "and leads to other sections")
    claim(visit.page.title().startswith("“zzzzqqq” in Films"), "the title names them, too", visit.page.title())
    visit.page.locator("#history").click()
    claim(visit.wait(lambda: visit.page.locator("#history-panel li").count() > 0), "every search is in the history")
    visit.picture("history")
    visit.page.get_by_role("button", name="Clear the history").click()
    claim(visit.wait(lambda: "No searches yet" in visit.text("#history-panel")), "which can be cleared")
    visit.allowed = ("400",)
    visit.open("/?from=2999-01-01", tiles=0)
    claim(visit.wait(lambda: "in the future" in visit.text("#more")), "what is asked wrongly is answered with the sentence of the service")
    visit.open()
    visit.page.locator("summary").first.click()
    visit.page.locator("#genre").select_option("Drama")
    claim(visit.wait(lambda: "genre=Drama" in visit.page.url and visit.text("#chips").startswith("Genre")), "filters work, and are named")
    visit.page.keyboard.press("Escape")
    claim(not visit.run("document.querySelector('#filters').open"), "Escape closes the filters")
    visit.page.locator("#chips button").click()
    claim(visit.wait(lambda: "genre" not in visit.page.url), "a filter goes with its chip")
    visit.page.route("**/v1/tvmaze/shows*", lambda route: route.fulfill(json={
        "items": [], "next": "/v1/tvmaze/shows?page=9", "total": None, "stale": False,
        "fetchedAt": "2026-01-01T00:00:00Z", "expiresAt": "2030-01-01T00:00:00Z"}))
    visit.open("/?title=zzzz", tiles=0)
    claim(visit.wait(lambda: visit.page.get_by_role("button", name="Search further").count() == 1),
          "a filter that found nothing yet asks before it looks further")
    visit.close()


def other_sources(browser, tools):
    visit = Page(browser, **tools)
    # A picture that was never asked for may turn out to be absent.
    visit.allowed = ("404",)
    visit.open("/?in=films", tiles=10)
    claim(visit.wait(visit.all_there), "films are shown")
    cut = {}
    for width in (1024, 1210, 1270, 1280, 1400):
        visit.page.set_viewport_size({"width": width, "height": 900})
        if visit.run("document.querySelector('#sections').scrollWidth > document.querySelector('#sections').clientWidth"):
            cut[width] = visit.run("document.querySelector('#sections').clientWidth")
    claim(not cut, "every section is in sight beside the search, on desks of all widths", cut or "")
    credit = visit.page.locator("#credit").bounding_box()
    claim("TMDB" in visit.text("#credit") and credit["y"] + credit["height"] <= 900, "with their credit in sight")
    visit.page.locator("#list").select_option("tmdb/movies/top-rated")
    claim(visit.wait(lambda: "top-rated" in visit.page.url and visit.tiles() > 10), "of another list as well")
    visit.picture("films")
    visit.section("Artworks")
    claim(visit.wait(lambda: "artworks" in visit.page.url and visit.tiles() > 20 and visit.all_there()), "artworks are shown")
    rows = visit.run("""(() => { const row = [...document.querySelector('#grid .row').children].map((t) =>
        t.querySelector('.frame').getBoundingClientRect()); return [Math.min(...row.map((b) => b.height)),
        Math.max(...row.map((b) => b.height)), Math.max(...row.map((b) => b.right))]; })()""")
    claim(rows[1] - rows[0] < 1, "in rows of one height", f"{rows[0]:.0f} px")
    visit.picture("artworks")
    english = visit.titles()[0]
    visit.page.locator("summary").first.click()
    visit.page.locator("[name=lang]").select_option("nl")
    # The list is empty for a moment.
    claim(visit.wait(lambda: visit.tiles() > 20 and visit.titles()[:1] not in ([], [english])), "in Dutch as well")
    visit.section("Albums")
    claim(visit.wait(lambda: visit.tiles() > 5), "albums show what is here before anything is searched")
    claim(visit.page.locator("#welcome button").count() > 2, "and words to search for")
    visit.picture("welcome")
    visit.page.locator("#term").fill("night")
    claim(visit.wait(lambda: "term=night" in visit.page.url and visit.tiles() > 5 and visit.all_there()), "and are found")
    visit.picture("albums")
    large = visit.run("""[...document.querySelectorAll('#grid img.is-there')].filter((image) =>
        image.getBoundingClientRect().width > 1.09 * Math.max(image.naturalWidth, 320)).length""")
    claim(large == 0, "no small cover is enlarged")
    visit.section("Artists")
    claim(visit.wait(lambda: "artists" in visit.page.url and visit.tiles() > 3), "artists, too")
    visit.page.locator("#term").fill("the")
    claim(visit.wait(lambda: "term=the" in visit.page.url and visit.tiles() > 3), "artists are found")
    found = visit.page.url
    visit.page.locator("#grid .open").first.click()
    visit.page.locator("#facts").get_by_text("Albums of this artist").click()
    claim(visit.wait(lambda: "albumsOf" in visit.page.url and visit.tiles() > 0), "and lead to their albums")
    claim(visit.wait(lambda: visit.text("#heading").startswith("Albums by") and visit.page.title().startswith("Albums by")),
          "which have a heading and a title", visit.page.title())
    makers = visit.run("[...document.querySelectorAll('#grid .line > :first-child')].filter((text) => text.textContent).length")
    claim(makers == 0, "and don't repeat their artist", makers)
    visit.page.go_back()
    visit.page.go_back()
    claim(visit.wait(lambda: visit.page.url == found and visit.tiles() > 3), "and back")
    claim(not visit.errors and not visit.foreign, "without an error or a request to another host",
          "; ".join(visit.errors + visit.foreign))
    visit.close()
