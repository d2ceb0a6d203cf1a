"""Carries what a program asks out of the container, and the replies back in.

The program asks as support/llm_executor.py does: it connects to a socket, sends one line and reads one line. What the
lines say is between the program and the worker. The program may be hostile, so each line has an end, few requests are
open at once, and their pace is one that a worker can keep up with. What is too much waits, at the program's expense.
"""

import json
import select
import socket
import time

# In the abstract namespace: in no folder, and gone with the container's network namespace.
ADDRESS = "\0reprise"
MAXIMUM_OPEN = 64
# 2 MB of text in base64, and its frame.
MAXIMUM_LINE_BYTES = 2_700_000
# Of all requests that wait for their reply, and of all replies that the program has not read yet.
MAXIMUM_OPEN_BYTES = 16_000_000
MAXIMUM_UNREAD_BYTES = 4_000_000
# A request counts as this many seconds of work, and a burst of this many is let through at once.
REQUEST_SEC = 0.005
BYTES_PER_SEC = 20_000_000
BURST_SEC = 1.0
READ_SIZE = 65536


class Connection:
    def __init__(self, own):
        self.socket = own
        self.received = bytearray()
        self.size = 0
        self.unsent = memoryview(b"")


class ModelRelay:
    def __init__(self, ask):
        """`ask(number, line)` passes a request on. Its reply comes by `take`."""
        self.address = "@" + ADDRESS[1:]
        self.ask = ask
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.listener.setblocking(False)
        self.listener.bind(ADDRESS)
        self.listener.listen(MAXIMUM_OPEN)
        # One at a time, so that memory for one is enough.
        self.reading = None
        self.waiting = {}
        self.sending = {}
        self.count = 0
        self.replies = bytearray()
        self.work = 0.0
        self.work_at = time.monotonic()

    def register(self, poll):
        """Asks for what is waited for. Returns the seconds after which that changes by itself."""
        for descriptor in self.sending:
            poll.register(descriptor, select.POLLOUT)
        if self.reading:
            poll.register(self.reading.socket, select.POLLIN)
            return float("inf")
        unanswered = sum(connection.size for connection in self.waiting.values())
        if len(self.waiting) + len(self.sending) >= MAXIMUM_OPEN or unanswered >= MAXIMUM_OPEN_BYTES:
            return float("inf")
        now = time.monotonic()
        self.work = max(0.0, self.work - (now - self.work_at))
        self.work_at = now
        if self.work >= BURST_SEC:
            return self.work - BURST_SEC + REQUEST_SEC
        poll.register(self.listener, select.POLLIN)
        return float("inf")

    def is_full(self):
        """Whether the program does not read what it is told, so that no more can be taken for it."""
        return sum(len(connection.unsent) for connection in self.sending.values()) > MAXIMUM_UNREAD_BYTES

    def handle(self, descriptor):
        """Goes on with what is ready."""
        try:
            if descriptor == self.listener.fileno():
                own, _ = self.listener.accept()
                own.setblocking(False)
                self.reading = Connection(own)
            elif self.reading and descriptor == self.reading.socket.fileno():
                self.read(self.reading)
            elif descriptor in self.sending:
                self.send(self.sending[descriptor])
        except BlockingIOError:
            pass
        except OSError:
            # The other end has gone.
            self.drop(descriptor)

    def read(self, connection):
        data = connection.socket.recv(READ_SIZE)
        connection.received += data
        connection.size += len(data)
        self.work += len(data) / BYTES_PER_SEC
        end = connection.received.find(b"\n", connection.size - len(data))
        if end >= 0:
            self.reading = None
            self.work += REQUEST_SEC
            self.count += 1
            self.waiting[self.count] = connection
            del connection.received[end:]
            self.ask(self.count, connection.received)
            connection.received = None
        elif data == b"" or connection.size > MAXIMUM_LINE_BYTES:
            self.drop(connection.socket.fileno())

    def take(self, data):
        """A piece of what the worker sends: lines of `{"id": …, "line": …}`."""
        *lines, rest = data.split(b"\n")
        for line in lines:
            reply = json.loads(self.replies + line)
            self.replies.clear()
            connection = self.waiting.pop(reply["id"])
            connection.unsent = memoryview(reply["line"].encode() + b"\n")
            self.sending[connection.socket.fileno()] = connection
        self.replies += rest

    def send(self, connection):
        connection.unsent = connection.unsent[connection.socket.send(connection.unsent):]
        if not connection.unsent:
            self.drop(connection.socket.fileno())

    def drop(self, descriptor):
        connection = self.sending.pop(descriptor, None)
        if connection is None and self.reading and self.reading.socket.fileno() == descriptor:
            connection, self.reading = self.reading, None
        if connection:
            connection.socket.close()
