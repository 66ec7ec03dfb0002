"""What is lost on its way says nothing of a picture: what is at hand stays, and everything comes by itself afterwards."""
import re

from visit import Page, claim

STAGE = "document.querySelector('#stage .picture > img:last-of-type')"
# Whether the tile's picture is shown on the stage.
AT_HAND = "document.querySelector('#stage .at-hand')?.width > 1 && !document.querySelector('#stage .placeholder')"
SHARP = f"({STAGE}?.naturalWidth ?? 0) > 400"


def lost_requests(browser, tools):
    opened_offline(browser, tools)
    service_away(browser, tools)
    lost_in_a_list(browser, tools)
    lost_zoom(browser, tools)
    lost_address(browser, tools)
    lost_page(browser, tools)
    lost_actions(browser, tools)


def opened_offline(browser, tools):
    """A picture on the screen is opened while the device is offline."""
    visit = Page(browser, **tools)
    visit.allowed = ("ERR_INTERNET_DISCONNECTED",)
    visit.open(tiles=20)
    visit.wait(visit.all_there)
    visit.context.set_offline(True)
    visit.tile(3).locator("a").click()
    visit.wait(lambda: visit.page.locator("#detail").is_visible())
    claim(visit.wait(lambda: "offline" in visit.text("#stage .note")), "a picture that is opened offline says so",
          visit.text("#stage"))
    claim(visit.run(AT_HAND), "and the picture at hand stays")
    visit.picture("offline")
    visit.context.set_offline(False)
    claim(visit.wait(lambda: visit.run(SHARP) and visit.text("#stage .note") == "", 5), "online, the sharp one comes by itself",
          visit.text("#stage"))
    claim(visit.wait(lambda: visit.page.locator("#trace .chain li").count() > 0, 5), "and where it comes from")
    visit.page.keyboard.press("Escape")
    visit.wait(lambda: not visit.page.locator("#detail").is_visible())
    claim(visit.tile(3).locator("img.is-there").count() == 1, "and its tile has its picture")
    claim(not visit.errors, "without an error", "; ".join(visit.errors[:3]))
    visit.close()


def service_away(browser, tools):
    """The service restarts while a picture is opened: nothing can be asked, or a proxy answers."""
    for how, sentence in (("nothing", "The service can’t be reached."), ("a proxy", "The service answered 502.")):
        visit = Page(browser, **tools)
        visit.allowed = ("ERR_FAILED", "502")
        visit.open(tiles=20)
        visit.wait(visit.all_there)
        away = [True]

        def answer(route):
            if not away[0]:
                route.continue_()
            elif how == "nothing":
                route.abort()
            else:
                route.fulfill(status=502, body="<h1>Bad Gateway</h1>", content_type="text/html")

        visit.page.route(re.compile(r"/(t|v1)/"), answer)
        visit.tile(4).locator("a").click()
        visit.wait(lambda: visit.page.locator("#detail").is_visible())
        told = visit.wait(lambda: visit.text("#stage .note") == sentence) if how == "nothing" else True
        claim(told and visit.run(AT_HAND), f"a picture at hand stays while {how} answers", visit.text("#stage"))
        away[0] = False
        claim(visit.wait(lambda: visit.run(SHARP) and visit.page.locator("#trace .chain li").count() > 0, 10),
              "and all comes by itself afterwards", visit.text("#stage"))
        claim(not visit.errors, "without an error", "; ".join(visit.errors[:3]))
        visit.close()


def lost_in_a_list(browser, tools):
    """A list whose pictures are lost for half a minute; the clock of the page runs faster."""
    visit = Page(browser, **tools)
    visit.allowed = ("ERR_FAILED",)
    away = [True]
    asked = []
    visit.page.route("**/t/**", lambda route: (asked.append(route.request.url), route.abort()) if away[0] else route.continue_())
    visit.open(tiles=20)
    # Its first attempts are timed by the machine's clock.
    visit.page.clock.install()
    visit.wait(lambda: len(asked) > 2 * len(set(asked)) - 8, 10)
    for _ in range(30):
        visit.page.clock.run_for(2_000)
        visit.page.wait_for_timeout(120)
    told = visit.run("[...document.querySelectorAll('.placeholder small')].map((text) => text.textContent)")
    claim(len(asked) > 5 * 20 and "Origin unreachable" not in told, "lost pictures of a list are not said to have failed",
          f"{len(asked)} requests, {set(told)}")
    away[0] = False
    visit.run("dispatchEvent(new Event('online'))")
    claim(visit.wait(visit.all_there, 10), "and come when the device is online")
    visit.close()


def lost_zoom(browser, tools):
    visit = Page(browser, **tools)
    visit.allowed = ("404", "ERR_FAILED")
    visit.open("/?in=artworks", tiles=10)
    visit.tile(0).locator("a").click()
    zoom = visit.page.get_by_role("button", name="Zoom", exact=True)
    visit.wait(zoom.is_visible)
    away = [True]
    visit.page.route("**/iiif/3/**", lambda route: route.abort() if away[0] else route.continue_())
    tiles = []
    visit.page.on("response", lambda answer: "/0/default.jpg" in answer.url and tiles.append(answer.url))
    zoom.click()
    claim(visit.wait(lambda: visit.text(".hint") == "The service can’t be reached."), "a zoom without the service says so",
          visit.text(".hint"))
    away[0] = False
    claim(visit.wait(lambda: tiles, 10), "and gets its tiles afterwards", f"{len(tiles)} tiles")
    visit.close()


