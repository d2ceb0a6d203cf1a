# Makes more orphans than fit into the table of processes, which somebody has to take away meanwhile.
import os

for number in range(200):
    child = os.fork()
    if child == 0:
        if os.fork() == 0:
            os._exit(0)
        os._exit(0)
    os.waitpid(child, 0)
print("made 200 orphans")
