"""The image of config/Containerfile, made without a container engine, and a look at it."""
import gzip
import hashlib
import http.client
import io
import json
import os
import pathlib
import re
import resource
import shlex
import struct
import subprocess
import sys
import tarfile
import tempfile
import time
import urllib.error
import urllib.request
import zlib

from claims import claim
from container import Container
from namespace import Namespace
from package import ROOT, output
from system import System

# What installing leaves behind, and what the container has of its own.
LEFT = ["dev", "proc", "sys", "tmp", "run", "var/cache/apt", "var/cache/debconf", "var/cache/ldconfig", "var/lib/apt/lists",
        "var/log", "var/tmp", "root", "etc/machine-id", "etc/resolv.conf", "etc/hostname"]
MEDIA = "application/vnd.oci.image"
UNSHARE = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--propagation=private"]
# As many files as this machine allows, like a container engine.
FILES = min(65536, resource.getrlimit(resource.RLIMIT_NOFILE)[1])


def digest(content):
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


class Layout:
    """An OCI image layout in an archive: https://github.com/opencontainers/image-spec"""

    def __init__(self):
        self.blobs = {}

    def add(self, content, media):
        name = digest(content)
        self.blobs[name] = content
        return {"mediaType": f"{MEDIA}.{media}", "digest": name, "size": len(content)}

    def write(self, path, index, date):
        files = {"oci-layout": encoded({"imageLayoutVersion": "1.0.0"}), "index.json": encoded(index)}
        files |= {f"blobs/sha256/{name.removeprefix('sha256:')}": content for name, content in self.blobs.items()}
        path.parent.mkdir(parents=True, exist_ok=True)
        with tarfile.open(path, "w") as archive:
            for name in sorted(files):
                entry = tarfile.TarInfo(name)
                entry.size, entry.mtime, entry.mode = len(files[name]), date, 0o644
                archive.addfile(entry, io.BytesIO(files[name]))


def encoded(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def layer(root, date):
    """The files below a directory as a tar, the same for the same files."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for path in sorted(root.rglob("*")):
            name = str(path.relative_to(root))
            if any(name.startswith(f"{left}/") for left in LEFT) or path.is_socket():
                continue
            entry = archive.gettarinfo(path, name)
            entry.mtime = min(int(entry.mtime), date)
            entry.uname = entry.gname = ""
            entry.pax_headers = {}
            if entry.isreg():
                with path.open("rb") as file:
                    archive.addfile(entry, file)
            else:
                archive.addfile(entry)
    return made.getvalue()


def seconds(text):
    """A duration of HEALTHCHECK in nanoseconds."""
    number, unit = re.fullmatch(r"(\d+)(s|m)", text).groups()
    return int(number) * {"s": 1, "m": 60}[unit] * 10**9


def health(value):
    """What HEALTHCHECK says, as Docker's images have it. The specification of OCI has no place for it and ignores it."""
    options, command = value.split("CMD", 1)
    times = dict(re.findall(r"--(\S+)=(\S+)", options))
    names = {"interval": "Interval", "timeout": "Timeout", "start-period": "StartPeriod"}
    return {"Test": ["CMD", *json.loads(command)]} | {names[name]: seconds(time) for name, time in times.items()}


def settings(container, root):
    """The configuration of the image. Its user is a number, so that Kubernetes knows that it is not root."""
    users = dict(line.split(":", 1) for line in (root / "etc/passwd").read_text().splitlines())
    _, user, group, *_ = users[container.user].split(":")
    said = container.settings
    return {"User": f"{user}:{group}", "ExposedPorts": {f"{said['EXPOSE'].strip()}/tcp": {}}, "WorkingDir": "/",
            "Env": ["PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"],
            "Entrypoint": json.loads(said["ENTRYPOINT"]), "Cmd": json.loads(said["CMD"]),
            "Volumes": {said["VOLUME"].strip(): {}}, "StopSignal": said["STOPSIGNAL"].strip(),
            "Healthcheck": health(said["HEALTHCHECK"])}


def build(directory, target):
    """Writes vitrine_VERSION_ARCH.oci.tar from the packages in a directory. No registry is asked."""
    packages = pathlib.Path(directory).absolute()
    found = sorted(packages.glob("vitrine_*.deb"))
    if len(found) != 1:
        sys.exit(f"{directory} has {len(found)} packages vitrine_*.deb; make deb makes one.")
    _, version, architecture = found[0].stem.split("_")
    date = int(output("git", "log", "-1", "--format=%ct", cwd=ROOT))
    container = Container()
    with tempfile.TemporaryDirectory(prefix="vitrine-image-") as work:
        root = pathlib.Path(work) / "root"
        system = System(root, container.suite)
        container.build(system, packages)
        config = settings(container, root)
        files = layer(root, date)
    layout = Layout()
    packed = layout.add(gzip.compress(files, 6, mtime=0), "layer.v1.tar+gzip")
    created = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(date))
    notes = {"org.opencontainers.image.version": version, "org.opencontainers.image.title": "vitrine",
             "org.opencontainers.image.licenses": "Apache-2.0", "org.opencontainers.image.created": created}
    about = layout.add(encoded({
        "architecture": architecture, "os": "linux", "created": created, "config": config | {"Labels": notes},
        "rootfs": {"type": "layers", "diff_ids": [digest(files)]},
        "history": [{"created": created, "created_by": "make image"}]}), "config.v1+json")
    manifest = layout.add(encoded({"schemaVersion": 2, "mediaType": f"{MEDIA}.manifest.v1+json", "config": about,
                                   "layers": [packed], "annotations": notes}), "manifest.v1+json")
    manifest |= {"platform": {"architecture": architecture, "os": "linux"},
                 "annotations": {"org.opencontainers.image.ref.name": version, "io.containerd.image.name": f"vitrine:{version}"}}
    made = pathlib.Path(target) / f"vitrine_{version}_{architecture}.oci.tar"
    layout.write(made, {"schemaVersion": 2, "mediaType": f"{MEDIA}.index.v1+json", "manifests": [manifest]}, date)
    print(f"{made}: {made.stat().st_size / 1e6:.0f} MB, {len(files) / 1e6:.0f} MB unpacked; podman load -i {made}, or docker load -i {made}")


