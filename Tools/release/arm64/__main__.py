"""Vitrine's C for arm64, on a machine of another kind.

usage: arm64 DIRECTORY PACKAGE…

DIRECTORY gets what is built, and Debian's files for arm64 of these packages: headers, libraries and a kernel, 600 MB.
Two compilers do everything: gcc, and the clang that Swift has. Prints a line for each claim; fails where one does not
hold.

- Every C module compiles for arm64 without a warning.
- The test run of CPixels gives the same bytes on arm64, under qemu, as on this machine, and on every path of its
  kernels.
- CVips opens the libvips of arm64, and resizes a picture with it.
- The filter of system calls has the numbers of arm64, passes the kernel's checks, and decides what is written in
  filter.c.
- A kernel of arm64, in a virtual machine, confines a child: nothing that SandboxProbe tries succeeds."""
import os
import pathlib
import platform
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))
import machine  # noqa: E402
import sysroot  # noqa: E402

import lib  # noqa: E402
from lib import ROOT, claim  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
SOURCES = ROOT / "Sources"
WARNINGS = ["-std=gnu11", "-Wall", "-Wextra", "-Werror"]
PIXELS = ["-O3", "-ffp-contract=off", f"-I{SOURCES}/CPixels", f"-I{SOURCES}/CPixels/include"]
# gcc knows neither clang's pragmas nor its words for pointers, and sees through what SandboxProbe asks for.
GCC = ["-D_Nonnull=", "-D_Nullable=", "-Wno-unknown-pragmas", "-Wno-stringop-overflow"]
# The package of a door's library, as pkg-config knows it.
DOORS = {"CCurl": "libcurl", "CCrypto": "openssl", "CNghttp2": "libnghttp2", "CGObject": "gobject-2.0",
         "CNats": "libnats", "CTurboJPEG": "libturbojpeg", "CWebP": "libwebp", "CLCMS": "lcms2", "COpenJPEG": "libopenjp2", "CCompression": "libbrotlienc",
         "CVips": "vips"}
ARM64 = "aarch64-linux-gnu"


def run(*words, **options):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, **options)


def holds(end):
    return end is not None and end.returncode == 0


def last(end):
    """The end of what a program said of itself."""
    return end.stderr.strip()[-2000:] if end else "it was not built"


class Build:
    def __init__(self, directory, root):
        self.directory, self.root = directory, root
        swift = shutil.which("swift")
        clang = pathlib.Path(swift).resolve().parent / "clang" if swift else None
        clang = clang if clang and clang.exists() else shutil.which("clang")
        self.compilers = {"gcc": [f"{ARM64}-gcc", f"--sysroot={root}", *GCC]}
        if clang:
            self.compilers["clang"] = [str(clang), f"--target={ARM64}", f"--sysroot={root}"]
        else:
            lib.say("clang is missing: only gcc compiles")
        self.here = ["cc", *GCC]

    def flags(self, kind, library):
        """What pkg-config says of a library of arm64."""
        places = ":".join(str(self.root / place) for place in (f"usr/lib/{ARM64}/pkgconfig", "usr/share/pkgconfig"))
        end = run("pkg-config", kind, library, check=True,
                  env={**os.environ, "PKG_CONFIG_LIBDIR": places, "PKG_CONFIG_SYSROOT_DIR": str(self.root)})
        return end.stdout.split()

    def program(self, compiler, name, *words):
        """Compiles a program, and returns where it is; None if that fails."""
        made = self.directory / name
        end = run(*compiler, *WARNINGS, *words, "-o", made)
        claim(f"{name} compiles", end.returncode == 0, end.stderr[-2000:], quiet=True)
        return made if end.returncode == 0 else None

    def under_qemu(self, program):
        return run("qemu-aarch64-static", "-L", self.root, program)


