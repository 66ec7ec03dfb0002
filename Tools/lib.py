"""What the tools share: claims, programs that end with their tool, origins, signed paths, PNGs, requests, metrics, and
what a process uses of the machine."""
import base64
import collections
import hashlib
import hmac
import http.client
import http.server
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import ssl
import struct
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
import zlib

TOOLS = pathlib.Path(__file__).resolve().parent
ROOT = TOOLS.parent
# Claims that don't hold, and programs that were started.
failures, children = [], []


# MARK: - Claims

def claim(text, holds, seen="", quiet=False):
    """Prints a line for what must hold; with `quiet` only if it doesn't."""
    failures.extend([text] if not holds else [])
    if not holds or not quiet:
        print(f"{'pass' if holds else 'FAIL'} {text}{f': {seen}' if seen != '' else ''}", flush=True)


def say(text):
    print(f"     {text}", flush=True)


def finish(more=""):
    """Ends the tool, with 1 if a claim did not hold."""
    sys.exit(f"{len(failures)} claims do not hold{more}" if failures else 0)


# MARK: - Programs

def leave_on_signals():
    """Leaves as an error does, so that what was started is ended, and once only."""
    def leave(number, _):
        for each in (signal.SIGINT, signal.SIGTERM):
            signal.signal(each, signal.SIG_IGN)
        sys.exit(128 + number)

    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, leave)


def start(words, log=None, **more):
    """Starts a program, which writes to a file."""
    output = subprocess.DEVNULL if log is None else open(log, "a")
    process = subprocess.Popen([str(word) for word in words],
                               **{"stdin": subprocess.DEVNULL, "stdout": output, "stderr": output, **more})
    children.append(process)
    return process


def stop(process, how=signal.SIGTERM, limit=60):
    """Ends a program, and returns its exit status."""
    if process.poll() is None:
        process.send_signal(signal.SIGCONT)
        process.send_signal(how)
    try:
        return process.wait(limit)
    except subprocess.TimeoutExpired:
        process.kill()
        return process.wait()


def end_children():
    """Ends every program that start() started."""
    for child in children:
        if child.poll() is None:
            child.send_signal(signal.SIGCONT)
            child.send_signal(signal.SIGTERM)
    for child in children:
        stop(child, limit=30)


def program(name):
    """Where a server is that a user's PATH may not have."""
    return shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin") or sys.exit(
        f"{name} is missing. Install it with: make deps-cluster")


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def wait_until(what, holds, limit=300, pause=0.2):
    end = time.monotonic() + limit
    while not holds():
        if time.monotonic() > end:
            sys.exit(f"waited {limit} s for {what}")
        time.sleep(pause)


def wait_until_served(port, process, log=None, path="/healthz"):
    """Returns once a program answers, whatever it answers; ends the tool if the program ends."""
    def answers():
        if process.poll() is not None:
            text = f": {pathlib.Path(log).read_text()[-2000:]}" if log else ""
            sys.exit(f"{process.args[0]} ended with {process.returncode} before it served{text}")
        # Another program may listen there.
        return isinstance(ask(port, path)[0], int) and process.poll() is None

    wait_until(f"an answer on port {port}", answers, 120, 0.1)


# MARK: - Requests

def ask(port, path, headers=(), method="GET", body=None, address="127.0.0.1", timeout=60):
    """Returns the status, or the name of the error if there is no answer, the fields and the body."""
    request = urllib.request.Request(f"http://{address}:{port}{path}", headers=dict(headers), method=method, data=body)
    try:
        with urllib.request.urlopen(request, timeout=timeout) as answer:
            return answer.status, answer.headers, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read()
    except (OSError, http.client.HTTPException) as error:
        return type(error).__name__, {}, b""


def metric(port, name, address="127.0.0.1", **labels):
    """The sum of a metric's series with these labels at a node, or None if it has none."""
    status, _, body = ask(port, "/metrics", address=address)
    if status != 200:
        return None
    found = []
    for line in body.decode().splitlines():
        series, _, value = line.rpartition(" ")
        own, _, rest = series.partition("{")
        if own == name and all(f'{label}="{wanted}"' in rest for label, wanted in labels.items()):
            found.append(float(value))
    return sum(found) if found else None


def is_ready(port, address="127.0.0.1"):
    return ask(port, "/readyz", address=address)[0] == 200


def signed(url, level="s", key="", expires=None):
    """The signed path of a level of a URL."""
    encoded = base64.urlsafe_b64encode(url.encode()).decode().rstrip("=")
    end = "" if expires is None else f"?expires={expires}"
    # Blanks separate keys in the setting.
    code = hmac.new(key.replace(" ", "").encode(), f"{level}/url/{encoded}{end}".encode(), hashlib.sha256).digest()
    return f"/t/{level}/url/{base64.urlsafe_b64encode(code).decode().rstrip('=')}/{encoded}{end}"


# MARK: - Pictures

def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(width, height, rows=None, comment=b"", color=2, depth=8, interlaced=0, more=b"", data=None, level=1):
    """A PNG; RGB noise unless `rows` are given, each with its filter, or `data`, which is compressed already. `color` 0 is
    gray. `comment` makes other bytes of the same picture, and `more` are chunks before the data."""
    if data is None:
        rows = rows if rows is not None else b"".join(b"\0" + os.urandom(width * 3) for _ in range(height))
        data = zlib.compress(rows, level)
    head = struct.pack(">IIBBBBB", width, height, depth, color, 0, 0, interlaced)
    more += chunk(b"tEXt", b"Comment\0" + comment) if comment else b""
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + more + chunk(b"IDAT", data) + chunk(b"IEND", b"")


