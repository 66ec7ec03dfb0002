"""What the tools that try a fleet on this machine share: servers, the origin, the store, and claims."""
import collections
import datetime
import hashlib
import hmac
import http.client
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

TOOLS = pathlib.Path(__file__).resolve().parent
ROOT = TOOLS.parent
NATS, S3 = TOOLS / "services/nats", TOOLS / "services/s3"
# Claims that don't hold.
failures = []
children = []


def leave(number, _):
    """Leaves as an error does, so that what was started is ended, and once only."""
    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, signal.SIG_IGN)
    sys.exit(128 + number)


for each in (signal.SIGINT, signal.SIGTERM):
    signal.signal(each, leave)


def claim(text, holds, seen=""):
    failures.extend([text] if not holds else [])
    print(f"{'pass' if holds else 'FAIL'} {text}{f': {seen}' if seen != '' else ''}", flush=True)


def say(text):
    print(f"     {text}", flush=True)


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def start(words, log, **more):
    process = subprocess.Popen([str(word) for word in words], stdout=open(log, "a"), stderr=subprocess.STDOUT,
                               **{"stdin": subprocess.DEVNULL, **more})
    children.append(process)
    return process


def values(text):
    pairs = (line.split("=", 1) for line in text.splitlines() if "=" in line)
    return {name: value.strip("'\"") for name, value in pairs}


def tool(*words, quiet=False):
    done = subprocess.run([str(word) for word in words], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL if quiet else None, text=True)
    if done.returncode and not quiet:
        sys.exit(f"{' '.join(map(str, words))} ended with {done.returncode}")
    return done.stdout


def end_children():
    """Ends every process that start() started."""
    for child in children:
        if child.poll() is None:
            child.send_signal(signal.SIGCONT)
            child.send_signal(signal.SIGTERM)
    for child in children:
        try:
            child.wait(timeout=30)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()


def program(name):
    """Where a server is that a user's PATH may not have."""
    return shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin") or sys.exit(
        f"{name} is missing. Install it with: make deps-cluster")


def wait_until(what, holds, limit=300):
    end = time.monotonic() + limit
    while not holds():
        if time.monotonic() > end:
            sys.exit(f"waited {limit} s for {what}")
        time.sleep(0.2)


class Origin:
    """The demo's catalogs on a loopback port."""

    def __init__(self, vitrine, directory, count):
        self.log = directory / "origin.log"
        self.process = subprocess.Popen(
            [vitrine.parent / "vitrine-demo", "--until-eof", "--shows", str(count), "--log", self.log],
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

    def downloads(self):
        """How often each picture was asked for."""
        lines = self.log.read_text().splitlines() if self.log.exists() else []
        return collections.Counter(path for _, host, path in (line.split(" ", 2) for line in lines)
                                   if host.startswith("static."))


class Bucket:
    """Reads the store with signed requests of its own (Signature Version 4)."""

    def __init__(self, known):
        self.known = known
        self.host = urllib.parse.urlsplit(known["S3_ENDPOINT"]).netloc

    def get(self, path, query=()):
        now = datetime.datetime.now(datetime.timezone.utc)
        day, second = now.strftime("%Y%m%d"), now.strftime("%Y%m%dT%H%M%SZ")
        nothing = hashlib.sha256(b"").hexdigest()
        text = "&".join(f"{name}={urllib.parse.quote(value, safe='-._~')}" for name, value in sorted(query))
        quoted = urllib.parse.quote(path, safe="/-._~")
        fields = {"host": self.host, "x-amz-content-sha256": nothing, "x-amz-date": second}
        names = ";".join(fields)
        canonical = "\n".join(["GET", quoted, text] + [f"{name}:{value}" for name, value in fields.items()]
                              + ["", names, nothing])
        scope = f"{day}/{self.known['S3_REGION']}/s3/aws4_request"
        key = b"AWS4" + self.known["AWS_SECRET_ACCESS_KEY"].encode()
        for part in scope.split("/"):
            key = hmac.new(key, part.encode(), hashlib.sha256).digest()
        signed = "\n".join(["AWS4-HMAC-SHA256", second, scope, hashlib.sha256(canonical.encode()).hexdigest()])
        signature = hmac.new(key, signed.encode(), hashlib.sha256).hexdigest()
        fields["Authorization"] = (f"AWS4-HMAC-SHA256 Credential={self.known['AWS_ACCESS_KEY_ID']}/{scope},"
                                   f"SignedHeaders={names},Signature={signature}")
        del fields["host"]
        request = urllib.request.Request(f"http://{self.host}{quoted}?{text}", headers=fields)
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.read()

    def keys(self, prefix):
        found, after = [], ""
        while True:
            query = [("list-type", "2"), ("prefix", prefix)] + ([("start-after", after)] if after else [])
            text = self.get(f"/{self.known['S3_BUCKET']}", query).decode()
            page = re.findall(r"<Key>([^<]+)</Key>", text)
            found += page
            if "<IsTruncated>true</IsTruncated>" not in text:
                return found
            after = page[-1]

    def digest(self, key):
        return hashlib.sha256(self.get(f"/{self.known['S3_BUCKET']}/{key}")).hexdigest()


def ask(port, path, headers=(), method="GET", body=None, address="127.0.0.1"):
    """Returns the status, or the name of the error if there is no answer, the fields and the body."""
    request = urllib.request.Request(f"http://{address}:{port}{path}", headers=dict(headers), method=method, data=body)
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
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


def nginx_fleet(directory, ports, first):
    """Starts nginx with config/nginx-fleet.conf before nodes at these ports, and returns its own port."""
    text = (ROOT / "config/nginx-fleet.conf").read_text()
    servers = "".join(f"    server 127.0.0.1:{port} max_fails=2 fail_timeout=2s;\n" for port in ports)
    text = re.sub(r"(    server 10\.\S+ [^\n]*\n)+", servers, text)
    port = free_port()
    text = text.replace("listen 80;", f"listen 127.0.0.1:{port};").replace("10.0.0.1:8080", f"127.0.0.1:{first}")
    places = "".join(f"{kind}_temp_path {directory}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    main = directory / "nginx.conf"
    main.write_text(f"daemon off; pid {directory}/nginx.pid; error_log {directory}/nginx.error;\n"
                    f"events {{}}\nhttp {{ access_log off; {places}\n{text}}}\n")
    # Its workers give up root, and have to get into the directory.
    os.chmod(directory, 0o777)
    start([program("nginx"), "-c", main], directory / "nginx.log")
    return port


def haproxy_fleet(directory, ports, first):
    """The same with config/haproxy-fleet.cfg."""
    text = (ROOT / "config/haproxy-fleet.cfg").read_text()
    servers = "".join(f"    server node{number} 127.0.0.1:{port}\n" for number, port in enumerate(ports, 1))
    text = re.sub(r"(    server node\d 10\.\S+\n){2,}", servers, text)
    port = free_port()
    text = text.replace("bind :80", f"bind 127.0.0.1:{port}").replace("10.0.0.1:8080", f"127.0.0.1:{first}")
    file = directory / "haproxy.cfg"
    file.write_text(text)
    start([program("haproxy"), "-db", "-f", file], directory / "haproxy.log")
    return port
