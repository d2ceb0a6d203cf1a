# Takes memory piece by piece, and touches all of it.
pieces = []
while True:
    pieces.append(bytearray(b"x" * (1 << 20)))
