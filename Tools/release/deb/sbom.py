"""Bills of materials in SPDX 2.3: what is in the packages of a release, and what is in its image."""
import datetime
import gzip
import hashlib
import json
import pathlib
import re
import tarfile

from package import ROOT, output
from spdx_tools.common.spdx_licensing import spdx_licensing
from spdx_tools.spdx.model import (
    Actor,
    ActorType,
    Checksum,
    ChecksumAlgorithm,
    CreationInfo,
    Document,
    ExternalPackageRef,
    ExternalPackageRefCategory,
    Package,
    PackagePurpose,
    Relationship,
    RelationshipType,
    SpdxNoAssertion,
)
from spdx_tools.spdx.validation.document_validator import validate_full_spdx_document
from spdx_tools.spdx.writer.write_anything import write_file

VITRINE = Actor(ActorType.ORGANIZATION, "The authors of Vitrine")


class Bill:
    """A document of one subject. It is the same for the same commit and the same files."""

    def __init__(self, name, release, commit):
        date = datetime.datetime.fromtimestamp(int(output("git", "log", "-1", "--format=%ct", cwd=ROOT)), datetime.UTC)
        self.document = Document(CreationInfo(
            spdx_version="SPDX-2.3", spdx_id="SPDXRef-DOCUMENT", name=name, data_license="CC0-1.0",
            document_namespace=f"https://spdx.org/spdxdocs/{name}-{commit}", creators=[VITRINE, Actor(ActorType.TOOL, "spdx-tools")],
            created=date.replace(tzinfo=None)))
        self.release = release

    def add(self, name, version, relation=None, of="SPDXRef-DOCUMENT", **fields):
        """Adds a package, and what it is to another element. Returns its identifier."""
        identifier = "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", f"{name}-{version}")
        license = fields.pop("license", None)
        known = {package.spdx_id for package in self.document.packages}
        if identifier not in known:
            self.document.packages.append(Package(
                spdx_id=identifier, name=name, version=version, files_analyzed=False,
                download_location=fields.pop("place", None) or SpdxNoAssertion(), copyright_text=SpdxNoAssertion(),
                license_concluded=spdx_licensing.parse(license) if license else SpdxNoAssertion(),
                license_declared=spdx_licensing.parse(license) if license else SpdxNoAssertion(), **fields))
        relation = relation or RelationshipType.DESCRIBES
        self.document.relationships.append(Relationship(of, relation, identifier))
        return identifier

    def write(self, path):
        """Writes it as JSON, if it is valid."""
        messages = validate_full_spdx_document(self.document)
        if messages:
            raise SystemExit(f"{path} would not be valid SPDX: {messages[0].validation_message}")
        write_file(self.document, str(path), validate=False)
        print(f"{path.name}: {len(self.document.packages)} packages", flush=True)


def sha256(path):
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while part := file.read(1 << 20):
            digest.update(part)
    return digest.hexdigest()


def license_of(directory):
    """The SPDX expression of a checkout's license; nil if its text isn't one that is known here."""
    for file in sorted(directory.glob("LICENSE*")):
        text = file.read_text(errors="replace")
        if "Apache License" in text:
            return "Apache-2.0 WITH Swift-exception" if "Runtime Library Exception" in text else "Apache-2.0"
        if "Permission is hereby granted, free of charge" in text:
            return "MIT"
    return None


def purl(kind, name, version, **rest):
    more = "&".join(f"{key}={value}" for key, value in rest.items())
    return ExternalPackageRef(ExternalPackageRefCategory.PACKAGE_MANAGER, "purl",
                              f"pkg:{kind}/{name}@{version.replace('+', '%2B')}" + (f"?{more}" if more else ""))


def debian_package(bill, name, version, architecture, relation, of):
    bill.add(name, version, relation, of, supplier=Actor(ActorType.ORGANIZATION, "Debian"),
             external_references=[purl("deb", f"debian/{name}", version, arch=architecture)])


