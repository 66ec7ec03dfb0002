"""The folder of a release: everything that is published, with its sums, signed if there is a key."""
import gzip
import io
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

from package import ROOT, output, release_of
from release import repository
from sbom import of_image, of_packages, sha256

SUMS = "SHA256SUMS"


def version():
    """The number of the release, which the program, the changelog and the tag have to agree on."""
    number = re.search(r'static let number = "([^"]+)"', (ROOT / "Sources/App/Version.swift").read_text())[1]
    if not re.search(rf"^## {re.escape(number)} \(", (ROOT / "CHANGELOG.md").read_text(), re.M):
        sys.exit(f"CHANGELOG.md has no section of {number}, which Sources/App/Version.swift names.")
    return number


def notes(number):
    """The changelog's section of a release. RELEASE_URL, where a forge shows its files, makes its links absolute."""
    text = (ROOT / "CHANGELOG.md").read_text()
    section = re.search(rf"^## {re.escape(number)} \([^\n]*\n(.*?)(?=^## |\Z)", text, re.M | re.S)[1]
    # Headings begin at the top, because the release has its number as its title.
    section = re.sub(r"^###", "##", section.strip(), flags=re.M) + "\n"
    place = os.environ.get("RELEASE_URL")
    return re.sub(r"\]\((?!https?:|#)", f"]({place}/", section) if place else section


def parts(packages, images, build, folder):
    """Puts what this machine has built into the folder: packages, image, and a bill of materials of each."""
    number, folder = version(), pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    built = sorted(pathlib.Path(packages).glob("*.deb"))
    if not built:
        sys.exit(f"{packages} has no packages; make deb makes them.")
    architecture = output("dpkg-deb", "-f", built[0], "Architecture")
    for old in folder.glob(f"*_{architecture}*"):
        old.unlink()
    copies = []
    for package in built:
        found = release_of(output("dpkg-deb", "-f", package, "Version"))
        if found != number:
            sys.exit(f"{package.name} is {found}, and the release is {number}; run make deb again.")
        # Forges change a tilde in the names of files.
        copies.append(pathlib.Path(shutil.copy(package, folder / release_of(package.name))))
    of_packages(copies, build, number, folder / f"vitrine_{number}_{architecture}.spdx.json")
    for archive in sorted(pathlib.Path(images).glob(f"vitrine_{number}_{architecture}.oci.tar")):
        copy = pathlib.Path(shutil.copy(archive, folder / archive.name))
        of_image(copy, number, folder / f"{archive.name}.spdx.json")


def finish(folder):
    """Adds what belongs to no machine: sources, apt repository, notes, sums, their signature, and the tag."""
    number, folder, key = version(), pathlib.Path(folder), os.environ.get("RELEASE_KEY")
    packages = sorted(folder.glob("*.deb"))
    if not packages:
        sys.exit(f"{folder} has no packages; make release-parts puts them there.")
    if changed := output("git", "status", "--porcelain", cwd=ROOT):
        sys.exit(f"A release is made of what is committed, and these files are not:\n{changed}")
    tag(number, key)
    (folder / "NOTES.md").write_text(notes(number))
    name = f"vitrine-{number}"
    subprocess.run(["git", "archive", f"--prefix={name}/", "-o", folder.absolute() / f"{name}.tar.gz", "HEAD"], check=True, cwd=ROOT)
    with tempfile.TemporaryDirectory() as work:
        if key:
            os.environ["REPOSITORY_KEY"] = key
        made = pathlib.Path(work) / "apt"
        repository(folder, made)
        pack(made, ["dists", "pool", "vitrine.asc"], folder / f"{name}-apt.tar.gz")
        if key:
            shutil.copy(made / "vitrine.asc", folder / "vitrine.asc")
    for old in (SUMS, f"{SUMS}.asc"):
        (folder / old).unlink(missing_ok=True)
    files = sorted(path for path in folder.iterdir() if path.is_file())
    (folder / SUMS).write_text("".join(f"{sha256(path)}  {path.name}\n" for path in files))
    if key:
        subprocess.run(["gpg", "--batch", "--yes", "--armor", "--local-user", key, "--detach-sign", folder / SUMS], check=True)
    for path in sorted(folder.iterdir()):
        print(f"{path.stat().st_size / 1e6:8.1f} MB  {path.name}")
    signed = f"signed with {key}" if key else "not signed: RELEASE_KEY names one of gpg's keys"
    print(f"{folder}: release {number}, {len(files) + 1 + bool(key)} files, {signed}", flush=True)


def tag(number, key):
    """Makes the tag, by which packages in Swift depend on VitrineKit, unless it is there. It isn't pushed."""
    head = output("git", "rev-parse", "HEAD", cwd=ROOT)
    known = output("git", "tag", "--list", number, cwd=ROOT)
    if known:
        if output("git", "rev-list", "-1", number, cwd=ROOT) != head:
            sys.exit(f"The tag {number} is at another commit. Give the release a new number, or remove the tag.")
        return
    options = ["--local-user", key] if key else ["--annotate"]
    subprocess.run(["git", "tag", *options, "--message", f"Vitrine {number}", number], check=True, cwd=ROOT)
    print(f"tag {number} at {head[:12]}; git push origin {number} publishes it, and starts the workflow", flush=True)


def pack(root, names, target):
    """Packs files below a directory: the same archive for the same files."""
    date = int(output("git", "log", "-1", "--format=%ct", cwd=ROOT))
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name in names:
            for path in [root / name, *sorted((root / name).rglob("*"))]:
                if not path.exists():
                    continue
                entry = archive.gettarinfo(path, str(path.relative_to(root)))
                entry.mtime, entry.uid, entry.gid, entry.uname, entry.gname = date, 0, 0, "", ""
                if entry.isreg():
                    with path.open("rb") as file:
                        archive.addfile(entry, file)
                else:
                    archive.addfile(entry)
    target.write_bytes(gzip.compress(made.getvalue(), 9, mtime=0))
