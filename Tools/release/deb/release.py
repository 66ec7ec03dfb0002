"""An apt repository of the packages, and what apt does with it: install, upgrade, go back, remove."""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

from claims import claim
from package import ROOT, debian, number, output
from system import Machine, System

SUITE = "stable"
FAVORITE = "pictures/file/one.jpg"
PICTURE = "curl -sSf -o /tmp/picture -w '%{http_code} %{content_type}' http://127.0.0.1:8080/t/s/pictures/file/"
PINNED = "pictures/file/two.png"
BLOCKED = "pictures/file/blocked.jpg"
SEARCH = "lighthouse"
ON_CACHE = "--config /etc/vitrine/vitrine.yaml --cache /var/cache/vitrine"
AS_SERVICE = "setpriv --reuid=vitrine --regid=vitrine --init-groups"
SETTINGS = "folders: {pictures: /srv/pictures}\\nlists: {things: /srv/things.csv}\\nuserData: auto\\n"


def repository(packages, directory):
    """Puts the packages of a directory into an apt repository, signed with REPOSITORY_KEY if it names one of gpg's keys."""
    directory, packages = pathlib.Path(directory).absolute(), sorted(pathlib.Path(packages).glob("*.deb"))
    key = os.environ.get("REPOSITORY_KEY")
    shutil.rmtree(directory, ignore_errors=True)
    (directory / "conf").mkdir(parents=True)
    architectures = sorted({output("dpkg-deb", "-f", package, "Architecture") for package in packages})
    lines = ["Origin: Vitrine", "Label: Vitrine", f"Suite: {SUITE}", f"Codename: {SUITE}", "Components: main",
             f"Architectures: {' '.join(architectures)}", "Description: image thumbnail and media cache service"]
    lines += [f"SignWith: {key}"] if key else []
    (directory / "conf/distributions").write_text("\n".join(lines) + "\n")
    subprocess.run(["reprepro", "--silent", "--basedir", directory, "includedeb", SUITE, *packages], check=True)
    if key:
        (directory / "vitrine.asc").write_text(output("gpg", "--batch", "--armor", "--export", key))
    trust = "signed-by=/usr/share/keyrings/vitrine.asc" if key else "trusted=yes"
    if not key:
        print("The repository isn't signed; name one of gpg's keys with REPOSITORY_KEY.")
    print(f"deb [{trust}] file:{directory} {SUITE} main", flush=True)


def commit_of(release):
    """The commit that gave the release its number, so that `vitrine --version` says it."""
    commits = output("git", "log", "--reverse", "--format=%H", f'-Snumber = "{release}"', "--",
                     "Sources/App/Version.swift", cwd=ROOT).split()
    if not commits:
        raise SystemExit(f"No commit sets version {release}.")
    return commits[0]


def build_earlier(release, directory):
    """Builds the packages of a release from its commit, and has its program fill a cache from the demo."""
    directory = pathlib.Path(directory).absolute()
    tree = ROOT / f".build-release-{release}"
    if not tree.exists():
        subprocess.run(["git", "worktree", "add", "--detach", tree, commit_of(release)], check=True, cwd=ROOT)
    subprocess.run(["make", "-C", tree, "deb"], check=True)
    shutil.rmtree(directory, ignore_errors=True)
    shutil.copytree(tree / ".build/deb", directory)
    program = tree / ".build-static/release/vitrine"
    # With the settings of its own tree: it doesn't know keys that came later.
    subprocess.run([program, "demo", "--once", "--cache", directory / "cache"], check=True, cwd=tree)
    print(f"{directory}: the packages of {number(output(program, '--version'))}, and a cache that they made", flush=True)


# MARK: What apt does

class Trial:
    """A machine whose apt knows two repositories, of which one is there at a time."""

    def __init__(self, machine):
        self.machine = machine

    def picture(self, name):
        return self.machine.try_to_run(f"{PICTURE}{name}")[1]

    def apt(self, what):
        return self.machine.try_to_run(f"apt-get -qq -y -o Dpkg::Options::=--force-confold {what}")

    def number(self):
        return debian(number(self.machine.run("vitrine --version")))

    def check(self, text, release):
        status, seen = self.machine.try_to_run("systemctl is-active vitrine")
        claim(f"{text}: the service is active", status == 0, seen + self.machine.try_to_run("journalctl -n 20 -u vitrine")[1])
        claim(f"{text}: it is {release}", self.number() == release, self.number())
        seen = [self.picture(name) for name in ("one.jpg.webp", "two.png.jpg")]
        claim(f"{text}: pictures are served", seen == ["200 image/webp", "200 image/jpeg"], seen)


