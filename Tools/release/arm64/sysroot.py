"""The files of Debian for arm64 that compilers and qemu need here, in a directory. Nothing of this machine changes."""
import os
import pathlib
import shutil
import subprocess
import sys

# The C library, what compilers add to programs, and a kernel for virtual machines.
ALWAYS = ["libc6-dev", "libgcc-12-dev", "libstdc++-12-dev", "linux-image-cloud-arm64"]


def made(root, packages):
    """Makes it unless it is there. Returns a sentence if it can't be made."""
    mark = root.parent / "sysroot.packages"
    wanted = " ".join(sorted([*ALWAYS, *packages]))
    if mark.exists() and mark.read_text() == wanted:
        return None
    entries = subprocess.run(
        ["apt-get", "indextargets", "--format",
         "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $(REPO_URI) $(RELEASE) $(COMPONENT)",
         "Created-By: Packages", "Origin: Debian"], check=True, capture_output=True, text=True).stdout
    if not entries:
        return "apt has no lists of Debian's packages; run apt-get update"
    suite = entries.split()[3].split("-")[0]
    mark.unlink(missing_ok=True)
    shutil.rmtree(root, ignore_errors=True)
    root.parent.mkdir(parents=True, exist_ok=True)
    print(f"taking Debian's files for arm64 apart: {suite}, a minute or two", flush=True)
    end = subprocess.run(
        ["mmdebstrap", "--quiet", "--architectures=arm64", "--variant=extract", f"--include={wanted.replace(' ', ',')}",
         suite, root, "-"], input=entries, text=True)
    if end.returncode:
        return "mmdebstrap could not make it"
    relink(root)
    mark.write_text(wanted)
    return None


def relink(root):
    """Lets absolute links lead to the files here, and not to those of this machine."""
    for path in root.rglob("*"):
        if path.is_symlink() and os.readlink(path).startswith("/"):
            target = f"{root}{os.readlink(path)}"
            path.unlink()
            path.symlink_to(os.path.relpath(target, path.parent))


def kernel(root):
    return next(iter(sorted((root / "boot").glob("vmlinuz-*"))), None)


if __name__ == "__main__":
    sys.exit(made(pathlib.Path(sys.argv[1]).absolute(), sys.argv[2:]))
