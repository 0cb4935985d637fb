"""Repeatable randomness."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")
_MASK = (1 << 64) - 1


class Rng:
    """A small generator seeded by the arrival, so that two runs with one seed send the same bytes.

    `SplitMix64` (Steele, Lea, Flood, 2014): the same sequence as in the project's other SDKs. Not for secrets.
    """

    __slots__ = ("_state",)

    def __init__(self, seed: int) -> None:
        self._state = seed & _MASK

    def next_u64(self) -> int:
        """The next 64 random bits."""
        self._state = (self._state + 0x9E3779B97F4A7C15) & _MASK
        z = self._state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
        return z ^ (z >> 31)

    def below(self, bound: int) -> int:
        """A number from 0 to below `bound`, at most 2^64; 0 where `bound` is 0. The bias is below `bound` ÷ 2^64."""
        return (self.next_u64() * bound) >> 64

    def unit(self) -> float:
        """A number from 0 to below 1, in steps of 2^-53."""
        return (self.next_u64() >> 11) / (1 << 53)

    def chance(self, probability: float) -> bool:
        """True with this probability, 0 to 1."""
        return self.unit() < probability

    def pick(self, sequence: Sequence[T]) -> T | None:
        """One of these; `None` of nothing."""
        at = self.below(len(sequence))
        return sequence[at] if sequence else None
