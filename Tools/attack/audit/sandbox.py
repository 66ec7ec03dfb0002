"""What a decoder could do that a picture has taken over: tried by every thread of a child that has rendered one.

No attempt does harm where it succeeds: what would change something outside of the child, or of a file made for
this, is asked for with an argument that the call itself refuses; then it counts that the sandbox did not."""
import errno
import os
import pathlib
import struct
import subprocess
import time

import tracing

from lib import png

AT_CWD = -100
OPEN, MMAP, MUNMAP, IOCTL, PIPE, SOCKET, CONNECT, SENDMSG, EXECVE, KILL, FCNTL, TRUNCATE, RENAME, UNLINK, CHMOD = (
    2, 9, 11, 16, 22, 41, 42, 46, 59, 62, 72, 76, 82, 87, 90)
PTRACE, CLONE, FORK, PRCTL, CHROOT, TKILL, OPENAT, UNSHARE, PRLIMIT, READ_MEMORY, MEMFD, BPF, USERFAULTFD = (
    101, 56, 57, 157, 161, 200, 257, 272, 302, 310, 319, 321, 323)
PERF, RING, PIDFD, CLONE3, TGKILL, SIGQUEUE, SHMGET, SETRLIMIT = 298, 425, 434, 435, 234, 129, 29, 160
F_GETFL, F_SETFL, F_SETOWN, F_SETSIG, O_ASYNC, FIOASYNC = 3, 4, 8, 10, 0o20000, 0x5452
O_WRONLY, O_RDWR, MODE_3, O_CREAT, O_TRUNC, O_TMPFILE, O_DIRECTORY = 1, 2, 3, 0o100, 0o1000, 0o20200000, 0o200000


def attempts(file, parent):
    """Names with a call, its arguments, and the only error that tells that the sandbox let it pass; None is none."""
    return [
        ("read a file of the service", OPENAT, (AT_CWD, file, 0, 0), None),
        ("read /etc/passwd", OPENAT, (AT_CWD, "/etc/passwd", 0, 0), None),
        ("write a file", OPENAT, (AT_CWD, file, O_WRONLY, 0), None),
        ("empty a file by mode 3", OPENAT, (AT_CWD, file, MODE_3 | O_TRUNC, 0), None),
        ("empty a file by mode 3, by open", OPEN, (file, MODE_3 | O_TRUNC, 0), None),
        ("empty a file by reading it", OPENAT, (AT_CWD, file, O_TRUNC, 0), None),
        ("make a file", OPENAT, (AT_CWD, file + ".new", O_WRONLY | O_CREAT, 0o600), None),
        ("make a nameless file", OPENAT, (AT_CWD, "/tmp", O_RDWR | O_TMPFILE, 0o600), None),
        ("list /", OPENAT, (AT_CWD, "/", O_DIRECTORY, 0), None),
        ("truncate a file", TRUNCATE, (file, 0), None),
        ("rename a file", RENAME, (file, file), None),
        ("remove a file", UNLINK, (file + ".none",), errno.ENOENT),
        ("change a mode", CHMOD, (file, 0o600), None),
        ("change the root", CHROOT, ("/nonexistent",), errno.ENOENT),
        ("read the parent's environment", OPENAT, (AT_CWD, f"/proc/{parent}/environ", 0, 0), None),
        ("read the parent's memory", OPENAT, (AT_CWD, f"/proc/{parent}/mem", 0, 0), None),
        ("read its own environment", OPENAT, (AT_CWD, "/proc/self/environ", 0, 0), None),
        ("signal the parent", KILL, (parent, 0), None),
        ("signal a thread of the parent", TGKILL, (parent, parent, 0), None),
        ("signal any thread", TKILL, (parent, 0), None),
        ("queue a signal", SIGQUEUE, (parent, 0, struct.pack("<iiiI", 0, 0, -1, 0) + b"\0" * 112), None),
        ("be the owner of a descriptor's signals", FCNTL, (0, F_SETOWN, 0), None),
        ("choose a descriptor's signal", FCNTL, (0, F_SETSIG, 0), None),
        ("ask for signals", FCNTL, (0, F_SETFL, O_ASYNC), None),
        ("ask for signals by ioctl", IOCTL, (0, FIOASYNC, b"\0" * 4), None),
        ("trace", PTRACE, (16, 2**31 - 1, 0, 0), errno.ESRCH),
        ("read the memory of another process", READ_MEMORY, (parent, b"", 0, b"", 0, 0), None),
        ("have a handle of another process", PIDFD, (parent, 0), None),
        ("fork", CLONE, (0x800, 0, 0, 0, 0), errno.EINVAL),
        ("fork by clone3", CLONE3, (b"\0" * 64, 0), errno.EINVAL),
        ("fork by a share of nothing", UNSHARE, (0x400,), None),
        ("start a program", EXECVE, ("/nonexistent", b"\0" * 8, b"\0" * 8), errno.ENOENT),
        ("have a socket", SOCKET, (2, 1, 0), None),
        ("have a local socket", SOCKET, (1, 1, 0), None),
        ("connect", CONNECT, (0, b"\2\0\0\x09\x7f\0\0\1" + b"\0" * 8, 16), "any"),
        ("send a descriptor", SENDMSG, (0, b"\0" * 56, 0x40), "any"),
        ("have a file in memory", MEMFD, ("audit", 0), None),
        ("have a pipe", PIPE, (b"\0" * 8,), None),
        ("have shared memory", MMAP, (0, 65536, 3, 0x21, -1, 0), None),
        ("have code", MMAP, (0, 65536, 7, 0x22, -1, 0), None),
        ("have a shared segment", SHMGET, (0, 0, 0o1600), errno.EINVAL),
        ("lift a limit", PRLIMIT, (0, 4, struct.pack("<QQ", 0, 2**64 - 1), 0), None),
        ("lift a limit of the parent", PRLIMIT, (parent, 99, b"\0" * 16, 0), errno.EINVAL),
        ("be dumped", PRCTL, (4, 1, 0, 0, 0), None),
        ("load a program of the kernel", BPF, (0, b"\0" * 128, 128), None),
        ("have a ring", RING, (1, b"\0" * 120), None),
        ("handle page faults", USERFAULTFD, (1,), None),
        ("count events", PERF, (b"\0" * 120, 0, -1, -1, 0), "any"),
    ]


