"""Runs one program as a child process, watches it, and leaves nothing of it behind."""

import os
import select
import signal
import sys
import time

from confinement import confine_program

FOLDER = "/work"
READ_SIZE = 65536
# poll(2) takes an int of milliseconds.
LONGEST_WAIT_SEC = 3600
# Killing takes effect within milliseconds; what a broken kernel does not end, ends with the container.
REAP_SEC = 1.0


class Abandoned(Exception):
    """The worker has gone."""


class Captured:
    """One stream of the program's output, up to the limit."""

    def __init__(self, descriptor, limit):
        self.descriptor = descriptor
        self.limit = limit
        self.content = bytearray()
        self.overflowed = False
        self.ended = False

    def read(self):
        """Takes what is there, without waiting. Returns whether there was something."""
        try:
            data = os.read(self.descriptor, READ_SIZE)
        except BlockingIOError:
            return False
        self.ended = data == b""
        room = self.limit - len(self.content)
        self.overflowed = self.overflowed or len(data) > room
        self.content += data[:room]
        return not self.ended


class Ending:
    """How the program ended. `reason` is exited, timeout or output_limit; `returned` is None where nothing could be."""

    def __init__(self, reason, wait_status, seconds, stdout, stderr, returned=None):
        self.reason = reason
        self.wait_status = wait_status
        self.seconds = seconds
        self.stdout = stdout
        self.stderr = stderr
        self.returned = returned


def input_file(content):
    """The program's standard input: a file that is in no folder."""
    descriptor = os.memfd_create("input")
    view = memoryview(content)
    while view:
        view = view[os.write(descriptor, view):]
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


def start(arguments, environment, stdin, stdout, stderr, result=None):
    """Starts the interpreter in a session of its own and returns its process id. It keeps the descriptor `result`.

    @raises OSError where its process could not be confined or its interpreter not be started.
    """
    report, report_end = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.setsid()
            os.chdir(FOLDER)
            for number in (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGINT):
                signal.signal(number, signal.SIG_DFL)
            for target, source in enumerate((stdin, stdout, stderr)):
                os.dup2(source, target)
            confine_program()
            if result is not None:
                os.set_inheritable(result, True)
            # Unbuffered, so that what a killed program has written is not lost. All other descriptors above 2 close here.
            os.execve(sys.executable, [sys.executable, "-u", "-B", "-X", "utf8", *arguments], environment)
        except BaseException as error:
            os.write(report_end, str(error).encode()[:1000])
        os._exit(127)
    os.close(report_end)
    problem = os.read(report, 1000)
    os.close(report)
    if problem:
        raise OSError(f"the program's process could not be started: {problem.decode(errors='replace')}")
    return child


def program_environment():
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": FOLDER,
        "TMPDIR": FOLDER,
        "LANG": "C.UTF-8",
        # The order of a set of strings is the same in every execution.
        "PYTHONHASHSEED": "0",
        "OMP_NUM_THREADS": os.environ.get("OMP_NUM_THREADS", "1"),
    }


class Supervisor:
    """As process 1 it inherits every orphan of the program, so that none escapes its `kill`."""

    def __init__(self, control):
        """`control` is the descriptor that ends when the worker goes."""
        self.control = control
        wakeup, wakeup_end = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        self.wakeup = wakeup
        # Process 1 is sent only those signals that it has a handler for; this is the one that it wants.
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        signal.set_wakeup_fd(wakeup_end, warn_on_full_buffer=False)

    def run(self, arguments, stdin, timeout_sec, output_bytes, started, relay=None):
        """Runs the interpreter in FOLDER to its end, its deadline or its output limit. Returns an `Ending`.

        `started` is called as soon as the program runs. With a `relay` the program may ask, and finds as its last
        argument the descriptor that it returns its result to.
        """
        streams, ends = [], []
        limits = [output_bytes] * 2 + ([output_bytes + 1] if relay else [])
        for limit in limits:
            reading, writing = os.pipe()
            os.set_blocking(reading, False)
            streams.append(Captured(reading, limit))
            ends.append(writing)
        environment = program_environment()
        if relay:
            arguments = [*arguments, str(ends[2])]
            environment["REPRISE_MODEL_SOCKET"] = relay.address
        descriptor = input_file(stdin)
        began = time.monotonic()
        child = start(arguments, environment, descriptor, *ends)
        for used in (descriptor, *ends):
            os.close(used)
        started()
        reason, wait_status = self.watch(child, streams, began + timeout_sec, relay)
        seconds = time.monotonic() - began
        end_all()
        for stream in streams:
            # What it wrote last may still be in the pipe. Nothing is left that could write more.
            while not stream.overflowed and stream.read():
                pass
        if reason == "exited" and any(stream.overflowed for stream in streams):
            reason = "output_limit"
        return Ending(reason, wait_status, seconds, *streams)

    def watch(self, child, streams, deadline, relay):
        by_descriptor = {stream.descriptor: stream for stream in streams}
        while True:
            poll = select.poll()
            poll.register(self.wakeup, select.POLLIN)
            # Its end is always told of, whatever is asked for.
            poll.register(self.control, 0 if relay and relay.is_full() else select.POLLIN)
            for stream in streams:
                if not stream.ended:
                    poll.register(stream.descriptor, select.POLLIN)
            wait = max(0, deadline - time.monotonic())
            if relay:
                wait = min(wait, relay.register(poll))
            for descriptor, _ in poll.poll(min(wait, LONGEST_WAIT_SEC) * 1000):
                if descriptor == self.control:
                    self.listen(relay)
                elif descriptor == self.wakeup:
                    os.read(self.wakeup, READ_SIZE)
                elif descriptor in by_descriptor:
                    by_descriptor[descriptor].read()
                else:
                    relay.handle(descriptor)
            wait_status = reap(child)
            if wait_status is not None:
                return "exited", wait_status
            if any(stream.overflowed for stream in streams):
                return "output_limit", None
            if time.monotonic() >= deadline:
                return "timeout", None

    def listen(self, relay):
        """Nothing is sent while a program runs but replies to what it asked."""
        data = os.read(self.control, READ_SIZE)
        if data == b"":
            raise Abandoned
        if relay:
            relay.take(data)


def reap(child):
    """Takes note of what has ended. Returns the child's wait status, or None while it runs."""
    for _ in range(1000):
        try:
            process, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return None
        if process == 0:
            return None
        if process == child:
            return status
    return None


def end_all():
    """Kills every process of the container but this one, and waits for them."""
    deadline = time.monotonic() + REAP_SEC
    while time.monotonic() < deadline:
        try:
            os.kill(-1, signal.SIGKILL)
            while os.waitpid(-1, os.WNOHANG)[0] != 0:
                pass
        except (ChildProcessError, ProcessLookupError):
            return
        time.sleep(0.002)
