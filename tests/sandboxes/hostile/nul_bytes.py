import os

os.write(1, b"a\0b\0\0c\n")
os.write(2, b"\0")
