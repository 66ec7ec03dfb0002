"""Debian packages of two built programs, with the Swift runtime in them."""
import gzip
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
COMPLETIONS = {"bash": "bash-completion/completions", "zsh": "zsh/vendor-completions", "fish": "fish/vendor_completions.d"}
EXAMPLES = ["nginx.conf", "nginx-old-urls.conf", "nginx-fleet.conf", "haproxy-fleet.cfg", "varnish.vcl", "purge-nginx", "purge-nginx.socket",
            "purge-nginx@.service", "prometheus.yml",
            "alerts.yml", "grafana-dashboard.json", "sources", "openseadragon.html", "Containerfile", "vitrine.yaml",
            "vitrine.service", "vitrine.socket", "compose.yaml", "kubernetes", "signing", "web"]
# Besides docs/, which alerts and messages name.
PAGES = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "LICENSE", "NOTICE", "cache/README.md"]


def output(*command, **options):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, **options).stdout.strip()


class Package:
    def __init__(self, name, directory, version):
        self.name, self.version = name, version
        self.tree = directory / name
        self.control = self.tree / "DEBIAN"
        self.control.mkdir(parents=True)

    def add(self, source, place, mode=0o644):
        target = self.tree / place
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)
        target.chmod(mode)
        return target

    def add_program(self, program):
        target = self.add(program, f"usr/bin/{pathlib.Path(program).name}", 0o755)
        subprocess.run(["strip", "--strip-unneeded", "--remove-section=.comment", target], check=True)
        before, after = (path.stat().st_size / 1e6 for path in (pathlib.Path(program), target))
        print(f"{target.name}: {before:.1f} MB, stripped {after:.1f} MB", flush=True)
        return target

    def add_manuals(self, program, date, without=()):
        with tempfile.TemporaryDirectory() as directory:
            subprocess.run([ROOT / "Tools/release/manuals", program, directory, self.version, date], check=True)
            made = pathlib.Path(directory)
            for page in sorted((made / "man1").iterdir()):
                if page.name not in without:
                    self.write_gzip(f"usr/share/man/man1/{page.name}.gz", page.read_bytes())
            for shell, place in COMPLETIONS.items():
                for file in (made / shell).glob("*"):
                    self.add(file, f"usr/share/{place}/{file.name}")

    def write_gzip(self, place, content):
        target = self.tree / place
        target.parent.mkdir(parents=True, exist_ok=True)
        # Without its time, so that equal contents are equal files.
        target.write_bytes(gzip.compress(content, 9, mtime=0))

    def add_documents(self, licenses):
        place = f"usr/share/doc/{self.name}"
        self.write_gzip(f"{place}/changelog.gz", (ROOT / "CHANGELOG.md").read_bytes())
        (self.tree / place / "copyright").write_text(licenses)

    def finish(self, directory, fields, description):
        size = sum(file.stat().st_size for file in self.tree.rglob("*") if file.is_file()) // 1024
        architecture = output("dpkg", "--print-architecture")
        author = output("git", "log", "-1", "--format=%aN <%aE>", cwd=ROOT)
        lines = [f"Package: {self.name}", f"Version: {self.version}", f"Architecture: {architecture}",
                 f"Maintainer: {author}", f"Installed-Size: {size}", "Section: web", "Priority: optional"]
        lines += [f"{name}: {value}" for name, value in fields.items() if value]
        (self.control / "control").write_text("\n".join(lines + [f"Description: {description}"]) + "\n")
        made = directory / f"{self.name}_{self.version}_{architecture}.deb"
        subprocess.run(["dpkg-deb", "--root-owner-group", "-Zxz", "--build", self.tree, made], check=True,
                       stdout=subprocess.DEVNULL)
        print(f"{made.name}: {made.stat().st_size / 1e6:.1f} MB, {size / 1024:.1f} MiB installed", flush=True)


def number(text):
    """The number in the first line of `vitrine --version`, such as 0.9.0."""
    return re.match(r"vitrine (\d+\.\d+\.\d+)", text)[1]


def libraries(*programs):
    """The packages that the programs' libraries are in, with their versions."""
    with tempfile.TemporaryDirectory() as directory:
        control = pathlib.Path(directory) / "debian/control"
        control.parent.mkdir()
        control.write_text("Source: vitrine\nMaintainer: nobody <nobody@localhost>\n\nPackage: vitrine\nArchitecture: any\n"
                           "Description: vitrine\n")
        found = output("dpkg-shlibdeps", "-O", *(f"-e{program}" for program in programs), cwd=directory, stderr=subprocess.DEVNULL)
    return re.search(r"shlibs:Depends=(.*)", found)[1]


