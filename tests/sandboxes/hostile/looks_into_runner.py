# Whatever /proc knows of process 1.
import os

for name in ("environ", "mem", "maps", "smaps", "auxv", "io", "stack", "syscall", "pagemap", "task/1/environ"):
    try:
        with open(f"/proc/1/{name}", "rb") as file:
            print("ESCAPED:", name, file.read(100))
    except OSError as error:
        print("contained:", name, error.strerror)
for name in ("fd", "map_files", "fdinfo"):
    try:
        print("ESCAPED:", name, os.listdir(f"/proc/1/{name}"))
    except OSError as error:
        print("contained:", name, error.strerror)
for name in ("cwd", "root", "exe"):
    try:
        print("ESCAPED:", name, os.readlink(f"/proc/1/{name}"))
    except OSError as error:
        print("contained:", name, error.strerror)
with open("/proc/1/cmdline") as file:
    print(file.read().replace("\0", " "))
