# The daemon's socket is the host's root account.
import os
import socket

for path in ("/var/run/docker.sock", "/run/docker.sock", "/run/containerd/containerd.sock", "/run/podman/podman.sock"):
    try:
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(path)
        print("ESCAPED:", path)
    except OSError as error:
        print("contained:", path, error.strerror)
for folder, _, names in os.walk("/", topdown=True):
    if folder == "/":
        continue
    for name in names:
        if name.endswith(".sock"):
            print("ESCAPED:", os.path.join(folder, name))