def lost_address(browser, tools):
    """The address of a picture whose first requests are lost."""
    visit = Page(browser, **tools)
    visit.allowed = ("ERR_FAILED",)
    away = [True]
    visit.page.route(re.compile(r"/(t|v1)/"), lambda route: route.abort() if away[0] else route.continue_())
    visit.open("/?item=tvmaze/show/5", tiles=0)
    claim(visit.wait(lambda: "can’t be reached" in visit.text("#detail h2")), "an address whose requests are lost says so",
          visit.text("#detail h2"))
    claim(visit.page.locator("#stage .placeholder").count() == 0, "and not that there is no picture")
    away[0] = False
    claim(visit.wait(lambda: visit.run(SHARP) and visit.text(".where").startswith("5 of"), 15),
          "picture and place come by themselves afterwards", visit.text("#detail h2"))
    visit.close()


def lost_page(browser, tools):
    """A page of a list that is lost while a reload looks for its place."""
    visit = Page(browser, **tools)
    visit.allowed = ("ERR_FAILED", "404")
    visit.open("/?in=films", tiles=8)
    for _ in range(3):
        visit.run("scrollBy(0, innerHeight)")
        visit.page.wait_for_timeout(400)
    before = visit.run("scrollY")
    lost = []
    visit.page.route("**/v1/tmdb/movies/popular?page=2*",
                     lambda route: route.continue_() if lost else (lost.append(route.request.url), route.abort()))
    visit.page.reload()
    claim(visit.answers() and visit.wait(lambda: abs(visit.run("scrollY") - before) < 2) and lost,
          "a reload finds its place though a page was lost", f"{before} px, {len(lost)} lost")
    visit.close()


def lost_actions(browser, tools):
    """Every action whose first request is lost: it comes by itself, or works when it is done again."""
    visit = Page(browser, **tools)
    visit.allowed = ("ERR_FAILED", "404")

    def lose(pattern):
        """Loses the next request for a path, and returns what was lost."""
        lost = []

        def answer(route):
            if lost:
                route.continue_()
            else:
                lost.append(route.request.url)
                route.abort()

        visit.page.route(re.compile(pattern), answer)
        return lost

    visit.page.request.delete(visit.base + "/v1/favorites/tvmaze/show/3")
    visit.open(tiles=20)
    lost = lose("/v1/tvmaze/search")
    visit.page.locator("#term").fill("light")
    found = visit.wait(lambda: lost and 0 < visit.tiles() < 20 and "light" in " ".join(visit.titles()).lower(), 10)
    claim(found, "a search that was lost comes by itself", f"{visit.tiles()} tiles")
    visit.page.locator("#term").fill("")
    visit.wait(lambda: "term" not in visit.page.url and visit.tiles() > 20)
    lost = lose("/v1/favorites/")
    star = visit.tile(2).locator(".star")
    visit.tile(2).hover()
    star.click()
    told = visit.wait(lambda: "was not changed" in visit.text("#toast"))
    star.click()
    claim(told and visit.wait(lambda: star.get_attribute("aria-pressed") == "true"), "a star that was lost works again",
          f"{visit.text('#toast')} {star.get_attribute('aria-pressed')}")
    star.click()
    visit.wait(lambda: star.get_attribute("aria-pressed") == "false")
    lost = lose("/v1/history")
    visit.page.locator("#history").click()
    told = visit.wait(lambda: "can’t be reached" in visit.text("#history-panel") and "No searches" not in visit.text("#history-panel"))
    visit.page.keyboard.press("Escape")
    visit.page.locator("#history").click()
    claim(told and visit.wait(lambda: visit.page.locator("#history-panel li").count() > 0), "a history that was lost says so, and works again",
          visit.text("#history-panel h2"))
    visit.page.keyboard.press("Escape")
    visit.tile(2).locator("a").click()
    visit.wait(lambda: visit.page.locator("#levels .level button").count() > 0 and visit.run(SHARP))
    lost = lose("/t/xs/")
    visit.page.locator("#levels input").focus()
    visit.page.keyboard.press("Home")
    told = visit.wait(lambda: "can’t be reached" in visit.text("#stage .note"))
    come = visit.wait(lambda: visit.text("#levels .reading").startswith("xs "), 10)
    claim(lost and told and come and visit.text("#stage .note") == "", "a level that was lost comes by itself", visit.text("#levels .reading"))
    visit.page.keyboard.press("Escape")
    visit.wait(lambda: not visit.page.locator("#detail").is_visible())
    lost = lose(r"/v1/tmdb/movies/popular\?page=3")
    visit.section("Films")
    visit.wait(lambda: visit.tiles() > 5)
    for _ in range(4):
        visit.run("scrollTo(0, document.body.scrollHeight)")
        visit.page.wait_for_timeout(400)
    more = "Number(/[\\d,]+/.exec(document.querySelector('#count').textContent)?.[0] ?? 0)"
    claim(visit.wait(lambda: lost and visit.run(more) > 39, 12), "a page that was lost comes by itself", visit.text("#count"))
    artist = visit.page.request.get(visit.base + "/v1/spotify/artists?q=the").json()["items"][0]
    lost = lose(r"/v1/spotify/artist/[^/]+$")
    visit.open(f"/?in=artists&albumsOf={artist['id']}", tiles=1)
    claim(visit.wait(lambda: lost and visit.text("#heading").startswith(f"Albums by {artist['title']}"), 10),
          "an artist’s name that was lost comes by itself", visit.text("#heading"))
    claim(not visit.errors, "without an error", "; ".join(visit.errors[:3]))
    visit.close()
