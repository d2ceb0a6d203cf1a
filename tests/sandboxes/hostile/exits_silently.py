import os

print("this is lost", end="", file=open("/dev/null", "w"))
os._exit(0)
