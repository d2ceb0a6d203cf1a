# Fills its folder, and then says how much it held.
import os

written = 0
try:
    with open("filler", "wb", buffering=0) as file:
        while True:
            written += file.write(b"x" * (1 << 20))
            if written > 1 << 30:
                print("ESCAPED: wrote a gigabyte")
                break
except OSError as error:
    print(f"{written >> 20} MiB: {error.strerror}")
print(len(os.listdir(".")), "files")
