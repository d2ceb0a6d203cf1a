# What was taken away cannot be had back.
import os
import resource

for name in ("RLIMIT_CORE", "RLIMIT_NOFILE"):
    try:
        resource.setrlimit(getattr(resource, name), (1 << 20, 1 << 20))
        print("ESCAPED:", name)
    except (OSError, ValueError) as error:
        print("contained:", name, error)
try:
    os.nice(-20)
    print("ESCAPED: nice")
except OSError as error:
    print("contained: nice", error.strerror)
