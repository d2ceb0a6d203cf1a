print("started")
while True:
    pass
