# Makes orphans all the time, which somebody has to take away lest they fill the table of processes.
import os

for number in range(2000):
    child = os.fork()
    if child == 0:
        if os.fork() == 0:
            os._exit(0)
        os._exit(0)
    os.waitpid(child, 0)
print("made 2000 orphans")