def check_modules(build):
    """Every C module: its files, and the headers of those that have nothing else."""
    modules = sorted({file.relative_to(SOURCES).parts[0] for file in SOURCES.rglob("*.h")})
    modules = [*(SOURCES / module for module in modules), ROOT / "Tests/SandboxProbe"]
    for name, compiler in build.compilers.items():
        wrong, count = [], 0
        for module in modules:
            library = DOORS.get(module.name)
            words = [*compiler, *WARNINGS, "-Wno-unused-function", "-O2", "-fsyntax-only", f"-I{module}",
                     f"-I{module}/include", *(build.flags("--cflags", library) if library else [])]
            files = sorted(module.glob("*.c"))
            for file in files or sorted(module.glob("*.h")):
                end = run(*words, file) if files else run(*words, "-x", "c", "-", input=f'#include "{file}"\n')
                wrong += [end.stderr] if end.returncode else []
                count += 1
        claim(f"the C of {len(modules)} modules compiles for arm64 by {name}", count and not wrong,
              "".join(wrong)[-3000:])


def check_pixels(build):
    """One source, built for both machines: the same bytes."""
    kernels = sorted((SOURCES / "CPixels").glob("*.c"))
    for name in ("planes", "pixels"):
        here = build.program(build.here, f"{name}-here", *PIXELS, HERE / f"{name}.c", *kernels, "-lm")
        wanted = run(here) if here else None
        claim(f"{name}: every case holds on {platform.machine()}", holds(wanted), last(wanted))
        for compiler, words in build.compilers.items():
            made = build.program(words, f"{name}-{compiler}", *PIXELS, HERE / f"{name}.c", *kernels, "-lm")
            seen = build.under_qemu(made) if made else None
            claim(f"{name}: every case holds on arm64, built by {compiler}", holds(seen), last(seen))
            cases = seen.stdout.splitlines() if seen else []
            other = [line for line in cases if line not in (wanted.stdout.splitlines() if wanted else [])]
            claim(f"{name}: all {len(cases)} results have the same bytes on both",
                  cases and wanted and seen.stdout == wanted.stdout, " ".join(other[:3]))


def check_vips(build):
    words = [f"-I{SOURCES}/CVips/include", *build.flags("--cflags", "vips"), SOURCES / "CVips/vips.c", HERE / "vips.c",
             *build.flags("--libs", "gobject-2.0"), "-lz"]
    made = build.program(build.compilers["gcc"], "vips", *words)
    seen = build.under_qemu(made) if made else None
    claim("CVips opens the libvips of arm64, which resizes a picture", holds(seen), last(seen))


def check_filter(build):
    for name, compiler in [("here", build.here), *build.compilers.items()]:
        made = build.program(compiler, f"filter-{name}", f"-I{SOURCES}/CSandbox", HERE / "filter.c")
        seen = (run(made) if name == "here" else build.under_qemu(made)) if made else None
        machine_name = platform.machine() if name == "here" else f"arm64, built by {name}"
        claim(f"the filter of system calls decides as written, on {machine_name}", holds(seen), last(seen))


def check_kernel(build):
    probe, sandbox = ROOT / "Tests/SandboxProbe", SOURCES / "CSandbox"
    # A static program has one malloc only.
    files = sorted(file for file in sandbox.glob("*.c") if file.name != "heap.c")
    made = build.program(build.compilers["gcc"], "init", "-static", f"-I{probe}", f"-I{sandbox}",
                         f"-I{sandbox}/include", HERE / "init.c", probe / "probe.c", *files)
    kernel = sysroot.kernel(build.root)
    said = machine.said(kernel, made, build.directory) if made and kernel else None
    claim(f"{kernel.name if kernel else 'a kernel'} of arm64 confines a child, in which every attempt fails",
          said == "offered 3; confined 3; first:; new:; the file stays", said)


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    directory = pathlib.Path(sys.argv[1]).absolute()
    root = directory / "sysroot"
    problem = sysroot.made(root, sys.argv[2:])
    if problem:
        sys.exit(f"arm64: {problem}")
    build = Build(directory, root)
    check_modules(build)
    check_pixels(build)
    check_vips(build)
    check_filter(build)
    check_kernel(build)
    lib.finish()


main()
