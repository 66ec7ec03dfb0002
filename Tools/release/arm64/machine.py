"""A virtual machine of arm64 that runs one program as its first process."""
import re
import subprocess

DEVICE, PROGRAM = 0o020600, 0o100755


def archive(files):
    """An archive of cpio's "newc" format: https://docs.kernel.org/driver-api/early-userspace/buffer-format.html"""
    made = bytearray()
    for number, (name, mode, content, device) in enumerate([*files, ("TRAILER!!!", 0, b"", (0, 0))], 1):
        path = name.encode() + b"\0"
        fields = [number, mode, 0, 0, 1, 0, len(content), 0, 0, *device, len(path), 0]
        made += b"070701" + b"".join(b"%08X" % field for field in fields) + path
        made += bytes(-len(made) % 4) + content
        made += bytes(-len(made) % 4)
    return bytes(made)


def said(kernel, program, directory):
    """What the program printed behind "vitrine:"; None if it never did."""
    files = directory / "init.cpio"
    files.write_bytes(archive([("dev", 0o040755, b"", (0, 0)), ("dev/console", DEVICE, b"", (5, 1)),
                               ("init", PROGRAM, program.read_bytes(), (0, 0))]))
    end = subprocess.run(
        ["qemu-system-aarch64", "-machine", "virt", "-cpu", "max", "-smp", "2", "-m", "1024", "-nographic",
         "-no-reboot", "-nic", "none", "-kernel", kernel, "-initrd", files,
         "-append", "console=ttyAMA0 quiet panic=-1 lsm=landlock"],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300)
    text = end.stdout.decode(errors="replace")
    found = re.search(r"^vitrine: (.*?)\r?$", text, re.M)
    if not found:
        print(text[-2000:])
    return found and found[1]
