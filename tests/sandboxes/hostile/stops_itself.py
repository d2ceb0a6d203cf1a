# A stopped process reacts to nothing.
import os
import signal

os.kill(os.getpid(), signal.SIGSTOP)