def system_with(work, repositories, suite):
    """A system whose apt knows the repositories, with everything that the packages need in apt's cache."""
    system = System(work / "machine", suite, ["systemd-sysv", "dbus", "ca-certificates", "curl"])
    sources = []
    for name, directory in repositories.items():
        shutil.copytree(directory, system.root / "srv" / name)
        shutil.copy(directory / "vitrine.asc", system.root / "usr/share/keyrings/vitrine.asc")
        sources.append(f"deb [signed-by=/usr/share/keyrings/vitrine.asc] file:/srv/{name} {SUITE} main")
    (system.root / "etc/apt/sources.list.d/vitrine.list").write_text("\n".join(sources) + "\n")
    system.run("apt-get update -qq && apt-get install -y -qq --download-only --no-install-recommends vitrine vitrine-demo nginx-light")
    # Its init can't set these in a container, and waits for them.
    (system.root / "etc/machine-id").write_text("")
    return system


def signed(packages, directory, home):
    os.environ["GNUPGHOME"], os.environ["REPOSITORY_KEY"] = str(home), "vitrine@localhost"
    if not home.exists():
        home.mkdir(mode=0o700)
        subprocess.run(["gpg", "--batch", "--quiet", "--passphrase", "", "--quick-gen-key", "vitrine@localhost"],
                       check=True)
    repository(packages, directory)
    return directory


def check(directory, work, suite, earlier=None):
    """Installs from the repository; with the packages of an earlier release, upgrades from it and goes back to it."""
    package = next(pathlib.Path(directory).glob("vitrine_*.deb"))
    new = package.name.split("_")[1]
    home = pathlib.Path(tempfile.mkdtemp(dir=work)) / "gpg"
    repositories = {"new": signed(directory, work / "new", home)}
    if earlier:
        old = next(pathlib.Path(earlier).glob("vitrine_*.deb")).name.split("_")[1]
        repositories["old"] = signed(earlier, work / "old", home)
    system = system_with(work, repositories, suite)
    if earlier and (cache := pathlib.Path(earlier) / "cache").is_dir():
        shutil.copytree(cache, system.root / "srv/cache")
    with Machine(system) as machine:
        trial = Trial(machine)
        machine.run("systemd-analyze --version >/dev/null; mkdir -p /srv/pictures; "
                    "printf 'id,url,title\\n1,https://pictures.example/1.jpg,A lighthouse\\n' > /srv/things.csv")
        first = old if earlier else new
        status, seen = trial.apt(f"install --no-install-recommends vitrine={first} vitrine-demo={first}")
        claim(f"apt installs {first} from the repository", status == 0, seen)
        status, seen = machine.try_to_run("systemctl is-active vitrine && systemctl is-enabled vitrine")
        claim("the service is active, and enabled, without another command", seen == "active\nenabled\n", seen)
        machine.run("cd /srv/pictures && vitrine-demo corpus drawn --posters 2 --covers 0 --large 0 >/dev/null && "
                    "mv $(find drawn -name '*.jpg' | sort | head -1) one.jpg && "
                    "vitrine thumb one.jpg -o made --levels m --formats png >/dev/null && mv $(find made -name '*.png') two.png && "
                    f"printf '{SETTINGS}' > /etc/vitrine/vitrine.yaml && systemctl restart vitrine")
        trial.check("installed", first)
        if earlier:
            check_moves(trial, old, new)
        # Only now: the pages are those of the new version.
        check_pages(machine)
        status, seen = trial.apt("remove vitrine vitrine-demo")
        claim("apt removes them", status == 0, seen)
        seen = machine.run("systemctl is-active vitrine || true; ls /etc/vitrine/vitrine.yaml; ls -d /var/cache/vitrine")
        claim("the service is gone, settings and pictures stay", seen.split("\n")[0] == "inactive" and seen.count("/vitrine") >= 2, seen)
        trial.apt("purge vitrine vitrine-demo")
        left = machine.run("find / -xdev \\( -path /proc -o -path /srv -o -path /tmp -o -path /var/lib/apt -o -path /var/cache/apt "
                           "-o -path /var/log -o -path /sys -o -path /etc/apt -o -path /usr/share/keyrings \\) -prune "
                           "-o -name '*vitrine*' -print")
        claim("a purge leaves nothing", not left, left)
        status, seen = machine.try_to_run("mkdir /tmp/files && cp $(find /srv/new -name '*.deb') /tmp/files && cd /tmp/files\n"
                                          'sudo() { "$@"; }\n' + quiet(commands("start.md", "## 1. Install")))
        seen += machine.try_to_run("systemctl is-active vitrine; vitrine --version | head -1; command -v vitrine-demo")[1]
        claim("Start: files of packages install, and the service stops", status == 0 and "inactive" in seen and "vitrine-demo" in seen, seen)


def commands(page, heading):
    """The first block of commands below a heading of a page, or below a sentence."""
    text = (ROOT / "docs" / page).read_text()
    return re.search(r"```sh\n(.*?)```", text[text.index(heading):], re.S)[1]


