"""The first minute: what is sent, in which order, and whether anything jumps."""
import json
import os
import re
import time
import urllib.request

from visit import BASE, Page, claim

SHIFTS = """
window.shifts = [];
window.moved = [];
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) {
    shifts.push(entry.value);
    moved.push(...entry.sources.map(({ node }) => node?.id || node?.className || node?.nodeName));
  }
}).observe({ type: 'layout-shift', buffered: true });
"""


# Before anything is started: the browser alone makes a machine of two cores look busy.
IS_QUIET = os.getloadavg()[0] < os.cpu_count()


def quick_claim(holds, text, detail):
    """A claim about time, which only a machine that was quiet when this began can answer."""
    if IS_QUIET:
        claim(holds, text, detail)
    else:
        print(f"    the machine is busy: {text}: {detail}", flush=True)


def bytes_sent(browser, tools, scale, most):
    visit = Page(browser, observe=SHIFTS, device_scale_factor=scale, **tools)
    # The page counts as it is served, also when it is put together from its sources.
    sent = [page_size()]
    pages = set()
    network = visit.context.new_cdp_session(visit.page)
    network.send("Network.enable")
    network.on("Network.responseReceived",
               lambda event: event["type"] == "Document" and pages.add(event["requestId"]))
    network.on("Network.loadingFinished",
               lambda event: event["requestId"] in pages or sent.append(event["encodedDataLength"]))
    order = []
    visit.page.on("request", lambda request: "/t/" in request.url and order.append(request.url.split("/t/")[1]))
    visit.page.goto(BASE + "/")
    visit.page.wait_for_timeout(3500)
    total = sum(sent)
    claim(0 < total < most, f"the first 3.5 s take less than {most / 1e6} MB at DPR {scale}", f"{total / 1e6:.3f} MB")
    shown = [item.split("/", 1)[1] for item in visit.run("""() => [...document.querySelectorAll('#grid .tile')]
        .filter((tile) => tile.getBoundingClientRect().top < innerHeight).map((tile) => 'x/' + tile.dataset.item)""")]
    first = [item.split("/", 1)[1] for item in order[:len(shown)]]
    claim(len(set(first) & set(shown)) >= len(shown) - 3, "pictures in sight are asked for first",
          f"{len(set(first) & set(shown))} of {len(shown)}")
    claim(visit.wait(visit.all_there), "and all come")
    shifts = sum(visit.run("shifts"))
    claim(shifts < 0.001, f"nothing shifts at DPR {scale}", f"CLS {shifts:.4f} {' '.join(map(str, visit.run('moved')))}")
    early = visit.run("""() => {
        const entries = performance.getEntriesByType('resource');
        const list = entries.find(({ name }) => name.includes('/v1/tvmaze/shows'));
        const picture = Math.min(...entries.filter(({ name }) => name.includes('/t/')).map((entry) => entry.responseEnd));
        return Math.round(picture - list.responseStart);
    }""")
    quick_claim(early <= 150, "the first picture is there 150 ms after the first byte of the list", f"{early} ms")
    visit.close()


def page_size():
    """Bytes of the page as browsers get it."""
    document = urllib.request.Request(BASE + "/", headers={"Accept-Encoding": "br"})
    return len(urllib.request.urlopen(document).read())


def arrival(browser, tools):
    size = page_size()
    claim(size <= 44_000, "the page takes at most 44 KB", f"{size / 1000:.0f} KB")
    visit = Page(browser, **tools)
    visit.open(tiles=20)
    claim(visit.wait(visit.all_there), "a page of TV shows comes with its pictures")
    # Before the pictures come, their blurred ones stand for them.
    blank = visit.context.new_page()
    blank.route("**/t/**", lambda route: route.abort())
    blank.goto(BASE + "/")
    claim(visit.wait(lambda: blank.locator("#grid canvas").count() > 10), "blurred pictures stand for those to come")
    blank.close()
    slow = Page(browser, observe=SHIFTS, **tools)
    slow.page.route("**/v1/tvmaze/shows*", lambda route: (time.sleep(0.5), route.continue_()))
    slow.open(tiles=20)
    claim(slow.wait(slow.all_there) and sum(slow.run("shifts")) < 0.001, "nothing shifts when a list comes late",
          f"CLS {sum(slow.run('shifts')):.4f} {' '.join(map(str, slow.run('moved')))}")
    slow.close()
    walls(browser, tools)
    gaps = visit.run(BANDS)
    claim(gaps == 0, "a picture fills its frame, or stands on its blurred ground", f"{gaps} with bands")
    visit.picture("shows")
    visit.close()


