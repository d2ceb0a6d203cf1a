# Links out of its folder lead nowhere that it could not go anyway.
import os

os.symlink("/", "root")
os.symlink("/etc/passwd", "passwd")
os.symlink("/proc/1/fd/1", "answer")
for path in ("root/planted", "root/etc/planted", "root/usr/planted", "passwd", "answer"):
    try:
        with open(path, "w") as file:
            file.write("x")
        print("ESCAPED:", path)
    except OSError as error:
        print("contained:", path, error.strerror)
try:
    os.link("/etc/passwd", "hard")
    print("ESCAPED: hard link")
except OSError as error:
    print("contained: hard link", error.strerror)
