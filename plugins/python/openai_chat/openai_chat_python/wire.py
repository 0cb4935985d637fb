"""What a server sends, as far as it matters here. Servers differ: what is not looked at may have any shape, and what is
may be absent or null."""

import json
from typing import Any

from engine_sdk import Failed

# What only says how the rest is to be read.
_WORDS = ("type", "id", "index")
_TOKENS = ("prompt_tokens", "completion_tokens")


class Unexpected(Exception):
    """Something else than a chunk or an answer."""


class Chunk:
    """A chunk of a stream, or a whole answer."""

    __slots__ = ("completion_tokens", "error", "finished", "prompt_tokens", "reasoning", "text", "tools")

    def __init__(self, data: str | bytes) -> None:
        """Raises: `Unexpected`."""
        try:
            chunk = json.loads(data)
        except (ValueError, RecursionError):
            raise Unexpected from None
        if not isinstance(chunk, dict):
            raise Unexpected
        self.error = _error(chunk)
        # Text that people see, thoughts, calls of tools: whether there is any; whether a choice says why it ended.
        self.text = self.reasoning = self.tools = self.finished = False
        for choice in _many(chunk.get("choices")):
            self.finished = self.finished or _present(choice.get("finish_reason"))
            for delta in (_one(choice.get("delta")), _one(choice.get("message"))):
                get = delta.get
                self.text = self.text or _present(get("content")) or _present(get("refusal"))
                thoughts = _present(get("reasoning_content")) or _present(get("reasoning"))
                self.reasoning = self.reasoning or thoughts
                self.tools = self.tools or _present(get("tool_calls")) or _present(get("function_call"))
        usage = _one(chunk.get("usage"))
        self.prompt_tokens, self.completion_tokens = (_count(usage.get(name)) for name in _TOKENS)

    @property
    def output(self) -> bool:
        """Whether the model has said anything in it."""
        return self.text or self.reasoning or self.tools


def _one(value: Any) -> dict[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise Unexpected
    return value


def _many(value: Any) -> list[dict[str, Any]]:
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
        raise Unexpected
    return value


def _count(value: Any) -> int | None:
    if value is None:
        return None
    if type(value) is not int or not 0 <= value < 2**64:
        raise Unexpected
    return value


def _present(value: Any) -> bool:
    """Whether a value has something in it: a text that is not empty, or a list or object that holds such a one. Null,
    flags and numbers have not."""
    if isinstance(value, str):
        return value != ""
    if isinstance(value, list):
        return any(map(_present, value))
    if isinstance(value, dict):
        return any(_present(each) for key, each in value.items() if key not in _WORDS)
    return False


def _error(chunk: dict[str, Any]) -> Failed | None:
    """The failure for the error that it is or holds: its type, else its code where that is a word."""
    error = chunk.get("error")
    if error is None:
        # Of servers whose error is the whole object: `{"object": "error", "type": ...}`.
        if chunk.get("object") != "error":
            return None
        error = chunk
    if not isinstance(error, dict):
        return Failed("error")
    words = [word for word in (error.get("type"), error.get("code")) if isinstance(word, str)]
    return Failed.quoting("error", words[0] if words else "")