class Image:
    """An image of an archive, checked and unpacked."""

    def __init__(self, archive, root):
        with tarfile.open(archive) as opened:
            files = {entry.name: opened.extractfile(entry).read() for entry in opened if entry.isreg()}
        names = [name for name in files if name.startswith("blobs/")]
        wrong = [name for name in names if not digest(files[name]).endswith(name.split("/")[-1])]
        claim("each blob has the digest that it is named by", names and not wrong, wrong)
        self.files = files
        self.sizes = []
        index = json.loads(files["index.json"])
        manifest = json.loads(self.blob(index["manifests"][0]))
        config = json.loads(self.blob(manifest["config"]))
        content = gzip.decompress(self.blob(manifest["layers"][0]))
        claim("each size is right", all(self.sizes), self.sizes)
        claim("the layer has the digest that the image names", config["rootfs"]["diff_ids"] == [digest(content)])
        self.config = config["config"]
        self.root = root
        self.namespace = None
        with tarfile.open(fileobj=io.BytesIO(content)) as opened:
            # Debian 12's Python knows no filters yet, and takes everything as it is.
            trusting: dict = {"filter": "fully_trusted"} if hasattr(tarfile, "fully_trusted_filter") else {}
            opened.extractall(root, numeric_owner=True, **trusting)

    def blob(self, descriptor):
        content = self.files[f"blobs/sha256/{descriptor['digest'].removeprefix('sha256:')}"]
        self.sizes.append(len(content) == descriptor["size"])
        return content

    def script(self, words, mounts):
        """A shell script that makes the image's mounts and becomes words, as a container engine would: with an empty
        environment, a root that can't be written, a volume, an empty /tmp and the limits. The network is the machine's."""
        root = shlex.quote(str(self.root))
        lines = [f"mount --bind {root} {root}"]
        for place, (source, mode) in mounts.items():
            target = shlex.quote(f"{self.root}{place}")
            lines += [f"mount --bind {shlex.quote(str(source))} {target}", f"mount -o remount,bind,{mode} {target}"]
        lines += [f"mount -t tmpfs -o mode=1777,nosuid,nodev tmpfs {root}/tmp", f"mount -t proc proc {root}/proc",
                  f"mount -t tmpfs -o mode=755 tmpfs {root}/dev", f"mkdir -m 1777 {root}/dev/shm"]
        for device in ("null", "zero", "urandom", "random"):
            lines += [f"touch {root}/dev/{device}", f"mount --bind /dev/{device} {root}/dev/{device}"]
        user, group = self.config["User"].split(":")
        before, rights = "", "--no-new-privs --bounding-set=-all --inh-caps=-all"
        if os.geteuid() == 0:
            rights += f" --reuid={user} --regid={group} --clear-groups"
        else:
            # An ordinary user has one number to give away: it is root's for the mounts, then that of the image's user.
            before = f"unshare --user --map-user={user} --map-group={group} --keep-caps "
            rights += " --ambient-caps=-all"
        lines += [f"mount -o remount,bind,ro {root}",
                  f"exec {before}prlimit --nofile={FILES} --core=0 chroot {root} "
                  f"/usr/bin/env -i {shlex.join(self.config['Env'])} setpriv {rights} {shlex.join(words)}"]
        return "\n".join(lines)

    def start(self, words, mounts, **options):
        """Starts words in the image, in its user namespace if it has one. Returns the process of unshare."""
        entered = self.namespace.words if self.namespace else []
        return subprocess.Popen([*entered, *UNSHARE, "sh", "-ec", self.script(words, mounts)], text=True, **options)

    def run(self, words, mounts):
        """Returns the exit status, and what was printed."""
        process = self.start(words, mounts, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        text = process.communicate()[0]
        return process.returncode, text.strip()


def picture():
    """A PNG of 400×600 pixels."""
    def chunk(kind, content):
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
    rows = b"".join(b"\0" + bytes(value for x in range(400) for value in (x % 256, y % 256, (x + y) % 256)) for y in range(600))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 400, 600, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def ask(port, path):
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=30) as answer:
            return answer.status, answer.headers["Content-Type"], len(answer.read())
    except urllib.error.HTTPError as error:
        return error.code, error.headers["Content-Type"], len(error.read())


