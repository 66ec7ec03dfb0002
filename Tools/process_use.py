"""What a process and its descendants use of the machine."""
import os
import threading


def tree(process):
    """A process and its descendants."""
    found, pending = [], [process]
    while pending:
        one = pending.pop()
        found.append(one)
        try:
            for task in os.listdir(f"/proc/{one}/task"):
                with open(f"/proc/{one}/task/{task}/children") as children:
                    pending += [int(child) for child in children.read().split()]
        except OSError:
            pass
    return found


def texts(process, name):
    """The file of that name in /proc, of a process and of its descendants."""
    for one in tree(process):
        try:
            with open(f"/proc/{one}/{name}") as file:
                yield file.read()
        except OSError:
            pass


def memory(process):
    """Bytes of private and shared memory of a process and its descendants, shared memory counted once."""
    lines = (line for text in texts(process, "smaps_rollup") for line in text.splitlines())
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) << 10


def seconds(process):
    """Processor time of a process and its descendants."""
    ticks = sum(int(field) for text in texts(process, "stat") for field in text.rsplit(")", 1)[1].split()[11:13])
    return ticks / os.sysconf("SC_CLK_TCK")


class PeakMemory:
    """The most memory that a process and its descendants use while a block runs, in `peak`."""

    def __init__(self, process, pause=0.02):
        self.process, self.pause = process, pause
        self.peak = 0
        self.over = threading.Event()
        self.watcher = threading.Thread(target=self.watch)

    def watch(self):
        while not self.over.wait(self.pause):
            self.peak = max(self.peak, memory(self.process))

    def __enter__(self):
        self.watcher.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.watcher.join()
