import sys

while True:
    print("a line on standard error", file=sys.stderr)
