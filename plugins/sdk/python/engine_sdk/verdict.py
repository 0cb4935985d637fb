"""How an iteration ends. A flow that returns ends as `ok`; one that raises a `Stop` ends as that says."""

from __future__ import annotations

from . import _cases
from ._cases import Failure

TEXT_LIMIT = 200  # bytes of a failure's text; the engine takes no more
QUOTE_LIMIT = 100  # bytes of a quoted text, and of a word in it
WORD_LIMIT = 24


class Stop(Exception):
    """Ends the iteration early. Raise one of its kinds."""

    def _verdict(self) -> object:
        raise NotImplementedError("raise Failed, Cancelled or FailedBy")


class Cancelled(Stop):
    """Ended early because the plan said so; no failure."""

    def _verdict(self) -> object:
        return CANCELLED


class Failed(Stop):
    """The plugin's own judgement, counted as `check: <text>`.

    Keep the texts short, few and constant: no ids, no numbers. At most 200 bytes, the rest is cut.
    """

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text

    @classmethod
    def quoting(cls, what: str, text: str) -> Failed:
        """A failure that quotes what the peer said, as `<what>: <text>`, reduced so that texts which differ in ids and
        numbers alone are one: words with a digit or an `@` and words of more than 24 bytes become `#`, and all is cut
        after 100 bytes. Where nothing is left to quote, `<what>` alone."""
        reduced = _reduced(text)
        return cls(f"{what}: {reduced}" if reduced else what)

    def _verdict(self) -> object:
        text = self.text.encode("utf-8", "replace")[:TEXT_LIMIT].decode("utf-8", "ignore")
        return _cases.VerdictFailed(text)


class FailedBy(Stop):
    """The engine's reason for that exchange stands: its failure, or `http_<status>` where it was answered."""

    def __init__(self, exchange: int) -> None:
        super().__init__(exchange)
        self.exchange = exchange

    def _verdict(self) -> object:
        return _cases.VerdictFailedBy(self.exchange)


class ExchangeFailed(FailedBy):
    """An exchange that came to no answer. Not caught, it ends the iteration by the engine's reason."""

    def __init__(self, exchange: int, failure: Failure) -> None:
        super().__init__(exchange)
        self.reason = failure.reason
        """The engine's reason, such as `timeout_total`. An open set: match what you know, treat the rest alike."""
        self.detail = failure.detail
        """For people: what was seen."""

    def __str__(self) -> str:
        return f"{self.reason}: {self.detail}"


OK = _cases.VerdictOk()
CANCELLED = _cases.VerdictCancelled()


def ensure(condition: bool, text: str) -> None:
    """Ends the iteration as failed with this text unless the condition holds: `ensure(total == 3, "wrong total")`.

    Raises: `Failed`.
    """
    if not condition:
        raise Failed(text)


def _reduced(text: str) -> str:
    """A text without its ids and numbers."""
    words: list[str] = []
    length = 0
    for word in text.split():
        encoded = word.encode("utf-8", "replace")
        varies = len(encoded) > WORD_LIMIT or any(48 <= byte <= 57 or byte == 64 for byte in encoded)
        if varies and words and words[-1] == "#":
            continue
        size = 1 if varies else len(encoded)
        if length + size >= QUOTE_LIMIT:
            break
        words.append("#" if varies else word)
        length += size + 1
    return "" if words == ["#"] else " ".join(words)
