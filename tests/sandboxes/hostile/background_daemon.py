# Leaves its session, its parent and its streams behind, and continues.
import os
import time

if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for descriptor in range(3):
            os.close(descriptor)
        while True:
            time.sleep(0.01)
    os._exit(0)
os.wait()
print("the parent is done")
