"""What the tools that try a fleet on this machine share, besides lib: NATS and S3 servers, proxies, the bucket."""
import contextlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import lib
from lib import ROOT, TOOLS, free_port, leave_on_signals, program, say, start

sys.path.insert(0, str(TOOLS / "services"))
from bucket import Bucket  # noqa: E402, F401, for those that import it from here

leave_on_signals()


def tool(name, *words, quiet=False):
    """Runs a script of services, and returns what it prints."""
    done = subprocess.run([str(word) for word in (TOOLS / "services" / name, *words)], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL if quiet else None, text=True)
    if done.returncode and not quiet:
        sys.exit(f"{name} {' '.join(map(str, words))} ended with {done.returncode}")
    return done.stdout


@contextlib.contextmanager
def fleet_directory(name):
    """A directory for a run, kept if a claim doesn't hold; that of the variable NAME_DIRECTORY is always kept. Ends the
    tool."""
    kept = os.environ.get(f"{name.upper()}_DIRECTORY")
    directory = pathlib.Path(kept or tempfile.mkdtemp(prefix=f"vitrine-{name}-")).resolve()
    directory.mkdir(parents=True, exist_ok=True)
    say(f"logs are in {directory}")
    yield directory
    if not kept and not lib.failures:
        shutil.rmtree(directory, ignore_errors=True)
    lib.finish(f"; logs are in {directory}")


class Services:
    """NATS servers, and unless it is not wanted an S3 store, in the directory of a run."""

    def __init__(self, directory, servers=1, has_store=True):
        self.directory = directory
        tool("nats", "stop", directory / "nats", quiet=True)
        self.known = self.values("nats", servers) | (self.values("s3") if has_store else {})
        self.environment = {**os.environ, **self.known}
        self.bucket = Bucket(self.known) if has_store else None

    def values(self, name, *words):
        lines = tool(name, "start", self.directory / name, *words).splitlines()
        pairs = (line.split("=", 1) for line in lines if "=" in line)
        return {name: value.strip("'\"") for name, value in pairs}

    def settings(self, name="fleet", more="", **others):
        """Writes settings of a node of the fleet, and returns their file."""
        known, file = self.known, self.directory / f"{name}.yaml"
        lines = [f"queue: {known['NATS_URL']}"]
        if self.bucket:
            lines.append(f"s3: {{endpoint: \"{known['S3_ENDPOINT']}\", bucket: {known['S3_BUCKET']},"
                         f" region: {known['S3_REGION']}, pathStyle: true{more}}}")
        file.write_text("\n".join(lines + [f"{name}: {value}" for name, value in others.items()]) + "\n")
        return file

    def end(self):
        lib.end_children()
        for name in ("nats", "s3"):
            tool(name, "stop", self.directory / name, quiet=True)


TEMPORARY = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")


def start_nginx(directory, http, name="nginx"):
    """Starts nginx with these lines of http { }, and returns its process."""
    places = "".join(f"{kind}_temp_path {directory}/{kind};" for kind in TEMPORARY)
    main = directory / f"{name}.conf"
    main.write_text(f"daemon off; pid {directory}/{name}.pid; error_log {directory}/{name}.error;\n"
                    f"events {{}}\nhttp {{ {places}\n{http}}}\n")
    # Its workers give up root, and have to get into the directory.
    os.chmod(directory, 0o777)
    return start([program("nginx"), "-c", main], directory / f"{name}.log")


def nginx_fleet(directory, ports, first):
    """Starts nginx with config/nginx-fleet.conf before nodes at these ports, and returns its own port."""
    text = (ROOT / "config/nginx-fleet.conf").read_text()
    servers = "".join(f"    server 127.0.0.1:{port} max_fails=2 fail_timeout=2s;\n" for port in ports)
    text = re.sub(r"(    server 10\.\S+ [^\n]*\n)+", servers, text)
    port = free_port()
    text = text.replace("listen 80;", f"listen 127.0.0.1:{port};").replace("10.0.0.1:8080", f"127.0.0.1:{first}")
    start_nginx(directory, f"access_log off;\n{text}")
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
