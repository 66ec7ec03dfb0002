"""What a visitor keeps: favorites, and the order of an artist's albums."""
from visit import BASE, Page, claim


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
    drag(visit, 0, 1, 2)
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


def drag(visit, start, *ends):
    """Drags a tile over others with the mouse."""
    boxes = [visit.tile(index).bounding_box() for index in (start, *ends)]
    places = [(box["x"] + 40, box["y"] + 60) for box in boxes]
    visit.page.mouse.move(*places[0])
    visit.page.mouse.down()
    for place in places[1:]:
        visit.page.mouse.move(*place, steps=6)
    visit.page.mouse.up()


def albums(browser, tools):
    """An artist's albums in an order of the visitor, which this browser keeps."""
    visit = Page(browser, **tools)
    visit.allowed = ("404",)
    get = lambda path: visit.page.request.get(f"{BASE}/v1/spotify/artists{path}").json()["items"]
    artist = next(artist["id"] for artist in get("?q=the") if len(get(f"/{artist['id']}/albums")) > 3)
    sent = []
    visit.page.on("request", lambda request: request.method != "GET" and sent.append(request.url))
    path = f"/?in=artists&albumsOf={artist}"
    visit.open(path, tiles=4)
    order = visit.titles()
    wanted = [order[1], order[2], order[0], *order[3:]]
    drag(visit, 0, 1, 2)
    claim(visit.wait(lambda: visit.titles() == wanted), "dragging changes the order of an artist's albums", " · ".join(visit.titles()[:3]))
    claim(visit.page.locator("#detail[open]").count() == 0, "and opens nothing")
    visit.page.reload()
    claim(visit.wait(lambda: visit.titles() == wanted), "a reload keeps it")
    claim(not sent, "and nothing is sent for that", ", ".join(sent))
    other = Page(browser, **tools)
    other.allowed = ("404",)
    other.open(path, tiles=4)
    claim(other.titles() == order, "another browser has its own")
    other.close()
    claim(not visit.errors, "without an error", "; ".join(visit.errors))
    visit.close()


def expired_favorites(browser, tools):
    """Favorites whose items have expired are no news."""
    visit = Page(browser, **tools)
    items = ["tvmaze/show/1", "tvmaze/show/2", "tmdb/movie/" + visit.page.request.get(
        BASE + "/v1/tmdb/movies/popular").json()["items"][0]["id"]]
    for item in items:
        visit.page.request.put(f"{BASE}/v1/favorites/{item}")
    # The catalogs' answers have a life of six seconds here.
    visit.page.wait_for_timeout(8000)
    visit.open("/?in=favorites", tiles=3)
    answer = visit.page.request.get(BASE + "/v1/favorites").json()
    claim(not answer["stale"] and visit.page.locator("#banner").is_hidden(),
          "favorites that have expired are shown without an alarm", visit.page.locator("#banner").text_content())
    for item in items:
        visit.page.request.delete(f"{BASE}/v1/favorites/{item}")
    visit.close()
