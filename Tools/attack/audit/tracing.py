"""System calls made by another process: a thread of it is stopped, makes them, and continues. x86-64 Linux."""
import ctypes
import os
import platform
import signal

ATTACH, DETACH, GETREGS, SETREGS, STEP, GO_ON = 16, 17, 12, 13, 9, 7
ALL_THREADS = 0x40000000
REGISTERS = (
    "r15 r14 r13 r12 rbp rbx r11 r10 r9 r8 rax rcx rdx rsi rdi orig_rax rip cs eflags rsp ss fs_base gs_base "
    "ds es fs gs").split()


class Registers(ctypes.Structure):
    _fields_ = [(name, ctypes.c_ulong) for name in REGISTERS]


def is_possible():
    return platform.machine() == "x86_64"


def _ptrace(request, thread, data=None):
    library = ctypes.CDLL(None, use_errno=True)
    library.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
    library.ptrace.restype = ctypes.c_long
    if library.ptrace(request, thread, None, data) < 0:
        raise OSError(ctypes.get_errno(), f"ptrace of {thread}")


class Thread:
    """A stopped thread of a process, as a context. Use it from one thread only."""

    def __init__(self, process, thread):
        self.process, self.thread = process, thread

    def __enter__(self):
        _ptrace(ATTACH, self.thread)
        # A program that begins stops for that first.
        while self._stop() != signal.SIGSTOP:
            _ptrace(GO_ON, self.thread)
        self.before = Registers()
        _ptrace(GETREGS, self.thread, ctypes.byref(self.before))
        self.memory = os.open(f"/proc/{self.process}/mem", os.O_RDWR)
        # Beyond the red zone, within the page that the stack has.
        self.room = (self.before.rsp - 4096) & ~0xFFF
        self.saved = os.pread(self.memory, 2048, self.room)
        self.call = self._instruction()
        return self

    def __exit__(self, *_):
        os.pwrite(self.memory, self.saved, self.room)
        os.close(self.memory)
        _ptrace(SETREGS, self.thread, ctypes.byref(self.before))
        _ptrace(DETACH, self.thread)

    def _stop(self):
        """The signal that the thread stops with."""
        _, status = os.waitpid(self.thread, ALL_THREADS)
        if not os.WIFSTOPPED(status):
            raise RuntimeError(f"a call ended the thread: {status:#x}")
        return os.WSTOPSIG(status)

    def _instruction(self):
        """Where the thread's program has `syscall`."""
        at = self.before.rip - 2
        if os.pread(self.memory, 2, at) == b"\x0f\x05":
            return at
        with open(f"/proc/{self.process}/maps") as maps:
            for line in maps:
                fields = line.split()
                if "x" not in fields[1] or "[vsyscall]" in line:
                    continue
                start, end = (int(part, 16) for part in fields[0].split("-"))
                found = os.pread(self.memory, end - start, start).find(b"\x0f\x05")
                if found >= 0:
                    return start + found
        raise RuntimeError("the program makes no system call")

    def __call__(self, number, *arguments):
        """What the call returns; -errno where it fails. Arguments are numbers, texts and bytes."""
        offset, values = 0, []
        for argument in arguments:
            if isinstance(argument, str):
                argument = argument.encode() + b"\0"
            if isinstance(argument, bytes):
                os.pwrite(self.memory, argument, self.room + offset)
                values.append(self.room + offset)
                offset += (len(argument) + 15) & ~15
            else:
                values.append(argument & (2**64 - 1))
        registers = Registers.from_buffer_copy(self.before)
        registers.rax, registers.orig_rax, registers.rip = number, 2**64 - 1, self.call
        for name, value in zip(("rdi", "rsi", "rdx", "r10", "r8", "r9"), values):
            setattr(registers, name, value)
        _ptrace(SETREGS, self.thread, ctypes.byref(registers))
        _ptrace(STEP, self.thread)
        if (stop := self._stop()) != signal.SIGTRAP:
            raise RuntimeError(f"signal {stop} came in between")
        _ptrace(GETREGS, self.thread, ctypes.byref(registers))
        return ctypes.c_long(registers.rax).value
