"""May this process read the memory of a sibling, as py-spy must?

Linux decides by user, capabilities, Yama's ptrace_scope and a container's filters. So we do not guess from
settings: we start a process and try it.
"""

from __future__ import annotations

import ctypes
import errno
import subprocess
import sys

from goldsplit.model.recording import STACKS_BY_TIMER
from goldsplit.record.outside.py_spy import find_py_spy

#: A child that allows reading as recorded processes do, prints a line, and waits.
_PROBE = (
    "import ctypes, sys; ctypes.CDLL(None).prctl(0x59616D61, ctypes.c_ulong(-1), 0, 0, 0); "
    "print(flush=True); sys.stdin.read()"
)


class _Span(ctypes.Structure):
    _fields_ = (("base", ctypes.c_void_p), ("length", ctypes.c_size_t))


def refused_stacks() -> str:
    """Why py-spy cannot sample here; empty if it can."""
    if find_py_spy() is None:
        return f"py-spy is not installed: {STACKS_BY_TIMER} in each process's main thread (CPU time only)"
    if not may_read_siblings():
        return (
            f"ptrace is refused here: {STACKS_BY_TIMER} in each main thread (CPU time only); "
            "`goldsplit doctor` says what to do"
        )
    return ""


def may_read_siblings() -> bool:
    """Try to read a byte of a child that allows it as recorded processes do."""
    command = [sys.executable, "-I", "-S", "-c", _PROBE]
    probe = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        assert probe.stdout is not None
        probe.stdout.readline()
        return can_read(probe.pid)
    finally:
        probe.kill()
        probe.communicate()


def can_read(pid: int) -> bool:
    """Whether reading a process's memory is allowed; the address need not exist."""
    buffer = ctypes.create_string_buffer(1)
    local = _Span(ctypes.addressof(buffer), 1)
    remote = _Span(4096, 1)
    libc = ctypes.CDLL(None, use_errno=True)
    done = libc.process_vm_readv(pid, ctypes.byref(local), 1, ctypes.byref(remote), 1, 0)
    return done >= 0 or ctypes.get_errno() not in (errno.EPERM, errno.ENOSYS, errno.EACCES)
