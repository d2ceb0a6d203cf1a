"""Calls one function of a program: `python3 call_function.py MODULE FUNCTION RESULT`, in the program's folder.

The function's argument is what stands on standard input. The text that it returns goes to the descriptor RESULT in
UTF-8, and the byte 0xFF, which no UTF-8 holds, says that it is whole. Whoever holds that descriptor is the program
itself, so what is written there is what it returns. Nothing is imported here that the program may have a module of its
own for.
"""

import os
import sys


def main():
    module, function = sys.argv[1:3]
    result = int(sys.argv[3])
    # Other programs that this one starts have nothing to return.
    os.set_inheritable(result, False)
    process = os.getpid()
    text = sys.stdin.buffer.read().decode("utf-8")
    sys.argv = [module + ".py"]
    sys.path[0] = os.getcwd()
    try:
        returned = call(module, function, text)
        code = 0 if os.getpid() != process or report(returned, f"{module}.{function}", result) else 1
    except SystemExit:
        raise
    except BaseException as error:
        error = error.with_traceback(without_own_frames(error.__traceback__))
        sys.excepthook(type(error), error, error.__traceback__)
        code = 1
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except Exception:
            pass
    # At once: threads that still run are no part of the answer.
    os._exit(code)


def call(module, function, text):
    found = getattr(__import__(module), function, None)
    if not callable(found):
        sys.exit(f"{module}.py defines no function {function}")
    return found(text)


def without_own_frames(traceback):
    while traceback is not None and traceback.tb_frame.f_code.co_filename == __file__:
        traceback = traceback.tb_next
    return traceback


def report(returned, name, result):
    """Passes on what the function returned; says why where it cannot."""
    if not isinstance(returned, str):
        print(f"{name} returned {type(returned).__name__}, not str", file=sys.stderr)
        return False
    try:
        data = memoryview(str.encode(returned, "utf-8") + b"\xff")
    except UnicodeEncodeError as error:
        print(f"{name} returned a text that is no Unicode: {error}", file=sys.stderr)
        return False
    while data:
        data = data[os.write(result, data):]
    return True


# A process that the program starts by multiprocessing's "spawn" loads this file under another name.
if __name__ == "__main__":
    main()
