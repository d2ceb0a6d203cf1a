"""What a language model is to a scaffold."""

from abc import ABC, abstractmethod
from typing import Dict, Optional


class LLMInterface(ABC):
    """A language model that answers one prompt at a time and remembers nothing in between."""

    @abstractmethod
    def generate_response(self, prompt: str, system_prompt: Optional[str] = None) -> str:
        """The model's reply, as text.

        Raises RuntimeError where there is none, for example because no call is left.
        """

    @abstractmethod
    def resources(self) -> Dict[str, Optional[float]]:
        """What is left: `seconds` until the program is ended, `calls`, and `usd`. None: no limit."""