# The rows of a grid: tiles in each, and how far their tops and right ends are apart.
WALL = """() => [...document.querySelectorAll('#grid .row')].map((row) => {
  const boxes = [...row.querySelectorAll('.frame')].map((frame) => frame.getBoundingClientRect());
  const tops = boxes.map(({ top }) => top);
  return { number: Number(row.getAttribute('aria-rowindex')), count: boxes.length,
    ragged: Math.max(...tops) - Math.min(...tops),
    end: row.getBoundingClientRect().right - Math.max(...boxes.map(({ right }) => right)) };
})"""


def walls(browser, tools):
    """No row but the last has fewer tiles than fit, in lists of several pages."""
    for path in ("/?in=films", "/", "/?in=artists&term=the", "/?in=artworks"):
        visit = Page(browser, observe=SHIFTS, **tools)
        visit.allowed = ("404",)
        visit.open(path, tiles=8)
        rows = {}
        for _ in range(40):
            visit.page.wait_for_timeout(80)
            rows |= {row["number"]: row for row in visit.run(WALL)}
            visit.run("scrollBy(0, 700)")
        rows.pop(max(rows))
        counts = {row["count"] for row in rows.values()}
        if "artworks" in path:
            claim(all(abs(row["end"]) < 1 for row in rows.values()), f"rows of {path} end at the edge", f"{len(rows)} rows")
        else:
            claim(len(counts) == 1, f"no row of {path} but the last has fewer tiles than fit", f"{len(rows)} rows of {counts}")
        claim(all(row["ragged"] <= 1 for row in rows.values()), "and its pictures stand on one line")
        still(visit)
        visit.close()


BANDS = """() => [...document.querySelectorAll('#grid .frame:has(img.is-there)')].filter((frame) => {
    const image = frame.querySelector('img');
    const gap = Math.abs(frame.clientWidth / frame.clientHeight / (image.naturalWidth / image.naturalHeight) - 1);
    return gap > 0.09 && !frame.querySelector('canvas');
}).length"""


def cold(route):
    """Answers with a list as it is before any of its pictures was made."""
    document = route.fetch().json()
    for item in document["items"]:
        item.update(aspectRatio=None, thumbhash=None, color=None, thumbnails={})
        for fact in ("original", "failure"):
            item.pop(fact, None)
    route.fulfill(json=document)


def cold_start(browser, tools):
    """Pictures whose shape is known only when they come."""
    for path in ("/", "/?in=films", "/?in=artworks", "/?in=albums&term=night"):
        visit = Page(browser, observe=SHIFTS, **tools)
        visit.allowed = ("404", "415", "502")
        visit.page.route(re.compile(r"/v1/(tvmaze|tmdb|rijksmuseum|itunes)/(?!.*/\d)"), cold)
        visit.open(path, tiles=8)
        settled = "!document.querySelector('#grid .frame:not(:has(.is-there, .placeholder))')"
        visit.wait(lambda: visit.run(settled), 30)
        visit.page.wait_for_timeout(600)
        gaps = visit.run(BANDS)
        claim(gaps == 0, f"no picture of {path} stands between bands after a cold start", f"{gaps} with bands")
        if "artworks" in path:
            squares = visit.run("""() => [...document.querySelectorAll('#grid .frame:has(img.is-there)')].filter((frame) => {
                const image = frame.querySelector('img');
                const ratio = Math.min(Math.max(image.naturalWidth / image.naturalHeight, 0.25), 4);
                return Math.abs(frame.clientWidth / frame.clientHeight / ratio - 1) > 0.12;
            }).length""")
            claim(squares == 0, "its rows have the shapes of its pictures", f"{squares} have another")
            ends = [row["end"] for row in visit.run(WALL)[:-1]]
            claim(all(abs(end) < 1 for end in ends), "and end at the edge", ends)
        still(visit)
        visit.picture(f"cold-{path.split('in=')[-1].split('&')[0].strip('/') or 'shows'}")
        visit.close()


def still(visit):
    shifts = sum(visit.run("shifts"))
    claim(shifts < 0.001, "and nothing shifts", f"CLS {shifts:.4f} {' '.join(sorted(set(map(str, visit.run('moved')))))}")


def shifts(browser, tools):
    """Sections that show what is here before anything is asked, and favorites."""
    for path in ("/?in=albums", "/?in=artists", "/?in=favorites"):
        visit = Page(browser, observe=SHIFTS, **tools)
        if "favorites" in path:
            for number in (1, 2, 3):
                visit.page.request.put(f"{BASE}/v1/favorites/tvmaze/show/{number}")
        visit.open(path, tiles=1)
        claim(visit.wait(visit.all_there), f"{path} comes with its pictures", f"{visit.tiles()} tiles")
        for _ in range(5):
            visit.run("scrollBy(0, 500)")
            visit.page.wait_for_timeout(100)
        still(visit)
        if "favorites" in path:
            for number in (1, 2, 3):
                visit.page.request.delete(f"{BASE}/v1/favorites/tvmaze/show/{number}")
        visit.close()


