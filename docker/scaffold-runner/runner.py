"""Process 1 of a container: runs one untrusted Python program and tells what it did.

The worker speaks with it over the container's standard streams, a JSON object a line. Bytes are in base64.

    runner → worker   {"type": "ready", "protocol": 2}                  once, before it reads anything
    worker → runner   {"type": "run", "nonce": "…", "files": {"main.py": "…"}, "main": "main.py", "input": "…",
                       "limits": {"timeout_sec": 10, "output_bytes": 64000}}
                  or  {"type": "call", …, "module": "scaffold", "function": "process_input", …} in the place of "main"
    runner → worker   {"type": "started", "nonce": "…"}                 from now on its time counts
    runner → worker   {"type": "request", "nonce": "…", "id": 1, "line": "…"}      what the function asks meanwhile,
    worker → runner   {"type": "reply", "id": 1, "line": "…"}                      and what it is told
    runner → worker   {"type": "result", "nonce": "…", "status": "ok", "exit_code": 0, "seconds": 0.03,
                       "stdout": "…", "stderr": "…", "truncated": false, "returned": "…"}
                  or  {"type": "failure", "nonce": "…", "message": "…", "retryable": false}

`status` is ok, error, timeout, out_of_memory or output_limit; `exit_code` is null where a signal ended the program, or
its files did not fit into its folder, so that it never began. `returned` is what call_function.py passed on, and null
after a run. A `line` is what model_relay.py carries. A failure is the machine's: the program could not be run. After
one answer the container ends. It also ends as soon as its standard input does, which is when the worker has gone.

The program cannot forge an answer: its output goes to pipes, the container's own streams are open in no process but
this one, which nothing in the container can look into (confinement.py), and only the worker and this process know the
nonce. Python 3.9 or newer, standard library only.
"""

import binascii
import errno
import json
import os
import sys

from confinement import protect_runner
from supervisor import FOLDER, Abandoned, Supervisor

# Changes when a worker and a runner that differ in it would not understand each other.
PROTOCOL = 2
MAXIMUM_REQUEST_BYTES = 256 * 1024 * 1024
CALLER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "call_function.py")
# The memory controller's files, of version 2 and of version 1 (which counts deaths since Linux 4.13).
EVENTS_V2 = "/sys/fs/cgroup/memory.events"
FOLDER_V1 = "/sys/fs/cgroup/memory/memory."
# Version 1 does not say whether the limit was met. Memory is accounted in batches, so the peak may stay below it.
PEAK_SHARE = 0.9
# The kernel's tables of routes and of addresses, and the column that names an interface.
NETWORK_TABLES = (("/proc/net/route", 0), ("/proc/net/if_inet6", 5))


class TooLarge(Exception):
    """The program's files do not fit into its folder."""


class Failure(Exception):
    """The program could not be run."""

    def __init__(self, message, retryable=False):
        super().__init__(message)
        self.retryable = retryable


def read_request(descriptor):
    """The first line that is an object with a nonce: a client may send its attach options ahead.

    @raises Abandoned where the stream ends before.
    """
    received = bytearray()
    while True:
        data = os.read(descriptor, 1 << 20)
        if data == b"" or len(received) > MAXIMUM_REQUEST_BYTES:
            raise Abandoned
        received += data
        while b"\n" in data:
            line, _, received = received.partition(b"\n")
            data = received
            try:
                request = json.loads(line)
            except ValueError:
                continue
            if isinstance(request, dict) and "nonce" in request:
                return request


def send(message):
    write((json.dumps(message) + "\n").encode())


def write(content):
    data = memoryview(content)
    while data:
        data = data[os.write(1, data):]


def write_files(files):
    """@raises TooLarge where they do not fit.
    @raises Failure where a name is none, or a file cannot be written for another reason.
    """
    for name, content in files.items():
        path = os.path.normpath(os.path.join(FOLDER, name))
        if not path.startswith(FOLDER + "/"):
            raise Failure(f"{name!r} is not the name of a file in the program's folder")
        try:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "xb") as file:
                file.write(binascii.a2b_base64(content))
        except OSError as error:
            problem = f"the program's file {name!r} cannot be written: {error.strerror}"
            # The folder is in memory and nobody else's.
            raise (TooLarge if error.errno == errno.ENOSPC else Failure)(problem)


def read_counters(path):
    """Lines of `name value`; one with a value only has the name ''. Empty where there is no such file."""
    counters = {}
    try:
        with open(path) as file:
            for line in file:
                name, _, value = line.strip().rpartition(" ")
                counters[name] = int(value)
    except (OSError, ValueError):
        pass
    return counters


