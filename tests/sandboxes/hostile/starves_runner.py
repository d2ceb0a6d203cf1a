# Takes CPU time, memory and files from process 1 by its own limits and priority, which its user may lower.
import ctypes
import os
import resource

# Root of a machine would do this to the machine's own process 1, for good.
if os.getuid() == 0:
    raise SystemExit("refuses to run as root: it is meant for the inside of a container")

libc = ctypes.CDLL(None, use_errno=True)
for name in ("RLIMIT_CPU", "RLIMIT_AS", "RLIMIT_NOFILE", "RLIMIT_FSIZE", "RLIMIT_DATA", "RLIMIT_STACK"):
    try:
        resource.prlimit(1, getattr(resource, name), (1, 1))
        print("ESCAPED:", name)
    except OSError as error:
        print("contained:", name, error.strerror)


def attempt(name, result):
    error = os.strerror(ctypes.get_errno())
    print(f"ESCAPED: {name}" if result != -1 else f"contained: {name} {error}")


attempt("priority", libc.setpriority(0, 1, 19))
attempt("priority of the group", libc.setpriority(1, 1, 19))
attempt("priority of the user", libc.setpriority(2, 0, 19))
attempt("priority of the user by number", libc.setpriority(2, os.getuid(), 19))
attempt("limit with a wide number", libc.syscall(302 if os.uname().machine == "x86_64" else 261, (1 << 32) + 1, 0, 0, 0))
for name, call in (
    ("affinity", lambda: os.sched_setaffinity(1, {0})),
    ("scheduler", lambda: os.sched_setscheduler(1, os.SCHED_IDLE, os.sched_param(0))),
):
    try:
        call()
        print("ESCAPED:", name)
    except OSError as error:
        print("contained:", name, error.strerror)
