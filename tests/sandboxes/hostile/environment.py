# Every variable of every process that it can see.
import os

for name, value in sorted(os.environ.items()):
    print(f"{name}={value}")
for process in os.listdir("/proc"):
    if not process.isdigit() or int(process) == os.getpid():
        continue
    try:
        with open(f"/proc/{process}/environ") as file:
            print(f"ESCAPED: environment of process {process}:", file.read())
    except OSError as error:
        print(f"contained: process {process}:", error.strerror)