def memory_deaths():
    """How many processes of this container were killed for memory, and whether its own limit was the reason."""
    events = read_counters(EVENTS_V2)
    if events:
        return events.get("oom_kill", 0), events.get("max", 0) > 0
    deaths = read_counters(FOLDER_V1 + "oom_control").get("oom_kill", 0)
    peak, limit = (read_counters(FOLDER_V1 + name).get("", 0) for name in ("max_usage_in_bytes", "limit_in_bytes"))
    return deaths, peak >= limit * PEAK_SHARE


def describe(ending, deaths, limit_was_met):
    """The result of an ending, as the protocol has it, without its nonce."""
    exit_code = None
    status = ending.reason
    # One that wrote too much may have come to its end before it was killed for that; nobody should depend on it.
    if status == "exited" and os.WIFEXITED(ending.wait_status):
        exit_code = os.WEXITSTATUS(ending.wait_status)
    if status == "exited":
        status = "ok" if exit_code == 0 else "error"
        if status == "error" and deaths > 0:
            if not limit_was_met:
                # Not its own limit: the whole machine ran out, and the kernel chose this one.
                raise Failure("the machine ran out of memory", retryable=True)
            status = "out_of_memory"
    return {
        "type": "result",
        "status": status,
        "exit_code": exit_code,
        "seconds": round(ending.seconds, 6),
        "stdout": base64(ending.stdout.content),
        "stderr": base64(ending.stderr.content),
        "truncated": ending.stdout.overflowed or ending.stderr.overflowed,
        "returned": None if ending.returned is None else base64(ending.returned.content),
    }


def describe_unbegun(reason):
    """The result of a program that did not begin, by its own fault: the reason stands on its standard error."""
    return {
        "type": "result",
        "status": "error",
        "exit_code": None,
        "seconds": 0,
        "stdout": "",
        "stderr": base64(f"{reason}\n".encode()),
        "truncated": False,
        "returned": None,
    }


def base64(content):
    return binascii.b2a_base64(content, newline=False).decode()


def find_way_out():
    """The name of an interface that leads out of the container, or None where there is none, as it should be."""
    for path, column in NETWORK_TABLES:
        try:
            with open(path) as file:
                names = [line.split()[column] for line in file]
        except OSError:
            # A kernel without that protocol.
            continue
        # The table's heading, the container itself, and what is not to be reached.
        for name in names:
            if name not in ("Iface", "lo", "*"):
                return name
    return None


def execute(request, supervisor):
    nonce, limits = request["nonce"], request["limits"]

    def ask(number, line):
        # In pieces: as one text it would take several times its size.
        head = json.dumps({"type": "request", "nonce": nonce, "id": number, "line": ""})
        write(head[:-2].encode())
        write(binascii.b2a_base64(line, newline=False))
        write(b'"}\n')

    if request["type"] == "run":
        arguments, relay = [request["main"]], None
    elif request["type"] == "call":
        # Here, because sockets take a while to load, and a program that is run needs none.
        from model_relay import ModelRelay

        arguments, relay = [CALLER, request["module"], request["function"]], ModelRelay(ask)
    else:
        raise Failure(f"this runner does not know {request['type']!r}")
    try:
        write_files(request["files"])
    except TooLarge as fault:
        return describe_unbegun(fault)
    ending = supervisor.run(
        arguments,
        stdin=binascii.a2b_base64(request.get("input", "")),
        timeout_sec=limits["timeout_sec"],
        output_bytes=limits["output_bytes"],
        started=lambda: send({"type": "started", "nonce": nonce}),
        relay=relay,
    )
    return describe(ending, *memory_deaths())


def main():
    protect_runner()
    way_out = find_way_out()
    if way_out is not None:
        sys.exit(f"this engine gives containers a network ({way_out}), though it was told not to")
    supervisor = Supervisor(control=0)
    send({"type": "ready", "protocol": PROTOCOL})
    try:
        request = read_request(0)
        try:
            answer = execute(request, supervisor)
        except Failure as failure:
            answer = {"type": "failure", "message": str(failure), "retryable": failure.retryable}
        except OSError as error:
            answer = {"type": "failure", "message": str(error), "retryable": True}
        send({**answer, "nonce": request["nonce"]})
    except Abandoned:
        pass
    # At once: nothing is left to tidy up, and the kernel ends whatever still runs in the container.
    os._exit(0)
