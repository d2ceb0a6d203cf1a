while True:
    print("a line on standard output")