def quiet(script):
    """The script with installations that ask nothing."""
    return re.sub(r"\bapt install", "apt-get install -y -qq --no-install-recommends", script)


def check_pages(machine):
    """Runs what docs/start.md and docs/runbook.md tell readers to do with the package."""
    # The machine has no sudo, and only root.
    sudo = ('sudo() { if [ "$1" = -u ]; then u=$2; shift 2; setpriv --reuid=$u --regid=$u --init-groups "$@"; else "$@"; fi; }\n'
            "set -e; mkdir -p /srv/start/config; cd /srv/start; echo 0123456789abcdef > config/keys\n"
            "echo '<p>A grid' > grid.html; printf 'url,id\\nhttp://127.0.0.1/pages/one.jpg,print-1\\n' > prints.csv\n")
    machine.run("systemctl stop vitrine")
    status, seen = machine.try_to_run(sudo + commands("start.md", "## 6. Make it a service"))
    claim("Start: it becomes a service with the keys of its reader", status == 0 and "valid\n" in seen, seen)
    # The pictures of this test, and its own server of pictures.
    machine.run(f"printf '{SETTINGS}fetch: {{allowNetworks: [127.0.0.0/8]}}\\n' >> /etc/vitrine/vitrine.yaml && systemctl restart vitrine")
    seen = machine.run("curl -s -o /dev/null --retry 30 --retry-connrefused --retry-delay 1 -w '%{http_code}' "
                       "-H 'Accept: application/json' localhost:8080/t/m/url/wrong/aHR0cDovL2EuZXhhbXBsZS8")
    claim("Start: signatures are checked with these keys", seen == "403", seen)
    status, seen = machine.try_to_run(sudo + quiet(commands("start.md", "## 4. nginx in front")))
    claim("Start: nginx starts with its example", status == 0, seen)
    # nginx goes on with its earlier configuration for a moment.
    machine.run("until curl -sSf localhost/healthz; do sleep 0.2; done")
    # The reader has asked for it before.
    machine.run("curl -sSf -o /dev/null localhost:8080/t/m/pictures/file/one.jpg")
    seen = machine.try_to_run(sudo + commands("start.md", "Request it twice:").replace("tvmaze/show/1", "pictures/file/one.jpg"))[1]
    claim("Start: nginx keeps a picture", seen.count("Cache-Status: vitrine; hit") == 2 and "X-Cache: HIT" in seen, seen)
    check_purges(machine, sudo)
    status, seen = machine.try_to_run(sudo + commands("start.md", "Your page goes beside the pictures.")
                                      + "curl -sSf localhost/pages/grid.html; cp /srv/pictures/one.jpg /srv/www/pages\n")
    claim("Start: nginx serves a page beside the pictures", status == 0 and "A grid" in seen, seen)
    status, seen = machine.try_to_run(sudo + commands("start.md", "The service can't read your home directory.") + "cat prints.jsonl")
    claim("Start: the service's user warms a list, and signs its pictures", status == 0 and '"signed"' in seen, seen)
    status, seen = machine.try_to_run(sudo + commands("runbook.md", "# Runbook").replace("journalctl", "journalctl --no-pager"))
    claim("Runbook: its commands run as the user of the service", status == 0 and "/var/cache/vitrine" in seen, seen)
    seen = machine.run("ls /usr/share/doc/vitrine/docs/runbook.md /usr/share/doc/vitrine/examples/alerts.yml || true")
    claim("the package has the page that its alerts name", "No such file" not in seen, seen)
    # What the reader of the pages made.
    machine.run("rm -rf /etc/nginx/conf.d/vitrine.conf /var/cache/nginx/vitrine")


