"""What the tools that try a fleet on this machine share, besides lib: NATS and S3 servers, proxies, the bucket."""
import datetime
import hashlib
import hmac
import os
import re
import subprocess
import sys
import urllib.parse
import urllib.request

from lib import ROOT, TOOLS, free_port, leave_on_signals, program, start

leave_on_signals()
NATS, S3 = TOOLS / "services/nats", TOOLS / "services/s3"
def values(text):
    pairs = (line.split("=", 1) for line in text.splitlines() if "=" in line)
    return {name: value.strip("'\"") for name, value in pairs}


def tool(*words, quiet=False):
    done = subprocess.run([str(word) for word in words], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL if quiet else None, text=True)
    if done.returncode and not quiet:
        sys.exit(f"{' '.join(map(str, words))} ended with {done.returncode}")
    return done.stdout


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
