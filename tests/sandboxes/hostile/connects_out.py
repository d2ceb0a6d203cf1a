# TCP to the outside, to private networks, and to the host, whose port comes as input.
import socket

places = [("1.1.1.1", 443), ("8.8.8.8", 53), ("10.0.0.1", 80), ("172.17.0.1", 80), ("192.168.0.1", 80)]
places += [("127.0.0.1", int(input())), ("2606:4700:4700::1111", 443)]
for host, port in places:
    try:
        socket.create_connection((host, port), timeout=0.3).close()
        print("ESCAPED: connected to", host)
    except OSError as error:
        print("contained:", host, error.strerror or error)
