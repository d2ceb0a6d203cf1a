# A descendant holds the output open long after the program has ended.
import os
import time

if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        time.sleep(1_000_000)
    os._exit(0)
os.wait()
print("the parent is done")
