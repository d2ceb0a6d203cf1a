"""The language model of a scaffold, and what is left of its time, calls and money.

    from llm_executor import execute_llm, resources

The scaffold has no network and no key. Its requests leave through a Unix socket, and whoever runs it makes the call.
Several threads, and processes that the scaffold starts, may ask at once.
"""

import base64
import json
import os
import socket
from typing import Dict, Optional

from llm_interfaces import LLMInterface

# The prompt and the system prompt together, in UTF-8.
MAXIMUM_PROMPT_BYTES = 2_000_000

# Set where the scaffold is run. "@" stands for a name in Linux's abstract namespace, anything else is a path.
_ADDRESS = os.environ.get("REPRISE_MODEL_SOCKET", "")


class SandboxLLM(LLMInterface):
    """The model outside, behind a socket: one connection a request, one line of JSON each way."""

    def generate_response(self, prompt: str, system_prompt: Optional[str] = None) -> str:
        for name, value in (("prompt", prompt), ("system_prompt", system_prompt)):
            if not isinstance(value, str) and not (name == "system_prompt" and value is None):
                raise TypeError(f"{name} must be a str, not {type(value).__name__}")
        texts = [None if text is None else text.encode("utf-8", "replace") for text in (prompt, system_prompt)]
        size = sum(len(text) for text in texts if text is not None)
        if size > MAXIMUM_PROMPT_BYTES:
            raise ValueError(f"a prompt may have {MAXIMUM_PROMPT_BYTES} bytes at most; this one has {size}")
        if not _ADDRESS:
            raise RuntimeError("there is no language model here; `npx reprise scaffold run` has one for this program")
        packed = [None if text is None else base64.b64encode(text).decode("ascii") for text in texts]
        reply = _ask({"prompt": packed[0], "system_prompt": packed[1]})
        return base64.b64decode(reply["text"]).decode("utf-8")

    def resources(self) -> Dict[str, Optional[float]]:
        if not _ADDRESS:
            return {"seconds": None, "calls": 0, "usd": None}
        reply = _ask({"resources": True})
        return {name: reply[name] for name in ("seconds", "calls", "usd")}


def execute_llm(prompt: str, system_prompt: Optional[str] = None) -> str:
    """Sends one prompt to the language model and returns its reply. It remembers nothing from call to call.

    Raises RuntimeError where there is no reply: no model, no call left, or an error of the model. Raises ValueError
    where the prompt is too large.
    """
    return _MODEL.generate_response(prompt, system_prompt)


def resources() -> Dict[str, Optional[float]]:
    """What is left of this run: `seconds` until it is ended, `calls` of the model, and `usd`. None: no limit."""
    return _MODEL.resources()


_MODEL = SandboxLLM()


def _ask(request):
    line = json.dumps(request).encode("ascii") + b"\n"
    reply = bytearray()
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.connect("\0" + _ADDRESS[1:] if _ADDRESS.startswith("@") else _ADDRESS)
            connection.sendall(line)
            while not reply.endswith(b"\n"):
                data = connection.recv(65536)
                if not data:
                    raise ConnectionResetError("it was closed")
                reply += data
    except OSError as error:
        raise RuntimeError(f"the connection to the language model broke: {error}") from None
    message = json.loads(reply)
    if "error" in message:
        raise RuntimeError(message["error"])
    return message