def check_purges(machine, sudo):
    """Purges reach nginx under the units, as docs/operating.md says; where they can't, they fail."""
    page = "curl -sSf -o /dev/null -D - localhost/t/m/pictures/file/one.jpg | grep X-Cache"
    status, seen = machine.try_to_run(sudo + commands("operating.md", "### nginx and purges")
                                      + "find /var/cache/nginx/vitrine -type f -delete\n")
    claim("Operating: nginx gets a program for purges", status == 0, seen)
    token = "a-token-of-this-test"
    machine.run(f"install -m 600 /dev/null /etc/vitrine/secrets.env; echo VITRINE_ADMIN_TOKEN={token} > /etc/vitrine/secrets.env; "
                "systemctl restart vitrine; until curl -sSf localhost:8080/healthz; do sleep 0.2; done")
    keep = f"for n in 1 2 3; do {page}; done | tail -1"
    claim("nginx keeps the picture", "HIT" in machine.run(keep))
    purge = (f"curl -s -o /dev/null -w '%{{http_code}}' -H 'Authorization: Bearer {token}' -H 'Content-Type: application/json' "
             "-d '{\"item\": \"pictures/file/one.jpg\"}' localhost:8080/admin/purge")
    told = f"curl -s -H 'Authorization: Bearer {token}' localhost:8080/metrics | grep 'cdn_purges_total.*told' | grep -v ' 0$'"
    status, seen = machine.try_to_run(f"{purge}; for n in $(seq 100); do {told} && break; sleep 0.2; done; {told} && {page}; "
                                      "journalctl --no-pager -u 'purge-nginx@*' | tail -5")
    claim("a purge under the unit reaches nginx", seen.startswith("202") and "MISS" in seen, seen)
    claim("nginx keeps the picture again", "HIT" in machine.run(keep))
    status, seen = machine.try_to_run(f"{AS_SERVICE} vitrine cache purge pictures/file/one.jpg {ON_CACHE} && {page}")
    claim("so does a purge by a command", status == 0 and "MISS" in seen, seen)
    # As the user of the service, which may not get into nginx's directories.
    machine.run(keep)
    status, seen = machine.try_to_run("setpriv --reuid=vitrine --regid=vitrine --init-groups /usr/local/bin/purge-nginx /var/cache/nginx/vitrine vitrine")
    claim("purge-nginx fails where it has no right", status != 0 and "Permission denied" in seen, seen)
    seen = machine.run(keep)
    claim("and nginx keeps the picture", "HIT" in seen, seen)
    machine.run("systemctl disable --now purge-nginx.socket; rm -f /etc/systemd/system/purge-nginx* /usr/local/bin/purge-nginx /etc/vitrine/secrets.env; "
                "systemctl daemon-reload; systemctl restart vitrine; until curl -sSf localhost:8080/healthz; do sleep 0.2; done")


def check_moves(trial, old, new):
    """Upgrades and goes back, and looks for what people have chosen each time, whichever layouts the two have."""
    machine = trial.machine
    machine.run("! [ -d /srv/cache ] || { systemctl stop vitrine && rm -rf /var/cache/vitrine/* && cp -r /srv/cache/. /var/cache/vitrine/ "
                "&& chown -R vitrine:vitrine /var/cache/vitrine && systemctl start vitrine; }")
    trial.check(f"{old} with the cache that it made", old)
    machine.run(f"curl -sSf -X PUT localhost:8080/v1/favorites/{FAVORITE} >/dev/null; {AS_SERVICE} vitrine cache pin {PINNED} {ON_CACHE}; "
                f"{AS_SERVICE} vitrine block {BLOCKED} {ON_CACHE}; curl -sSf 'localhost:8080/v1/things/pictures?q={SEARCH}' >/dev/null")
    check_choices(machine, old)
    before = layouts(machine)
    status, seen = trial.apt("upgrade")
    claim(f"apt upgrades to {new}", status == 0, seen)
    trial.check("upgraded", new)
    check_choices(machine, f"upgraded to {new}")
    status, seen = trial.apt(f"install --allow-downgrades vitrine={old} vitrine-demo={old}")
    claim(f"apt goes back to {old}", status == 0, seen)
    added = layouts(machine) - before
    if machine.try_to_run("systemctl is-active vitrine")[0]:
        seen = machine.run("systemctl stop vitrine; vitrine cache stats --cache /var/cache/vitrine 2>&1 || true")
        claim(f"{old} refuses the later cache in a sentence", "newer version" in seen, seen)
        # As docs/upgrading.md says.
        newest = max(layouts(machine))
        left = f"/var/cache/vitrine/{newest}" if added else f"/var/cache/vitrine/{newest}/index/pictures.sqlite*"
        machine.run(f"rm -rf {left}; systemctl reset-failed vitrine; systemctl start vitrine")
    trial.check("gone back", old)
    check_choices(machine, f"gone back to {old}")
    status, seen = trial.apt("upgrade")
    claim(f"apt upgrades to {new} again", status == 0, seen)
    trial.check("upgraded again", new)
    check_choices(machine, f"upgraded to {new} again")


def layouts(machine):
    """The directories of the cache, one for each layout."""
    return set(machine.run("ls /var/cache/vitrine | grep -E '^v[0-9]+$'").split())


def check_choices(machine, text):
    favorites, history = (machine.run(f"curl -sS localhost:8080/v1/{name}") for name in ("favorites", "history"))
    claim(f"{text}: favorites are there", FAVORITE in favorites, favorites)
    claim(f"{text}: the search history is there", SEARCH in history, history)
    seen = machine.run(f"{AS_SERVICE} vitrine cache pin {PINNED} {ON_CACHE}")
    claim(f"{text}: pins are there", "1 already" in seen, seen)
    seen = machine.run(f"{AS_SERVICE} vitrine block --list {ON_CACHE}")
    claim(f"{text}: blocks are there", BLOCKED in seen, seen)
