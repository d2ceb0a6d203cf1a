import os
import signal

print("before", flush=True)
os.kill(os.getpid(), signal.SIGKILL)