def has_passed(result, passing):
    """Whether a call was made, though in vain."""
    if result >= 0:
        return True
    if passing == "any":
        return -result not in (errno.EPERM, errno.EACCES, errno.ENOSYS)
    return -result == passing


def beyond(call, limit):
    """MB that a thread can map, up to a little more than its limit."""
    piece, held = 16 << 20, []
    while len(held) * piece <= limit + (64 << 20):
        at = call(MMAP, 0, piece, 3, 0x22, -1, 0)
        if at < 0:
            break
        held.append(at)
    for at in held:
        call(MUNMAP, at, piece)
    return len(held) * piece


def passing(call, file, parent):
    """Names of what the stopped thread can do."""
    return [name for name, number, arguments, error in attempts(file, parent)
            if has_passed(call(number, *arguments), error)]


def unconfined(service, file):
    """How many attempts succeed in a process with all rights of this one."""
    with subprocess.Popen(["sleep", "600"], stdin=subprocess.DEVNULL) as process:
        try:
            with tracing.Thread(process.pid, process.pid) as call:
                return len(passing(call, file, service.pid))
        finally:
            process.kill()


def renderers(service):
    """Children of the service, and theirs, that have a filter of system calls."""
    found, left = [], service.children()
    while left:
        process = left.pop()
        try:
            for task in pathlib.Path(f"/proc/{process}/task").glob("*/children"):
                left += [int(one) for one in task.read_text().split()]
            status = pathlib.Path(f"/proc/{process}/status").read_text()
        except OSError:
            continue
        if "Seccomp:\t2" in status:
            found.append(process)
    return found


def check_confinement(service):
    """Items 4, 5: threads that libvips had started kept their rights, and even the confined one could do harm."""
    if not tracing.is_possible():
        return None, "calls are made for x86-64 only; swift test --filter ConfinementTests tries the same"
    # libvips starts threads to write AVIF; other formats are encoded without it.
    status = service.get(service.picture("one.png", png(2000, 2000)) + ".avif")[0]
    assert status == 200, f"a picture was answered {status}"
    children = renderers(service)
    assert children, "no child is confined"
    file = pathlib.Path(service.directory) / "stays"
    new = file.with_name("stays.new")
    try:
        free = unconfined(service, str(file))
    except PermissionError:
        return None, "may not trace a process; swift test --filter ConfinementTests tries the same"
    new.unlink(missing_ok=True)
    file.write_text("stays")
    threads = 0
    for child in children:
        limit = next(
            int(line.split()[3]) for line in pathlib.Path(f"/proc/{child}/limits").read_text().splitlines()
            if line.startswith("Max data size"))
        for thread in sorted(int(name) for name in os.listdir(f"/proc/{child}/task")):
            with tracing.Thread(child, thread) as call:
                passed = passing(call, str(file), service.pid)
                if beyond(call, limit) > limit:
                    passed.append(f"map more than {limit >> 20} MB")
            assert not passed, f"thread {thread} of child {child} can {', '.join(passed)}"
            threads += 1
    assert threads > len(children), f"{len(children)} children have {threads} threads, so libvips has none"
    assert file.read_text() == "stays" and not new.exists()
    # They go on as if nothing had been.
    again = service.get(service.picture("two.png", png(300, 200)))[0]
    assert again == 200 and set(children) <= set(renderers(service)), f"the next picture was answered {again}"
    count = len(attempts("", 1))
    assert free > count // 2, f"only {free} of {count} calls succeed without a sandbox"
    return True, f"Each of {threads} threads made {count} calls in vain; without a sandbox {free} succeed."


