# Escape sequences, separators of lines that JSON does not escape, a byte order mark, carriage returns.
import os

os.write(1, "\ufeff\x1b[2J\x07\u2028\u2029\r\n\x7f\u0085\n".encode())