def licenses(checkouts):
    """The license of Vitrine, and those of all that is linked into its programs."""
    notice, apache = (ROOT / "NOTICE").read_text(), (ROOT / "LICENSE").read_text()
    parts = [f"{notice}\nWhat is linked into its programs follows below.\n\n{apache}"]
    swift = pathlib.Path(shutil.which("swift") or "/usr/bin/swift").resolve().parent.parent / "share/swift/LICENSE.txt"
    found = [("Swift runtime and Foundation", swift)] if swift.exists() else []
    for checkout in sorted(checkouts.iterdir()):
        files = [file for file in sorted(checkout.iterdir()) if re.match(r"(LICENSE|NOTICE)", file.name)]
        found += [(f"{checkout.name}: {file.name}", file) for file in files]
    for title, file in found:
        parts.append(f"{'=' * 78}\n{title}\n{'=' * 78}\n{file.read_text(errors='replace')}")
    return "\n".join(parts)


def installed_settings():
    """The settings of the installed service: the defaults, with its own cache, which commands find by them."""
    text = (ROOT / "config/vitrine.yaml").read_text()
    own = text.replace("\n  directory: cache\n", "\n  directory: /var/cache/vitrine\n")
    if own == text:
        sys.exit("config/vitrine.yaml has no cache.directory that could be replaced")
    return own


def build(program, demo, bench, directory):
    directory = pathlib.Path(directory)
    directory.mkdir(parents=True, exist_ok=True)
    for old in directory.glob("*.deb"):
        old.unlink()
    version = number(output(program, "--version"))
    date = output("git", "log", "-1", "--format=%cs", cwd=ROOT)
    # Next to the program: .build-static/…/release/vitrine.
    checkouts = next(place / "checkouts" for place in pathlib.Path(program).absolute().parents
                     if (place / "checkouts").is_dir())
    linked = licenses(checkouts)
    os.environ.setdefault("SOURCE_DATE_EPOCH", output("git", "log", "-1", "--format=%ct", cwd=ROOT))
    os.umask(0o022)
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        work.chmod(0o755)
        service = Package("vitrine", work, version)
        stripped = service.add_program(program)
        # Benchmarks are in the other package.
        service.add_manuals(program, date, without=["vitrine-bench.1"])
        service.add_documents(linked)
        for unit in ("vitrine.service", "vitrine.socket"):
            service.add(ROOT / "config" / unit, f"usr/lib/systemd/system/{unit}")
        settings = work / "vitrine.yaml"
        settings.write_text(installed_settings())
        service.add(settings, "etc/vitrine/vitrine.yaml")
        (service.control / "conffiles").write_text("/etc/vitrine/vitrine.yaml\n")
        for name in EXAMPLES:
            source = ROOT / "config" / name
            for file in sorted(source.rglob("*")) if source.is_dir() else [source]:
                if file.is_file():
                    place = file.relative_to(ROOT / "config")
                    service.add(file, f"usr/share/doc/vitrine/examples/{place}", 0o755 if os.access(file, os.X_OK) else 0o644)
        for page in [ROOT / name for name in PAGES] + sorted((ROOT / "docs").rglob("*.*")):
            service.add(page, f"usr/share/doc/vitrine/{page.relative_to(ROOT)}")
        # Where links of the pages lead.
        (service.tree / "usr/share/doc/vitrine/config").symlink_to("examples")
        for script in ("postinst", "prerm", "postrm"):
            service.add(ROOT / "config/deb" / script, f"DEBIAN/{script}", 0o755)
        # libvips is opened when a picture needs it, so that the linker doesn't name it.
        service.finish(directory, {
            "Depends": f"{libraries(stripped)}, libvips42 (>= 8.14) | libvips42t64, adduser, ca-certificates",
            # Where libheif has its decoders in packages of their own.
            "Recommends": "libheif-plugin-libde265, libheif-plugin-aomdec, libheif-plugin-aomenc",
            "Suggests": "vitrine-demo, nginx | varnish, prometheus",
        }, "image thumbnail and media cache service\n"
           " Vitrine finds the pictures of shows, albums, films and artworks, or of catalogs\n"
           " and folders of yours, renders thumbnails in every size from one decode, and\n"
           " serves them from a content-addressed cache on disk.")
        example = Package("vitrine-demo", work, version)
        stripped = example.add_program(demo), example.add_program(bench)
        # The page of that name is that of “vitrine demo”.
        example.add_manuals(demo, date, without=["vitrine-demo.1"])
        example.add_manuals(bench, date)
        example.add_documents(linked)
        example.finish(directory, {
            "Depends": f"{libraries(*stripped)}, vitrine (= {version}), libvips42 (>= 8.14) | libvips42t64",
            # The manual page of “vitrine bench” was in vitrine before.
            "Breaks": "vitrine (<< 0.10.0)", "Replaces": "vitrine (<< 0.10.0)"},
            "catalogs and pictures for trying Vitrine without the Internet\n"
            " Plays the catalogs that Vitrine knows, with invented contents and drawn\n"
            " pictures, for “vitrine demo” and “vitrine bench”, which is here, too.")
