"""Debian systems in a directory: to run programs in, or to start with an init of its own."""
import os
import pathlib
import shlex
import subprocess
import sys

from package import output


class System:
    """A Debian system in a directory."""

    def __init__(self, root, suite, include=()):
        self.root = root
        entries = output("apt-get", "indextargets", "--format",
                         "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $(REPO_URI) $(RELEASE) $(COMPONENT)",
                         "Created-By: Packages", "Origin: Debian")
        if not entries:
            sys.exit("apt has no lists of packages; run apt-get update")
        print(f"making a bare {suite} system", flush=True)
        more = [f"--include={','.join(include)}"] if include else []
        subprocess.run(["mmdebstrap", "--quiet", "--variant=minbase", *more, suite, root, "-"], check=True,
                       input=entries + "\n", text=True)
        root.chmod(0o755)

    def start(self, script, mounts=None, user=None, **options):
        """Starts a shell script in the system, with directories of this machine where `mounts` says."""
        root = shlex.quote(str(self.root))
        outside = [f"mount -t proc proc {root}/proc", f"mount --rbind /dev {root}/dev"]
        for place, directory in (mounts or {}).items():
            target = shlex.quote(f"{self.root}{place}")
            outside += [f"mkdir -p {target}", f"mount --bind {shlex.quote(str(directory))} {target}"]
        change = f"chroot {f'--userspec={user}' if user else ''} {root}"
        outside.append(f"exec {change} /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/tmp "
                       f"DEBIAN_FRONTEND=noninteractive sh -c {shlex.quote(script)}")
        return subprocess.Popen(["unshare", "--mount", "--propagation=private", "sh", "-ec", "\n".join(outside)], text=True,
                                **options)

    def run(self, script, mounts=None, user=None):
        process = self.start(script, mounts, user, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        text = process.communicate()[0]
        if process.returncode:
            print(text[-4000:])
            sys.exit(f"“{script[:200]}” ended with {process.returncode}")
        return text


class Machine:
    """A system that systemd has started, without a network but its own loopback."""

    def __init__(self, system):
        self.container = subprocess.Popen(
            ["systemd-nspawn", "--quiet", f"--directory={system.root}", "--boot", "--register=no", "--keep-unit",
             "--private-network", "--console=pipe", "--kill-signal=SIGRTMIN+4", "--notify-ready=yes"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.init = None

    def __enter__(self):
        # Its init, once it has one, says itself when the system is up.
        while self.init is None:
            if self.container.poll() is not None:
                sys.exit("systemd doesn't start in a container here.")
            self.init = self.child_init()
        self.run("until systemctl is-system-running 2>/dev/null | grep -qE 'running|degraded'; do sleep 0.2; done")
        return self

    def child_init(self):
        for children in pathlib.Path(f"/proc/{self.container.pid}/task").glob("*/children"):
            for pid in children.read_text().split():
                try:
                    if os.readlink(f"/proc/{pid}/exe").endswith("/systemd"):
                        return pid
                except OSError:
                    pass
        return None

    def try_to_run(self, script):
        """Returns the exit status and the output of a shell script."""
        end = subprocess.run(
            ["nsenter", f"--target={self.init}", "--all", "--", "/usr/bin/env", "-i", "HOME=/root",
             "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND=noninteractive", "sh", "-c", script],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300)
        return end.returncode, end.stdout

    def run(self, script):
        status, text = self.try_to_run(script)
        if status:
            sys.exit(f"{text[-4000:]}\n“{script[:200]}” ended with {status}")
        return text

    def __exit__(self, *_):
        self.container.terminate()
        try:
            self.container.wait(60)
        except subprocess.TimeoutExpired:
            self.container.kill()
            self.container.wait()
