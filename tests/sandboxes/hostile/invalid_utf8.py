import os

os.write(1, b"before \xff\xfe\x80 \xe2\x82 after \xf0\x9f\x98\x80\n")
os.write(2, b"\xc3")
