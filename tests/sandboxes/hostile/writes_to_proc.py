# Switches of the kernel, of the runner and of the container's own limits.
import glob
import os

# Root of a machine would do this to the machine itself.
if os.getuid() == 0:
    raise SystemExit("refuses to run as root: it is meant for the inside of a container")

paths = ["/proc/sys/kernel/core_pattern", "/proc/sys/kernel/hostname", "/proc/sys/vm/overcommit_memory"]
paths += ["/proc/sys/net/ipv4/ip_forward", "/proc/sysrq-trigger", "/proc/1/oom_score_adj", "/proc/1/comm"]
paths += ["/proc/1/coredump_filter", "/proc/1/mem", "/proc/1/timerslack_ns", "/proc/1/uid_map", "/proc/1/clear_refs"]
paths += ["/sys/fs/cgroup/cgroup.procs", "/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory.max"]
paths += ["/sys/fs/cgroup/pids/pids.max", "/sys/fs/cgroup/pids.max", "/sys/kernel/uevent_helper", "/sys/power/state"]
paths += glob.glob("/sys/fs/cgroup/*/release_agent")
for path in paths:
    try:
        with open(path, "w") as file:
            file.write("1")
        print("ESCAPED:", path)
    except OSError as error:
        print("contained:", path, error.strerror)
