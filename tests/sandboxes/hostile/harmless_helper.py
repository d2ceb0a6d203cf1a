while True:
    pass

answer = 42
