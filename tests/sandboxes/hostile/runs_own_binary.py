# A program of another kind, made in the writable folder.
import os
import shutil
import subprocess

shutil.copy("/bin/ls", "mine")
os.chmod("mine", 0o4755)
try:
    subprocess.run(["./mine"], check=True)
    print("ESCAPED: ran it")
except OSError as error:
    print("contained:", error.strerror)
