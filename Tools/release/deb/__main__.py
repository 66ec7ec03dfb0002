"""Debian packages of Vitrine, and an apt repository of them.

usage: deb build VITRINE DEMO BENCH DIRECTORY  packages of these programs
       deb repository DIRECTORY REPOSITORY   puts the packages of a directory into an apt repository
       deb earlier RELEASE DIRECTORY         builds the packages of an earlier release, and a cache that it made
       deb image DIRECTORY TARGET            writes an OCI image of the packages in a directory
       deb image-test ARCHIVE                starts such an image, and asks it for a picture
       deb test DIRECTORY [EARLIER [PICTURES]]  installs them into bare systems and uses them there

`build` writes vitrine_VERSION_ARCH.deb, and vitrine-demo_VERSION_ARCH.deb of the two others. The programs have the Swift runtime in them.

`repository` prints the line for apt's sources. REPOSITORY_KEY names the key of gpg that signs it.

`earlier` checks out the commit that set the version of the release.

`image` does what config/Containerfile says in a directory, and asks no registry. It needs root. `image-test` starts the image there,
with the limits that a container engine would set: in a user namespace if there is one, else in a chroot, which needs root.

`test` needs root. It makes Debian systems without Swift from the sources that apt uses on this machine. In the first it
installs the packages as config/Containerfile does, and runs them there, with pictures of a directory if one is named.
The second is started with systemd: apt installs from the repository, upgrades from the release in EARLIER ("-" for
none) and goes back to it, removes and purges. It prints a line for each claim, and fails where one does not hold."""
import os
import pathlib
import sys
import tempfile

import claims
import container
import image
import package
import release


def test(directory, earlier="-", pictures=None):
    if os.geteuid():
        sys.exit("Making a system needs root.")
    with tempfile.TemporaryDirectory(prefix="vitrine-deb-") as work:
        pathlib.Path(work).chmod(0o755)
        release.check(directory, pathlib.Path(work), container.Container().suite, None if earlier == "-" else earlier)
        container.check(directory, pathlib.Path(work), pictures)
    sys.exit(1 if claims.failed else 0)


def main():
    match sys.argv[1:]:
        case ["build", program, demo, bench, directory]: package.build(program, demo, bench, directory)
        case ["repository", directory, place]: release.repository(directory, place)
        case ["earlier", name, directory]: release.build_earlier(name, directory)
        case ["image", directory, target]: image.build(directory, target)
        case ["image-test", archive]:
            image.check(archive)
            sys.exit(1 if claims.failed else 0)
        case ["test", directory, *more] if len(more) < 3: test(directory, *more)
        case _: sys.exit(__doc__)


main()
