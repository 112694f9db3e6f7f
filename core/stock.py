"""Define the things at hand that a robot perceives beyond its problem."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from core.belief import Atom


@dataclass(frozen=True)
class StockItem:
    """A thing at hand that the problem need not have: its object name, its kind, and what is seen of it.

    `kind` is a PDDL name that a change may declare as a type; `sort` is the type of the domain that it is in
    any case, such as "thing".
    """

    name: str
    kind: str
    sort: str = "object"
    facts: tuple[Atom, ...] = ()


@runtime_checkable
class KnowsStock(Protocol):
    """A robot that perceives things beyond its problem."""

    def stock(self) -> tuple[StockItem, ...]:
        """Return the things at hand, in a fixed order."""
