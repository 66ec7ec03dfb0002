"""A user namespace to start programs in, as a container engine without root has one."""
import os
import pathlib
import subprocess

# The number on this machine of user 0 in a namespace of root's: far from those of people.
FIRST, COUNT = 1_000_000, 65_536


class Namespace:
    """Root gives it a range of users of this machine; an ordinary user can only give it itself, as user 0."""

    def __init__(self):
        self.is_root = os.geteuid() == 0
        # A namespace lasts as long as a process in it.
        self.holder = subprocess.Popen(["unshare", "--user", "sh", "-c", "echo ready; exec cat"], stdin=subprocess.PIPE,
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.problem = None
        try:
            if not self.holder.stdout.readline():
                raise OSError(self.holder.stderr.readline().strip())
            self.map()
        except OSError as error:
            self.problem = str(error)

    def map(self):
        place = pathlib.Path(f"/proc/{self.holder.pid}")
        if not self.is_root:
            (place / "setgroups").write_text("deny")
        for kind, own in ("uid", os.geteuid()), ("gid", os.getegid()):
            (place / f"{kind}_map").write_text(f"0 {FIRST} {COUNT}\n" if self.is_root else f"0 {own} 1\n")

    @property
    def words(self):
        """Before a command that is to run as user 0 of the namespace."""
        numbers = ["--setuid=0", "--setgid=0"] if self.is_root else ["--preserve-credentials"]
        return ["nsenter", f"--user=/proc/{self.holder.pid}/ns/user", *numbers]

    @property
    def users(self):
        return f"users {FIRST} to {FIRST + COUNT - 1}" if self.is_root else f"user {os.geteuid()}"

    def outside(self, number):
        """The number that a user of the namespace has on this machine."""
        return FIRST + int(number) if self.is_root else os.geteuid()

    def give(self, root):
        """Gives files to the users of the namespace that have their owners' numbers."""
        for path in [root, *root.rglob("*")] if self.is_root else []:
            status = path.lstat()
            os.chown(path, FIRST + status.st_uid, FIRST + status.st_gid, follow_symlinks=False)
            if not path.is_symlink():
                path.chmod(status.st_mode & 0o7777)

    def end(self):
        self.holder.communicate()
