# As many processes as it may have, all of them busy.
import os

for _ in range(1000):
    try:
        if os.fork() == 0:
            break
    except OSError:
        break
while True:
    pass
