import sys

sys.stdout.write("x" * 10_000_000)
