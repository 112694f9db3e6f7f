"""A measured value, and when its source measured it: arrival is no evidence of age."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from time import monotonic
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Measured(Generic[T]):
    """A value, and two moments of our `time.monotonic`, in seconds.

    `measured_at` is the source's own time, or a moment that the source has proved to come before the
    measurement; None if it has given neither. `received_at` says when the value came, and nothing of its age.
    """

    value: T
    measured_at: float | None
    received_at: float

    @property
    def age(self) -> float:
        """Return the seconds since it was measured; infinite while the source has given no time."""
        return self.age_at(monotonic())

    def age_at(self, now: float) -> float:
        return inf if self.measured_at is None else now - self.measured_at

    def taken_after(self, moment: float) -> bool:
        """Return whether it was surely measured after this moment."""
        return self.measured_at is not None and self.measured_at > moment
