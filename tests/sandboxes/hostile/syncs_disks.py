# Makes the whole machine write its disks.
import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)
number = 162 if os.uname().machine == "x86_64" else 81
print("ESCAPED: sync" if libc.syscall(number) != -1 else f"contained: {os.strerror(ctypes.get_errno())}")