def of_packages(packages, build, release, path):
    """What is linked into the programs of the packages, and what they need beside it."""
    architecture = output("dpkg-deb", "-f", packages[0], "Architecture")
    commit = output("git", "rev-parse", "HEAD", cwd=ROOT)
    bill = Bill(f"vitrine-{release}-{architecture}", release, commit)
    build = pathlib.Path(build)
    state = json.loads((build / "workspace-state.json").read_text())["object"]["dependencies"]
    swift = re.search(r"Swift version (\S+)", output("swift", "--version"))[1]
    for package in packages:
        name, depends = (output("dpkg-deb", "-f", package, field) for field in ("Package", "Depends"))
        subject = bill.add(name, release, supplier=VITRINE, license="Apache-2.0", primary_package_purpose=PackagePurpose.APPLICATION,
                           file_name=package.name, checksums=[Checksum(ChecksumAlgorithm.SHA256, sha256(package))])
        bill.add("swift-runtime", swift, RelationshipType.STATIC_LINK, subject, license="Apache-2.0 WITH Swift-exception",
                 supplier=Actor(ActorType.ORGANIZATION, "The Swift project"), place="https://github.com/swiftlang/swift")
        for dependency in state:
            about, checkout = dependency["packageRef"], dependency["state"]["checkoutState"]
            place = about["location"].removesuffix(".git")
            version = checkout.get("version") or checkout["revision"]
            bill.add(about["name"], version, RelationshipType.STATIC_LINK, subject, place=f"git+{place}@{checkout['revision']}",
                     license=license_of(build / "checkouts" / dependency["subpath"]), supplier=SpdxNoAssertion(),
                     external_references=[purl("swift", place.removeprefix("https://"), version)])
        for needed in depends.split(","):
            # Of alternatives, the one that this system has.
            for choice in needed.split("|"):
                library = re.match(r"[^\s:(]+", choice.strip())[0]
                found = output("sh", "-c", f"dpkg-query -W -f '${{Version}} ${{Status}}' {library} 2>/dev/null || true")
                if library != "vitrine" and found.endswith("installed"):
                    debian_package(bill, library, found.split()[0], architecture, RelationshipType.DEPENDS_ON, subject)
                    break
    bill.write(path)


def of_image(archive, release, path):
    """Every Debian package in an image, by what its dpkg knows."""
    with tarfile.open(archive) as opened:
        def blob(descriptor):
            return opened.extractfile(f"blobs/sha256/{descriptor['digest'].removeprefix('sha256:')}").read()
        manifest = json.loads(blob(json.loads(opened.extractfile("index.json").read())["manifests"][0]))
        layer = gzip.decompress(blob(manifest["layers"][0]))
    root = archive.with_suffix(".layer")
    root.write_bytes(layer)
    try:
        with tarfile.open(root) as files:
            status = files.extractfile("var/lib/dpkg/status").read().decode()
    finally:
        root.unlink()
    commit = output("git", "rev-parse", "HEAD", cwd=ROOT)
    bill = Bill(f"{archive.name.removesuffix('.oci.tar')}-image", release, commit)
    subject = bill.add("vitrine-image", release, supplier=VITRINE, primary_package_purpose=PackagePurpose.CONTAINER,
                       file_name=archive.name, checksums=[Checksum(ChecksumAlgorithm.SHA256, sha256(archive))])
    for paragraph in status.split("\n\n"):
        fields = dict(re.findall(r"^(Package|Version|Architecture|Status): (.*)$", paragraph, re.M))
        if not fields.get("Status", "").endswith(" installed"):
            continue
        name, version = fields["Package"], fields["Version"]
        if name == "vitrine":
            bill.add(name, release, RelationshipType.CONTAINS, subject, supplier=VITRINE, license="Apache-2.0")
        else:
            debian_package(bill, name, version, fields["Architecture"], RelationshipType.CONTAINS, subject)
    bill.write(path)
