"""The packages in a bare system without Swift, installed as config/Containerfile does."""
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import time
import urllib.error
import urllib.request

from claims import claim
from package import ROOT
from system import System

PORT = 9871
# The files that a page links to, without the heading.
LINK = re.compile(r"\]\((?!\w+:)([^)#\s]+)")


class Container:
    """The last stage of config/Containerfile, whose instructions are carried out in a directory."""

    def __init__(self):
        text = (ROOT / "config/Containerfile").read_text().replace("\\\n", " ")
        stages = re.split(r"(?m)^FROM ", text)
        steps = [line.split(None, 1) for line in stages[-1].splitlines()[1:] if line.strip() and line[0] != "#"]
        self.suite = re.search(r"debian:(\w+)", stages[-1])[1]
        self.steps = [(name, value) for name, value in steps if name in ("RUN", "COPY")]
        self.settings = dict(steps)
        self.user = self.settings["USER"].strip()
        self.command = json.loads(self.settings["ENTRYPOINT"]) + json.loads(self.settings["CMD"])

    def build(self, system, packages):
        for name, value in self.steps:
            assert name == "RUN", "only RUN is known"
            mount = re.match(r"\s*--mount=type=bind,from=build,source=\S+,target=(\S+)", value)
            system.run(value[mount.end():] if mount else value, {mount[1]: packages} if mount else {})


def get(path, **fields):
    request = urllib.request.Request(f"http://127.0.0.1:{PORT}{path}", headers=fields)
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return answer.status, answer.headers, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read()


def wait_for(process):
    for _ in range(600):
        if process.poll() is not None:
            sys.exit(f"the service ended with {process.returncode}")
        try:
            return get("/healthz")
        except OSError:
            time.sleep(0.1)
    sys.exit(f"nothing listens on port {PORT}")


def stop(process):
    process.terminate()
    return process.wait(30)


def check_installed(system):
    seen = system.run("command -v swift || true; ldd /usr/bin/vitrine /usr/bin/vitrine-demo")
    claim("there is no Swift, and no library is missing", "swift" not in seen and "not found" not in seen, seen)
    claim("vitrine runs", system.run("vitrine --version").startswith("vitrine "))
    owner = system.run("stat -c '%U %a' /var/cache/vitrine; getent passwd vitrine").split("\n")
    claim("the cache belongs to a user without a shell",
          owner[0] == "vitrine 750" and owner[1].endswith("/usr/sbin/nologin"), owner)
    same = system.run("vitrine config --defaults") == (ROOT / "config/vitrine.yaml").read_text()
    claim("the settings in /etc are the defaults of this program", same)


def check_documents(system):
    commands = json.loads(system.run("vitrine --experimental-dump-help"))["command"]["subcommands"]
    names = [one["commandName"] for one in commands if one["shouldDisplay"] and one["commandName"] != "help"]
    pages = set(os.listdir(system.root / "usr/share/man/man1")) if (
        system.root / "usr/share/man/man1").is_dir() else set()
    missing = [name for name in names if f"vitrine-{name}.1.gz" not in pages]
    claim("every command has a manual page", not missing and "vitrine.1.gz" in pages, missing)
    place = system.root / "usr/share/doc/vitrine"
    links = [(page.name, link) for page in place.rglob("*.md") for link in LINK.findall(page.read_text())
             if not (page.parent / link).exists() and not re.match(r"(\.\./)*(Sources|Tools)/", link)]
    claim("links of the pages lead to files of the package", (place / "docs/start.md").exists() and not links, links)
    system.run("apt-get install -y -qq --no-install-recommends systemd zsh fish man-db groff-base >/dev/null 2>&1")
    units = [f"/usr/lib/systemd/system/vitrine.{kind}" for kind in ("service", "socket")]
    verified = subprocess.run(["systemd-analyze", "verify", f"--root={system.root}", "--man=no", *units],
                              capture_output=True, text=True)
    seen = "\n".join(line for line in verified.stderr.splitlines() if "vitrine" in line)
    claim("systemd accepts the units", verified.returncode == 0 and not seen, verified.stderr)
    warnings = system.run("for page in /usr/share/man/man1/vitrine*; do LC_ALL=C.UTF-8 man --warnings=w -l $page 2>&1 >/dev/null; done")
    claim("manual pages have no mistakes", not warnings, warnings)
    completed = system.run("bash -c '. /usr/share/bash-completion/completions/vitrine; COMP_WORDS=(vitrine se); COMP_CWORD=1; "
                           "COMP_LINE=\"vitrine se\"; COMP_POINT=10; $(complete -p vitrine | sed \"s/.*-F \\([^ ]*\\).*/\\1/\") "
                           "vitrine se vitrine; echo ${COMPREPLY[@]}'")
    claim("bash completes commands", completed.split() == ["serve"], completed)
    system.run("zsh -n /usr/share/zsh/vendor-completions/_vitrine")
    completed = system.run("fish -c 'complete -C \"vitrine se\"'")
    claim("fish completes commands", completed.startswith("serve"), completed)


def check_use(system, container, pictures):
    if pictures is None:
        system.run("vitrine-demo corpus /tmp/pictures --posters 6 --covers 4 --large 2")
        mounts = {}
    else:
        mounts = {"/tmp/pictures": pictures}
    seen = system.run("vitrine thumb /tmp/pictures -o /tmp/thumbs --json | tail -1; find /tmp/thumbs -type f | wc -l", mounts)
    summary, count = seen.strip().split("\n")[-2:]
    print(summary)
    claim("thumb makes thumbnails", int(count) > 0)

    process = system.start(f"exec setpriv --reuid={container.user} --regid={container.user} --clear-groups "
                           + shlex.join(container.command + ["--host", "127.0.0.1", "--port", str(PORT)]))
    wait_for(process)
    ready = get("/readyz")
    claim("the container's command serves, and renders", ready[0] == 200, ready)
    claim("it stops cleanly", stop(process) == 0)

    process = system.start(f"exec vitrine demo --port {PORT} --shows 20 --cache /tmp/demo >/tmp/demo.log 2>&1")
    wait_for(process)
    for kind in ("webp", "avif", "jpeg", "png"):
        status, fields, body = get(f"/t/s/tvmaze/show/1.{'jpg' if kind == 'jpeg' else kind}")
        claim(f"the demo serves {kind}", (status, fields["Content-Type"]) == (200, f"image/{kind}") and body, status)
    claim("it stops cleanly", stop(process) == 0)


def check_removal(system):
    system.run("apt-get purge -y -qq vitrine vitrine-demo")
    left = system.run("find / -xdev -path /proc -prune -o -path /tmp -prune -o -path /var/lib/apt -prune "
                      "-o -path /var/log -prune -o -name '*vitrine*' -print")
    claim("a purge leaves nothing", not left, left)


def check(directory, work, pictures=None):
    container = Container()
    system = System(work / "container", container.suite)
    packages = pathlib.Path(directory).absolute()
    print("installing the packages as the container file does", flush=True)
    container.build(system, packages)
    size = int(subprocess.run(["du", "-sm", system.root], check=True, capture_output=True, text=True).stdout.split()[0])
    print(f"the container's files: {size} MiB", flush=True)
    system.run("apt-get update -qq && apt-get install -y -qq --no-install-recommends /packages/vitrine-demo_*.deb",
               {"/packages": packages})
    check_installed(system)
    check_use(system, container, pathlib.Path(pictures).absolute() if pictures else None)
    check_documents(system)
    check_removal(system)
