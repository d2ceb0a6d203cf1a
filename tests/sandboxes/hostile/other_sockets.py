# Families of sockets that reach past a network namespace, and raw packets.
import socket

for name, family, kind in (
    ("vsock", 40, socket.SOCK_STREAM),
    ("alg", 38, socket.SOCK_SEQPACKET),
    ("packet", 17, socket.SOCK_RAW),
    ("bluetooth", 31, socket.SOCK_RAW),
    ("can", 29, socket.SOCK_RAW),
    ("raw", socket.AF_INET, socket.SOCK_RAW),
):
    try:
        socket.socket(family, kind)
        print("ESCAPED:", name)
    except OSError as error:
        print("contained:", name, error.strerror)
print(socket.if_nameindex())