def small_originals(browser, tools):
    """An original that is smaller than its place needs no larger level than its own."""
    visit = Page(browser, device_scale_factor=2, observe="localStorage.setItem('size', '320')", **tools)

    def shrink(route):
        document = route.fetch().json()
        for item in document["items"]:
            item.update(thumbnails={}, original={"width": 210, "height": 295}, aspectRatio=210 / 295)
            item.pop("failure", None)
        route.fulfill(json=document)

    visit.page.route("**/v1/tvmaze/shows*", shrink)
    visit.open(tiles=20)
    levels = visit.run("""[...new Set([...document.querySelectorAll('#grid img[src]')].map((image) =>
        new URL(image.src).pathname.split('/')[2]))]""")
    claim(levels == ["m"], "a picture of 210 pixels is asked for in the level that holds it, at DPR 2", " ".join(levels))
    visit.close()


def many(browser, tools):
    """10,000 items: the pages are made up here, and the pictures are the demo's."""
    visit = Page(browser, **tools)
    model = visit.page.request.get(BASE + "/v1/tvmaze/shows?page=0").json()["items"]
    blob = visit.page.request.get(BASE + "/t/m/tvmaze/show/2").body()

    def page_of(route):
        number = int(route.request.url.split("page=")[1]) if "page=" in route.request.url else 0
        items = []
        for index in range(number * 250, number * 250 + 250):
            item = dict(model[index % len(model)])
            item.update(id=str(index), item=f"tvmaze/show/{index}", title=f"Item {index}")
            items.append(item)
        more = f"/v1/tvmaze/shows?page={number + 1}" if number < 39 else None
        route.fulfill(json={"items": items, "next": more, "total": 10000, "stale": False,
                            "fetchedAt": "2026-01-01T00:00:00Z", "expiresAt": "2030-01-01T00:00:00Z"})

    visit.page.route("**/v1/tvmaze/shows*", page_of)
    visit.page.route("**/t/**", lambda route: route.fulfill(body=blob, content_type="image/webp"))
    visit.open(tiles=20)
    for _ in range(60):
        known = visit.text("#count")
        if known.startswith("10,000"):
            break
        visit.run("scrollTo(0, document.body.scrollHeight)")
        visit.wait(lambda: visit.text("#count") != known, 5)
    claim(visit.wait(lambda: visit.text("#count").startswith("10,000")), "10,000 items are scrolled to", visit.text("#count"))
    nodes = visit.run("document.querySelectorAll('*').length")
    claim(nodes < 2500, "with few elements", f"{nodes} elements")
    devtools = visit.context.new_cdp_session(visit.page)
    devtools.send("HeapProfiler.collectGarbage")
    before = visit.run("performance.memory.usedJSHeapSize")
    devtools.send("Emulation.setCPUThrottlingRate", {"rate": 4})
    visit.run("scrollTo(0, 40000)")
    visit.page.wait_for_timeout(500)
    tasks = work(browser, visit)
    quick_claim(max(tasks) <= 50, "no task takes over 50 ms while scrolling, at a fourth of the speed", f"longest {max(tasks):.0f} ms")
    devtools.send("Emulation.setCPUThrottlingRate", {"rate": 1})
    tasks = work(browser, visit)
    claim(sum(tasks) / FRAMES <= 8, "scrolling takes at most 8 ms of each frame", f"{sum(tasks) / FRAMES:.1f} ms")
    devtools.send("HeapProfiler.collectGarbage")
    grown = visit.run("performance.memory.usedJSHeapSize") - before
    claim(grown < 4e6, "and no memory", f"{grown / 1e6:.1f} MB more")
    took = visit.run("""() => { const begin = performance.now();
        document.body.dispatchEvent(new KeyboardEvent('keydown', { key: '+', bubbles: true }));
        return performance.now() - begin; }""")
    quick_claim(took < 100, "and “+” shows at once", f"{took:.0f} ms")
    visit.close()


FRAMES = 120


def work(browser, visit):
    """Milliseconds of processor time of each task of the page's thread while it scrolls for some frames."""
    browser.start_tracing(page=visit.page, categories=["toplevel", "disabled-by-default-devtools.timeline", "__metadata"])
    visit.run("""(frames) => new Promise((done) => {
        let count = 0;
        const step = () => { scrollBy(0, 60); ++count < frames ? requestAnimationFrame(step) : done(); };
        requestAnimationFrame(step);
    })""", FRAMES)
    events = json.loads(browser.stop_tracing())["traceEvents"]
    main = {(e["pid"], e["tid"]) for e in events if e["name"] == "thread_name" and e["args"]["name"] == "CrRendererMain"}
    tasks = {}
    for event in events:
        if "RunTask" in event["name"] and (event["pid"], event["tid"]) in main and event.get("tdur"):
            tasks.setdefault((event["pid"], event["name"]), []).append(event["tdur"] / 1000)
    # Those of the page that did most; a task may be traced under two names.
    return max(tasks.values(), key=sum, default=[0])