def started(process, port):
    for _ in range(300):
        if process.poll() is not None:
            return False
        try:
            ask(port, "/healthz")
            return True
        except (OSError, http.client.HTTPException):
            time.sleep(0.1)
    return False


def choose(image):
    """Takes a user namespace if the image's program starts in one, else a chroot, and says which it is."""
    namespace = image.namespace = Namespace()
    reason = namespace.problem
    if reason is None:
        status, text = image.run([*image.config["Entrypoint"], "--version"], {})
        reason = None if status == 0 else next(iter(text.splitlines()), f"status {status}")
    if reason is None:
        namespace.give(image.root)
        print("no container engine is asked: the image is started in a user namespace, with "
              f"{namespace.users} of this machine", flush=True)
        return
    namespace.end()
    if os.geteuid():
        sys.exit(f"Starting an image needs root here, because there is no user namespace for you: {reason}")
    image.namespace = None
    print(f"no container engine is asked, and no user namespace can be used here ({reason}): the image is started in a "
          "chroot with the same limits", flush=True)


def check(archive):
    """Starts the image without capabilities, with a root that can't be written, and asks it for its first picture."""
    with tempfile.TemporaryDirectory(prefix="vitrine-image-") as work:
        work = pathlib.Path(work)
        work.chmod(0o755)
        image = Image(archive, work / "root")
        (work / "root").chmod(0o755)
        user, group = image.config["User"].split(":")
        choose(image)
        claim("its user is a number, and not root's", user.isdigit() and int(user) > 0, user)
        tools = [name for name in ("curl", "wget", "swift") if (work / f"root/usr/bin/{name}").exists()]
        claim("it has no curl, wget or Swift", not tools, tools)
        volume, pictures = work / "volume", work / "root/srv"
        volume.mkdir()
        owner = image.namespace.outside(user) if image.namespace else int(user)
        if os.geteuid() == 0:
            os.chown(volume, owner, owner - int(user) + int(group))
        (pictures / "first.png").write_bytes(picture())
        file = work / "vitrine.yaml"
        file.write_text("folders: {pictures: /srv}\nserver: {adminAddress: 127.0.0.1:9871}\n")
        place = next(iter(image.config["Volumes"]))
        mounts = {place: (volume, "rw"), "/etc/vitrine/vitrine.yaml": (file, "ro")}
        port = 9870
        words = image.config["Entrypoint"] + image.config["Cmd"] + ["--port", str(port)]
        process = image.start(words, mounts)
        runs = started(process, port)
        claim("it starts", runs)
        if not runs:
            return
        first = ask(port, "/t/s/pictures/file/first.png")
        claim("it serves its first picture", first[:2] == (200, "image/webp") or first[:2] == (200, "image/jpeg"), first)
        claim("metrics have an address of their own", (ask(port, "/metrics")[0], ask(port + 1, "/metrics")[0]) == (404, 200))
        test = image.config["Healthcheck"]["Test"][1:]

        def health_of(*more):
            return image.run(test + list(more), mounts)
        well = health_of(), health_of("--ready")
        claim("its health check finds it well", [status for status, _ in well] == [0, 0], well)
        about = pathlib.Path(f"/proc/{child(process.pid)}")
        status = (about / "status").read_text()
        rights = re.findall(r"Cap(?:Prm|Eff|Bnd|Amb):\s+(\w+)", status) + re.findall(r"NoNewPrivs:\s+(\d)", status)
        claim("it has no capability, and gets none", rights == ["0" * 16] * 4 + ["1"], rights)
        claim("the user of the process is that of the image", re.findall(r"Uid:\t(\d+)\t", status) == [str(owner)], status)
        mounts_seen = [line.split() for line in (about / "mountinfo").read_text().splitlines()]
        mounted = [fields[5] for fields in mounts_seen if fields[4] == "/"]
        claim("its root can't be written", mounted and all("ro" in options.split(",") for options in mounted), mounted)
        process_of_service = child(process.pid)
        os.kill(process_of_service, 15)
        claim("it ends cleanly", process.wait(60) == 0, process.returncode)
        claim("its health check finds that it is gone", health_of()[0] == 1)
        owners = {path.stat().st_uid for path in volume.rglob("*")}
        claim("it wrote its cache into the volume", owners == {owner}, owners)


def child(pid):
    """The process in the namespace."""
    return int(pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()[0])
