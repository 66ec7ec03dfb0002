"""A browser before the demo, and what the claims need of it."""
import base64
import hashlib
import pathlib
import re
import sys
import time

from playwright.sync_api import Error

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2]))
import lib

PORT = 9873
BASE = f"http://127.0.0.1:{PORT}"


def claim(holds, text, detail=""):
    """A claim with what was measured."""
    lib.claim(text, holds, detail)


class Page:
    """A tab with the gallery, which notes errors and requests to other hosts."""

    def __init__(self, browser, pictures=None, sources=None, observe="", base=BASE, **context):
        options = {"viewport": {"width": 1400, "height": 900}, "locale": "en-GB"} | context
        self.context = browser.new_context(**options)
        self.pictures = pictures
        self.base = base
        if sources:
            serve_sources(self.context, sources, base)
        self.page = self.context.new_page()
        self.errors = []
        self.foreign = []
        self.allowed: tuple[str, ...] = ()
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", lambda line: self.note(line.text))
        self.page.on("request", lambda request: self.check(request.url))
        if observe:
            self.page.add_init_script(observe)

    def note(self, text):
        if not any(word in text for word in self.allowed):
            self.errors.append(text)

    def check(self, url):
        if not url.startswith((self.base, "data:", "blob:")):
            self.foreign.append(url)

    def open(self, path="/", tiles=1):
        self.page.goto(self.base + path)
        self.wait(lambda: self.tiles() >= tiles)

    def wait(self, holds, seconds=15):
        """Whether it comes true in time."""
        until = time.monotonic() + seconds
        while not holds():
            if time.monotonic() > until:
                return False
            self.page.wait_for_timeout(40)
        return True

    def answers(self, seconds=15):
        """Whether the page runs scripts. One that is frozen would never end a call of run()."""
        try:
            self.page.wait_for_function("true", timeout=seconds * 1000)
            return True
        except Error:
            return False

    def run(self, script, argument=None):
        return self.page.evaluate(script, argument)

    def tiles(self):
        return self.page.locator("#grid .tile").count()

    def titles(self):
        return self.run("() => [...document.querySelectorAll('#grid .tile b')].map((b) => b.textContent)")

    def tile(self, index):
        return self.page.locator(f"#grid [data-index='{index}']")

    def section(self, name):
        self.page.locator("#sections").get_by_text(name, exact=True).click()

    def text(self, selector):
        return self.page.locator(selector).inner_text()

    def all_there(self):
        """Whether every picture in sight has come."""
        return self.run("""() => {
            const images = [...document.querySelectorAll('#grid img')].filter((image) => {
                const box = image.getBoundingClientRect();
                return box.bottom > 0 && box.top < innerHeight;
            });
            return images.every((image) => image.complete && image.naturalWidth > 0);
        }""")

    def picture(self, name):
        self.page.wait_for_timeout(500)
        if self.pictures:
            self.page.screenshot(path=str(self.pictures / f"{name}.png"))

    def close(self):
        # A request may still be under way.
        self.page.unroute_all(behavior="ignoreErrors")
        self.context.close()


def serve_sources(context, directory, base):
    """Puts the page together from its sources for each request, so that a change of a script needs no
    build. Levels and sections of configured sources are those of the running service."""
    directory = pathlib.Path(directory)
    order = re.findall(r"PackageResources\.(\w+)_js", (directory.parent / "Gallery.swift").read_text())

    def answer(route):
        served = route.fetch().text()
        script = "\n".join((directory / f"{name}.js").read_text() for name in order)
        given = re.search(r'<script id="given"[^>]*>(.*?)</script>', served).group(1)
        style = (directory / "page.css").read_text()
        policy = "; ".join([
            "default-src 'none'", f"script-src {hashed(script)}", f"style-src {hashed(style)}", "img-src 'self' data:",
            "connect-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"])
        document = (directory / "page.html").read_text()
        route.fulfill(
            headers={"Content-Type": "text/html; charset=utf-8", "Content-Security-Policy": policy},
            body=document.replace("{{style}}", style).replace("{{given}}", given).replace("{{script}}", script))

    context.route(re.compile("^" + re.escape(base) + r"/(\?.*)?$"), answer)


def hashed(text):
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"
