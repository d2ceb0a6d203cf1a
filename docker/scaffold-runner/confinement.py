"""What keeps a program away from the runner, its neighbour in the same container with the same user.

Docker takes the network, the capabilities and the file system away. Within the container the kernel still lets a
process read, trace and reschedule others of its user. So the runner makes itself undumpable (ptrace(2): then nobody
without CAP_SYS_PTRACE may look into /proc/1/mem, fd or environ), and the program gets a seccomp filter for the calls
that ask for no such permission.
"""

import ctypes
import errno
import os
import struct

PR_SET_DUMPABLE = 4
PR_SET_SECCOMP = 22
PR_SET_NO_NEW_PRIVS = 38
SECCOMP_MODE_FILTER = 2

RUNNER_PID = 1

# Numbers by architecture: the first column is x86-64, the second 64-bit ARM.
# Calls that act on another process of the same user. They may not name the runner.
ACTS_ON_PID = {
    "prlimit64": (302, 261),
    "sched_setparam": (142, 118),
    "sched_setscheduler": (144, 119),
    "sched_setaffinity": (203, 122),
    "sched_setattr": (314, 274),
}
# Calls that act on a process, a group or all of a user: only on the caller itself. Third: their number for "a process".
ACTS_ON_WHO = {"setpriority": (141, 140, 0), "ioprio_set": (251, 30, 1)}
# Ways into other processes, around the filter, or into parts of the kernel that no program here needs.
REFUSED = {
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "kcmp": (312, 272),
    "pidfd_getfd": (438, 438),
    "unshare": (272, 97),
    "setns": (308, 268),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    # They make the whole machine write its disks, and wait for it.
    "sync": (162, 81),
    "syncfs": (306, 267),
}
SOCKET = (41, 198)
# Unix, IPv4, IPv6, and netlink, which the C library asks for the interfaces. Others reach past network namespaces:
# AF_VSOCK the host of a virtual machine, AF_ALG and AF_PACKET the kernel.
SOCKET_FAMILIES = (1, 2, 10, 16)

AUDIT_ARCHITECTURES = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1)}
# x86-64 has a second table of calls from this number on.
X32_CALLS = 0x40000000

LOAD_WORD, JUMP_EQUAL, JUMP_ABOVE, RETURN = 0x20, 0x15, 0x35, 0x06
ALLOW = 0x7FFF0000
REFUSE = 0x00050000 | errno.EPERM
# Offsets in struct seccomp_data. The arguments are 64 bits wide; the kernel reads these as ints, so the low half counts.
CALL, ARCHITECTURE, FIRST, SECOND = 0, 4, 16, 24


def instruction(code, value, if_true=0, if_false=0):
    return struct.pack("HBBI", code, if_true, if_false, value)


def filter_program(machine):
    """The filter's BPF code for a machine as os.uname() names it, or None where its calls' numbers are not known."""
    if machine not in AUDIT_ARCHITECTURES:
        return None
    architecture, column = AUDIT_ARCHITECTURES[machine]
    code = [
        instruction(LOAD_WORD, ARCHITECTURE),
        instruction(JUMP_EQUAL, architecture, if_true=1),
        instruction(RETURN, REFUSE),
        instruction(LOAD_WORD, CALL),
    ]
    if machine == "x86_64":
        code += [instruction(JUMP_ABOVE, X32_CALLS, if_false=1), instruction(RETURN, REFUSE)]
    for numbers in REFUSED.values():
        code += [instruction(JUMP_EQUAL, numbers[column], if_false=1), instruction(RETURN, REFUSE)]
    # Each block below loads arguments, and so decides: nothing after it could see the call's number.
    for numbers in ACTS_ON_PID.values():
        code += decide(numbers[column], matches(FIRST, (RUNNER_PID,), REFUSE) + [instruction(RETURN, ALLOW)])
    for numbers in ACTS_ON_WHO.values():
        code += decide(numbers[column], only(FIRST, numbers[2]) + only(SECOND, 0) + [instruction(RETURN, ALLOW)])
    code += decide(SOCKET[column], matches(FIRST, SOCKET_FAMILIES, ALLOW) + [instruction(RETURN, REFUSE)])
    code.append(instruction(RETURN, ALLOW))
    return b"".join(code)


def decide(number, block):
    return [instruction(JUMP_EQUAL, number, if_false=len(block))] + block


def matches(argument, values, verdict):
    block = [instruction(LOAD_WORD, argument)]
    for value in values:
        block += [instruction(JUMP_EQUAL, value, if_false=1), instruction(RETURN, verdict)]
    return block


def only(argument, value):
    return [
        instruction(LOAD_WORD, argument),
        instruction(JUMP_EQUAL, value, if_true=1),
        instruction(RETURN, REFUSE),
    ]


class SocketFilter(ctypes.Structure):
    """struct sock_fprog."""

    _fields_ = [("length", ctypes.c_ushort), ("code", ctypes.c_void_p)]


libc = ctypes.CDLL(None, use_errno=True)


def prctl(option, first, second=0):
    """@raises OSError where the kernel refuses: the caller must not go on."""
    arguments = [ctypes.c_ulong(value) for value in (first, second, 0, 0)]
    if libc.prctl(option, *arguments) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"prctl {option}: {os.strerror(number)}")


def protect_runner():
    """Closes this process's memory, descriptors and environment to others of the same user."""
    prctl(PR_SET_DUMPABLE, 0)


def confine_program():
    """Called in the program's process before its code is loaded. The filter holds for all of its descendants."""
    # Undumpable as its parent, it could not open its own files in /proc. exec would undo it in any case.
    prctl(PR_SET_DUMPABLE, 1)
    with open("/proc/self/oom_score_adj", "w") as score:
        score.write("1000")
    # The runner has to get its turn among as many busy processes as the container may have.
    os.nice(19)
    code = filter_program(os.uname().machine)
    if code is None:
        return
    buffer = ctypes.create_string_buffer(code, len(code))
    program = SocketFilter(len(code) // 8, ctypes.addressof(buffer))
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.addressof(program))
