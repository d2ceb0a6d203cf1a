# Calls that reach into another process of the same user.
import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)
buffer = ctypes.create_string_buffer(64)


class Piece(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]


here = Piece(ctypes.addressof(buffer), 64)
there = Piece(0x400000, 64)


def attempt(name, result):
    error = os.strerror(ctypes.get_errno())
    print(f"ESCAPED: {name}" if result != -1 else f"contained: {name} {error}")


attempt("ptrace attach", libc.ptrace(16, 1, 0, 0))
attempt("ptrace seize", libc.ptrace(0x4206, 1, 0, 0))
attempt("process_vm_readv", libc.process_vm_readv(1, ctypes.byref(here), 1, ctypes.byref(there), 1, 0))
attempt("process_vm_writev", libc.process_vm_writev(1, ctypes.byref(here), 1, ctypes.byref(there), 1, 0))
runner = os.pidfd_open(1)
for descriptor in (0, 1, 2):
    attempt("pidfd_getfd", libc.syscall(438, runner, descriptor, 0))
