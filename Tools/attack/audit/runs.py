"""Warm runs that filled the cache with the wrong things, or with more than it holds."""
import os
import pathlib
import pty
import select
import subprocess
import time
import zlib

from service import HOST
from stored import png


class Tolerant(dict):
    """Files of an origin that answers every path with a picture of its own."""

    def get(self, path, default=None):
        return super().get(path) or png(zlib.crc32(path.encode()))


def warm(service, listing, *options, **more):
    variables = {**service.environment, "VITRINE_CACHE_DIRECTORY": os.path.join(service.directory, "runs"), **more}
    return [service.program, "warm", "urls", listing, *options], variables


def check_lists_with_columns(service):
    """Of a CSV without the heading url the rest of each line was asked for as part of its URL, with exit 0."""
    service.origin.files = Tolerant()
    listing = pathlib.Path(service.directory) / "list.csv"
    paper = "1,Lamp\n2,Chair\n"
    for number, (first, exit) in enumerate((("URL,Name\n", 0), ("Picture,Name\n", 0), ("", 0), ("sku,name\n", 1))):
        paths = set() if exit else {f"/p/{number}/{n}.jpg" for n in range(3)}
        rows = "".join(f"http://{HOST}{path},Poster%20{number}\n" for path in sorted(paths)) or paper
        listing.write_text(first + rows)
        service.origin.asked.clear()
        command, variables = warm(service, str(listing), "--levels", "s")
        done = subprocess.run(command, env=variables, capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL)
        sentences = [line for line in done.stderr.splitlines() if line.startswith("vitrine: ")]
        assert (done.returncode != 0) == exit, f"{first!r}: exit status {done.returncode}: {done.stderr[-500:]}"
        assert set(service.origin.asked) == paths, f"{first!r}: asked for {sorted(service.origin.asked)[:4]}"
        assert exit == 0 or len(sentences) == 1 and "url" in sentences[0], f"{first!r}: {done.stderr[-500:]}"
    return True, "The column of URLs is found by its values, and no URL has the rest of its line; a file without one is refused in one sentence."


def answered(command, variables, answer):
    """The exit status of a program on a terminal, and what it shows. Its question gets an answer."""
    process, terminal = pty.fork()
    if process == 0:
        os.execve(command[0], command, {**variables, "TERM": "xterm"})
    shown, end, is_asked = b"", time.monotonic() + 120, False
    while time.monotonic() < end:
        if select.select([terminal], [], [], 0.2)[0]:
            try:
                part = os.read(terminal, 65536)
            except OSError:
                break
            shown += part
        if b"Continue? [y/N]" in shown and not is_asked:
            is_asked = True
            os.write(terminal, answer)
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), shown.decode("utf-8", "replace")


def check_question_on_a_terminal(service):
    """A run of more than fits asks on a terminal; --yes goes on."""
    service.origin.files = Tolerant()
    listing = pathlib.Path(service.directory) / "list.txt"
    listing.write_text("".join(f"http://{HOST}/{n}.png\n" for n in range(300)))
    for options, answer, asks in (([], b"n\n", True), ([], b"y\n", True), (["--yes"], b"", False)):
        place = os.path.join(service.directory, f"cache{answer.decode().strip()}{len(options)}")
        command, variables = warm(
            service, str(listing), *options, VITRINE_CACHE_DIRECTORY=place, VITRINE_CACHE_MAX_FILES="1200")
        status, shown = answered(command, variables, answer)
        assert ("Continue? [y/N]" in shown) == asks, f"{options}: {shown[-600:]}"
        assert "of cache.maxFiles are free" in shown, f"{options}: {shown[-600:]}"
        declined = "as you answered" in shown
        assert declined == (answer == b"n\n"), f"{options}, {answer!r}: {shown[-600:]}"
        assert status == (1 if declined else 3), f"{options}, {answer!r}: exit status {status}: {shown[-600:]}"
    return True, "It asks before most items begin; no ends it, yes and --yes fill the cache, and then it says what was evicted."