def check_secrets(service):
    """Item 4: the parent's secrets stood in /proc/PID/environ, for as long as it lived."""
    service.get(service.picture("one.png", png(60, 40)))
    for process in {service.pid, *service.children(), *renderers(service)}:
        # Of what a process was started with nothing but the names may be left.
        environment = pathlib.Path(f"/proc/{process}/environ").read_bytes()
        for secret in (b"the audit signs with this key", b"audit-token-of-the-service"):
            assert secret not in environment, f"the environment of {process} holds {secret.decode()!r}"
    return True, "No process shows a secret in its environment."


def check_memory_hidden(service):
    """Another process of the user could read the keys in the service's memory, and a core dump would have had them."""
    # Neither has a right to read the memory of any process.
    rights = "-sys_ptrace,-perfmon,-sys_admin"
    less = ["setpriv", "--bounding-set", rights, "--inh-caps", rights]

    def shows(words):
        """Whether another process of the user can read the memory of a program that is running."""
        with subprocess.Popen([*less, *words], stderr=subprocess.PIPE) as program:
            try:
                if "serve" in words:
                    while line := program.stderr.readline():
                        if b"listening" in line:
                            break
                else:
                    time.sleep(0.3)
                read = subprocess.run([*less, "head", "-c1", f"/proc/{program.pid}/maps"], capture_output=True)
                return read.stdout != b""
            finally:
                program.kill()
    if not shows(["sleep", "infinity"]):
        return None, "Here a process can't read any other one's memory."
    hidden = not shows([service.program, "serve", "--port", "0", "--cache", os.path.join(service.directory, "hidden")])
    return hidden, "Another process of the user tries to read the memory of the service."


def check_sources_apart(service):
    """Item 6: a child that one host's picture had taken over rendered the next host's, too."""
    service.restart({
        "fetch.connectTo": ",".join(f"{name}.test:80:127.0.0.1:{service.origin.port}" for name in ("one", "two"))})
    seen = []
    for host in ("one", "one", "two", "two"):
        path = service.picture(f"{len(seen)}.png", png(60 + len(seen), 40), host=f"{host}.test")
        status = service.get(path)[0]
        assert status == 200, f"a picture of {host}.test was answered {status}"
        # A child is kept once its answer is read.
        time.sleep(0.3)
        seen.append(set(renderers(service)))
    assert seen[0] == seen[1] and len(seen[0]) == 1, f"two pictures of one host took {len(seen[1])} children"
    assert len(seen[3] - seen[1]) == 1, "pictures of two hosts were rendered by the same child"
    return True, "Pictures of two hosts are rendered by two children."


def _without_landlock():
    """A filter of seccomp (linux/filter.h, linux/seccomp.h) by which landlock_create_ruleset, number 444, is EPERM."""
    import ctypes
    import struct
    # Load the number; if it is 444, continue with the next one, else skip one; refuse; allow.
    program = b"".join(struct.pack("HBBI", *one) for one in [
        (0x20, 0, 0, 0), (0x15, 0, 1, 444), (0x06, 0, 0, 0x00050000 | 1), (0x06, 0, 0, 0x7FFF0000)])
    buffer = ctypes.create_string_buffer(program, len(program))
    filters = struct.pack("HxxxxxxQ", 4, ctypes.addressof(buffer))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, ctypes.create_string_buffer(filters, len(filters)), 0, 0):
        raise OSError(ctypes.get_errno(), "seccomp")


def check_without_landlock(service):
    """Where a container or a unit forbids Landlock, a child could not even ask for the size of its memory: every picture was 500."""
    service.prepare = _without_landlock
    service.restart()
    statuses = [service.get(path)[0] for path in ("/readyz", service.picture("landlock.png", png(300, 200)))]
    return statuses == [200, 200], f"/readyz and a picture are answered {statuses}"