# MARK: - Origins

class Files:
    """An origin on a loopback port that serves `files[path]`: bytes, or a function that takes the handler and answers
    itself. Counts what is asked. `certificate` and `key` are files of its identity if it speaks TLS."""

    def __init__(self, files=None, certificate=None, key=None, port=0):
        self.files, self.asked = {} if files is None else files, collections.Counter()
        origin = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                origin.asked[self.path] += 1
                content = origin.files.get(self.path)
                if callable(content):
                    return content(self)
                found = content is not None
                self.answer(200 if found else 404, content if found else b"there is nothing here",
                            {"Cache-Control": "max-age=86400"})

            do_POST = do_GET

            def answer(self, status, body, fields=()):
                self.send_response(status)
                for name, value in {"Content-Length": len(body), **dict(fields)}.items():
                    self.send_header(name, str(value))
                self.end_headers()
                try:
                    self.wfile.write(body)
                except OSError:
                    self.close_connection = True

            def log_message(self, *_):
                pass

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 512

            def handle_error(self, *_):
                pass

        self.server = Server(("127.0.0.1", port), Handler)
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate, key)
            # A thread of its own shakes hands with each connection.
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True, do_handshake_on_connect=False)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class Always(dict):
    """Files of an origin that answers every path, with what a function of the handler does."""

    def __init__(self, answer):
        super().__init__()
        self.answer = answer

    def get(self, path, default=None):
        return self.answer


class Origin:
    """The demo's catalogs on a loopback port."""

    def __init__(self, vitrine, directory, count, *more):
        self.log = directory / "origin.log"
        self.process = subprocess.Popen(
            [vitrine.parent / "vitrine-demo", "--until-eof", "--shows", str(count), "--log", self.log, *more],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.known = json.loads(self.process.stdout.readline())
        self.authority = directory / "authority.pem"
        self.authority.write_text(self.known["certificateAuthorityPEM"])

    def read(self, host, path):
        way = next(way for way in self.known["connectTo"] if way.startswith(f"{host}:443:"))
        context = ssl.create_default_context(cafile=self.authority)
        raw = socket.create_connection(("127.0.0.1", int(way.rsplit(":", 1)[1])))
        connection = http.client.HTTPSConnection(host, context=context)
        connection.sock = context.wrap_socket(raw, server_hostname=host)
        connection.request("GET", path)
        answer = connection.getresponse()
        return answer.status, answer.read()

    def shows(self):
        """The numbers of the shows that have a picture, with its URL."""
        found = {}
        for page in range(10_000):
            status, body = self.read("api.tvmaze.com", f"/shows?page={page}")
            if status != 200:
                return found
            for show in json.loads(body):
                url = (show.get("image") or {}).get("original")
                if url:
                    found[show["id"]] = url

    def pictures(self):
        """The URLs of the shows' pictures."""
        return list(self.shows().values())

    def options(self):
        """Options that lead a command to this origin."""
        words = ["--ca-file", self.authority, "--allow-network", self.known["allowNetwork"]]
        for way in self.known["connectTo"]:
            words += ["--connect-to", way]
        return words

    def end(self):
        self.process.stdin.close()
        self.process.wait()

    def requests(self):
        """Time in seconds, host and path of each request."""
        lines = self.log.read_text().splitlines() if self.log.exists() else []
        return [(int(time) / 1e9, host, path) for time, host, path in (line.split(" ", 2) for line in lines)]

    def downloads(self):
        """How often each picture was asked for."""
        return collections.Counter(path for _, host, path in self.requests() if host.startswith("static."))


# MARK: - What a process and its descendants use of the machine

def tree(process):
    """A process and its descendants."""
    found, pending = [], [process]
    while pending:
        one = pending.pop()
        found.append(one)
        try:
            for task in os.listdir(f"/proc/{one}/task"):
                with open(f"/proc/{one}/task/{task}/children") as children:
                    pending += [int(child) for child in children.read().split()]
        except OSError:
            pass
    return found


def texts(process, name, is_whole=True):
    """The file of that name in /proc, of a process and of its descendants."""
    for one in tree(process) if is_whole else [process]:
        try:
            with open(f"/proc/{one}/{name}") as file:
                yield file.read()
        except OSError:
            pass


def memory(process):
    """Bytes of private and shared memory of a process and its descendants, shared memory counted once."""
    lines = (line for text in texts(process, "smaps_rollup") for line in text.splitlines())
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) << 10


def resident(process):
    """MB in memory of a process and its descendants."""
    found = (re.search(r"VmRSS:\s+(\d+) kB", text) for text in texts(process, "status"))
    return sum(int(one[1]) // 1024 for one in found if one)


def seconds(process, is_whole=True):
    """Processor time of a process and its descendants."""
    fields = (field for text in texts(process, "stat", is_whole) for field in text.rsplit(")", 1)[1].split()[11:13])
    return sum(map(int, fields)) / os.sysconf("SC_CLK_TCK")


def descriptors(process):
    return len(os.listdir(f"/proc/{process}/fd"))


class PeakMemory:
    """The most memory that a process and its descendants use while a block runs, in `peak`."""

    def __init__(self, process, pause=0.02):
        self.process, self.pause = process, pause
        self.peak = 0
        self.over = threading.Event()
        self.watcher = threading.Thread(target=self.watch)

    def watch(self):
        while not self.over.wait(self.pause):
            self.peak = max(self.peak, memory(self.process))

    def __enter__(self):
        self.watcher.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.watcher.join()
