# Several processes write at once, to both streams.
import os

for _ in range(8):
    os.fork()
while True:
    os.write(1, b"x" * 65536)
    os.write(2, b"y" * 65536)
