import os

os.close(1)
os.close(2)
while True:
    pass
