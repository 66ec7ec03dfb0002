"""Servers that are started by one command and ended by another: what both scripts beside this file share."""
import json
import os
import pathlib
import random
import shutil
import signal
import socket
import subprocess
import sys
import time

ADDRESS = os.environ.get("SERVICE_ADDRESS", "127.0.0.1")


class Processes:
    """Processes in a directory. Their numbers and ports are in DIRECTORY/state.json."""

    def __init__(self, directory):
        self.directory = pathlib.Path(directory).resolve()
        self.state_file = self.directory / "state.json"
        self.state = json.loads(self.state_file.read_text()) if self.state_file.exists() else {}
        self.state.setdefault("address", ADDRESS)

    def save(self):
        self.state_file.write_text(json.dumps(self.state))

    def ports(self, *names):
        """Chooses free ports below those that the kernel gives to clients, so that a server that is started again finds
        its own free."""
        for name in names:
            while name not in self.state:
                port = random.randrange(15_000, 32_000)
                with socket.socket() as probe:
                    try:
                        probe.bind(("127.0.0.1", port))
                    except OSError:
                        continue
                if port not in self.state.values():
                    self.state[name] = port
        self.save()

    def environment(self):
        return dict(os.environ)

    def spawn(self, name, *words):
        if self.alive(name):
            return
        (self.directory / "log").mkdir(parents=True, exist_ok=True)
        with open(self.directory / "log" / f"{name}.out", "ab") as log:
            child = subprocess.Popen(
                [str(word) for word in words], stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
                env=self.environment())
        self.state.setdefault("pids", {})[name] = [child.pid, born(child.pid)]
        self.save()

    def alive(self, name):
        known = self.state.get("pids", {}).get(name)
        # The start time too: a number may have another process by now.
        return bool(known) and known[1] is not None and born(known[0]) == known[1]

    def send(self, name, number):
        if self.alive(name):
            os.killpg(self.state["pids"][name][0], number)

    def end(self, name, first=signal.SIGTERM):
        self.send(name, signal.SIGCONT)
        self.send(name, first)
        deadline = time.monotonic() + 10
        while self.alive(name):
            reap()
            if time.monotonic() > deadline:
                self.send(name, signal.SIGKILL)
                deadline += 10
            time.sleep(0.02)

    def stop(self):
        for name in reversed(list(self.state.get("pids", {}))):
            self.end(name)


def found(name):
    """Where a server is that a user's PATH may not have."""
    return shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin") or sys.exit(
        f"{name} is missing. Install it with: make deps-cluster")


def born(pid):
    """When a process was started, or None if there is none or it is dead."""
    try:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] in "ZX" else fields[19]


def reap():
    try:
        while os.waitpid(-1, os.WNOHANG) != (0, 0):
            pass
    except ChildProcessError:
        pass
