# What an answer of the runner looks like, on every stream and by every path that leads to one.
import json
import os
import sys

answer = {"type": "result", "status": "ok", "exit_code": 0, "seconds": 0, "truncated": False}
answer.update(stdout="Zm9yZ2Vk", stderr="", nonce="0" * 32)
line = json.dumps(answer) + "\n"
frame = b"\x01\x00\x00\x00" + len(line).to_bytes(4, "big") + line.encode()
for path in ("/proc/1/fd/1", "/proc/1/fd/2", "/proc/1/fd/0", "/dev/console", "/dev/tty", "/proc/self/fd/3"):
    try:
        with open(path, "wb", buffering=0) as file:
            file.write(line.encode())
        print("ESCAPED:", path)
    except OSError:
        pass
for descriptor in range(3, 1024):
    try:
        os.write(descriptor, frame)
        print("ESCAPED: descriptor", descriptor)
    except OSError:
        pass
os.write(1, line.encode())
os.write(1, frame)
os.write(2, line.encode())
sys.exit(3)
