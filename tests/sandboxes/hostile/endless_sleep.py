import time

print("started")
time.sleep(1_000_000)
