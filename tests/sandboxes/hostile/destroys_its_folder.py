import os

os.remove("main.py")
os.mkdir("locked")
open("locked/file", "w").close()
os.chmod("locked", 0)
os.chmod(".", 0)
print("gone")
