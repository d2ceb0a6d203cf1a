# DNS by the C library, and a query by hand over UDP.
import socket

try:
    print("ESCAPED:", socket.getaddrinfo("example.com", 80))
except OSError as error:
    print("contained: getaddrinfo", error)
query = b"\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00\x07example\x03com\x00\x00\x01\x00\x01"
for server in ("8.8.8.8", "1.1.1.1"):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp:
        udp.settimeout(0.3)
        try:
            udp.sendto(query, (server, 53))
            print("ESCAPED:", udp.recv(512))
        except OSError as error:
            print("contained:", server, error.strerror or error)
