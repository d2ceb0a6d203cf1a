# /dev/shm is a second place in memory.
written = 0
try:
    with open("/dev/shm/filler", "wb", buffering=0) as file:
        while written < 1 << 26:
            written += file.write(b"x" * 65536)
    print("ESCAPED: wrote 64 MiB")
except OSError as error:
    print("contained:", error.strerror)
