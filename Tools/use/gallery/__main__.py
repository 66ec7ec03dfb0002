#!/usr/bin/env python3
"""The gallery, used as people use it: a browser without a window, before the demo's five catalogs.

usage: gallery VITRINE [DIR] [--page SOURCES] [--only NAME,…]

Prints a line for each claim; fails where one does not hold. DIR gets a picture of every view. With --page the page is put
together from Sources/Serve/Gallery/Page, so that a change of a script needs no build. The Python that runs this has
playwright and Pillow; the browser is Debian's chromium."""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import time
import urllib.request

import access
import faces
import favorites
import first
import giant
import lists
import lost
import moving
import own
import pictures
import plain
import returns
import touch
import visit
import zoom
from playwright.sync_api import sync_playwright
from visit import BASE, Page, claim

parser = argparse.ArgumentParser(prog="gallery")
parser.add_argument("program")
parser.add_argument("pictures", nargs="?", type=pathlib.Path)
parser.add_argument("--page")
parser.add_argument("--only", default="")
options = parser.parse_args()
if options.pictures:
    options.pictures.mkdir(parents=True, exist_ok=True)
tools = {"pictures": options.pictures, "sources": options.page}
only = {name for name in options.only.split(",") if name}


# Items of a run of the demo that are under way at once.
CONCURRENCY = 32


def ended():
    """The number of items that the demo's runs have ended."""
    with urllib.request.urlopen(f"{BASE}/v1/status") as answer:
        return sum(run["done"] for run in json.load(answer)["warming"])


def while_it_warms(browser, process):
    """The demo serves before it has warmed anything."""
    for line in process.stdout:
        if "The gallery is at" in line:
            break
    second = subprocess.run([options.program, "demo", "--port", str(visit.PORT)], capture_output=True, text=True)
    claim("already in use" in second.stderr and "Warming" not in second.stdout,
          "a second demo says that the port is in use, before it warms anything", second.stderr.strip())
    page = Page(browser, **tools)
    page.open(tiles=10)
    claim(page.wait(lambda: page.page.locator("#grid img.is-there").count() > 3), "the gallery works while the demo warms")
    claim(page.wait(lambda: "Warming" in page.text("#status")), "and tells how far that is", page.text("#status"))
    page.picture("warming")
    # The films' own warming has not begun: what a visitor looks at is made before it, and before the shows'.
    begin, before = time.monotonic(), ended()
    page.open("/?in=films", tiles=8)
    all_there = page.wait(page.all_there, 30)
    others = ended() - before
    claim(all_there and others <= CONCURRENCY, "another section comes before any picture of the run that has not begun",
          f"{page.tiles()} pictures in {time.monotonic() - begin:.1f} s, {others} items of the run ended meanwhile")
    page.picture("warming-films")
    page.close()
    for line in process.stdout:
        if "Ctrl-C" in line:
            break


def origin_of(process):
    threads = pathlib.Path(f"/proc/{process.pid}/task").glob("*/children")
    return next(int(child) for thread in threads for child in thread.read_text().split()
                if "vitrine-demo" in pathlib.Path(f"/proc/{child}/cmdline").read_text())


cache = tempfile.mkdtemp(prefix="vitrine-gallery-")
# Pages expire soon, for the claims about an origin that is gone.
settings = os.environ | {"VITRINE_CATALOG_TIME_TO_LIVE": "6s"}
process = subprocess.Popen(
    [options.program, "demo", "--port", str(visit.PORT), "--cache", cache, "--shows", "300"],
    stdout=subprocess.PIPE, text=True, env=settings)
try:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--enable-precise-memory-info"])
        while_it_warms(browser, process)
        views = [
            ("bytes2", lambda: first.bytes_sent(browser, tools, 2, 0.9e6)),
            ("bytes1", lambda: first.bytes_sent(browser, tools, 1, 0.25e6)),
            ("arrival", lambda: first.arrival(browser, tools)),
            ("cold", lambda: first.cold_start(browser, tools)),
            ("shifts", lambda: first.shifts(browser, tools)),
            ("small", lambda: first.small_originals(browser, tools)),
            ("sizes", lambda: lists.sizes(browser, tools)),
            ("keyboard", lambda: lists.keyboard(browser, tools)),
            ("places", lambda: lists.places(browser, tools)),
            ("search", lambda: lists.search(browser, tools)),
            ("sources", lambda: lists.other_sources(browser, tools)),
            ("detail", lambda: pictures.detail(browser, tools)),
            ("zoom", lambda: zoom.deep_zoom(browser, tools)),
            ("giant", lambda: giant.deep_zoom(browser, tools, options.program)),
            ("favorites", lambda: favorites.favorites(browser, tools)),
            ("albums", lambda: favorites.albums(browser, tools)),
            ("expired", lambda: favorites.expired_favorites(browser, tools)),
            ("placeholders", lambda: pictures.placeholders(browser, tools)),
            ("lost", lambda: lost.lost_requests(browser, tools)),
            ("returns", lambda: returns.everywhere(browser, tools, options.program)),
            ("kept", lambda: returns.kept_lists(browser, tools)),
            ("bare", lambda: returns.bare_addresses(browser, tools)),
            ("logos", lambda: own.logos(browser, tools, options.program)),
            ("operator", lambda: own.operator(browser, tools, options.program)),
            ("moving", lambda: moving.csv_to_wall(browser, tools, options.program)),
            ("faces", lambda: faces.faces(browser, tools)),
            ("phone", lambda: access.phone(browser, tools)),
            ("toolbar", lambda: access.toolbar(browser, tools)),
            ("touch", lambda: touch.touch(browser, tools)),
            ("accessible", lambda: access.accessible(browser, tools)),
            ("storage", lambda: access.without_storage(browser, tools)),
            ("status", lambda: access.status(browser, tools)),
            ("many", lambda: first.many(browser, tools)),
            ("plain", lambda: plain.grid(browser, tools)),
            ("origin", lambda: access.without_the_origin(browser, tools, origin_of(process))),
            ("service", lambda: access.without_the_service(browser, tools, process)),
        ]
        for name, look in views:
            if only and name not in only:
                continue
            print(f"{name}", flush=True)
            try:
                look()
            except Exception as error:  # A view that breaks must not hide the others.
                claim(False, f"“{name}” could be looked at", str(error).split("\n")[0])
        browser.close()
finally:
    if process.poll() is None:
        process.terminate()
        process.wait(timeout=30)
    shutil.rmtree(cache, ignore_errors=True)
visit.lib.finish()
