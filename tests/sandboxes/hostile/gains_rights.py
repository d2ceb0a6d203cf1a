# Root, capabilities, namespaces, mounts, devices.
import ctypes
import os
import subprocess

libc = ctypes.CDLL(None, use_errno=True)


def attempt(name, call):
    try:
        result = call()
    except OSError as error:
        print("contained:", name, error.strerror)
        return
    if result == -1:
        print("contained:", name, os.strerror(ctypes.get_errno()))
    else:
        print("ESCAPED:", name)


attempt("setuid", lambda: os.setuid(0))
attempt("setgid", lambda: os.setgid(0))
attempt("setgroups", lambda: os.setgroups([0]))
attempt("chroot", lambda: os.chroot("/work"))
attempt("mount", lambda: libc.mount(b"none", b"/work", b"tmpfs", 0, None))
attempt("remount", lambda: libc.mount(b"none", b"/", None, 32 | 4096, None))
attempt("umount", lambda: libc.umount2(b"/work", 2))
attempt("unshare user", lambda: libc.unshare(0x10000000))
attempt("unshare mounts", lambda: libc.unshare(0x00020000))
attempt("clone user", lambda: libc.syscall(56 if os.uname().machine == "x86_64" else 220, 0x10000011, 0, 0, 0, 0))
attempt("sethostname", lambda: libc.sethostname(b"x", 1))
attempt("mknod", lambda: os.mknod("device", 0o600 | 0o060000, os.makedev(8, 0)))
attempt("open disk", lambda: os.open("/dev/vda", os.O_RDONLY))
attempt("open memory", lambda: os.open("/dev/mem", os.O_RDONLY))
attempt("reboot", lambda: libc.reboot(0x1234567))
attempt("keyring", lambda: libc.syscall(250 if os.uname().machine == "x86_64" else 219, 0, -3, 1, 0, 0))
attempt("bpf", lambda: libc.syscall(321 if os.uname().machine == "x86_64" else 280, 0, 0, 0))
attempt("io_uring", lambda: libc.syscall(425, 8, ctypes.create_string_buffer(256)))
attempt("clock", lambda: libc.syscall(227 if os.uname().machine == "x86_64" else 112, 0, ctypes.create_string_buffer(16)))
done = subprocess.run(["su", "-c", "id"], stdin=subprocess.DEVNULL, capture_output=True, text=True)
print("ESCAPED: su" if "uid=0" in done.stdout else "contained: su")
with open("/proc/self/status") as file:
    for line in file:
        if line.startswith(("CapEff", "CapPrm", "CapBnd", "CapAmb", "NoNewPrivs", "Seccomp:", "Uid")):
            print(" ".join(line.split()))
