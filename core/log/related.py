"""Group what was said about pictures, so that no episode and no picture is in two groups. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import Protocol, TypeVar


class OfPicture(Protocol):
    @property
    def episode(self) -> str: ...
    @property
    def picture(self) -> str: ...


T = TypeVar("T", bound=OfPicture)


def related(labels: Sequence[T]) -> list[list[T]]:
    """Return the labels by group of episodes that share a picture, as forks do.

    The order is decided by the episodes' ids alone, but the largest group comes first.
    """
    first_of: dict[str, str] = {}  # the group that a picture or an episode belongs to

    def root(name: str) -> str:
        while (up := first_of.setdefault(name, name)) != name:
            name = up
        return name

    for label in labels:
        first_of[root(f"picture {label.picture}")] = root(label.episode)
    groups: dict[str, list[T]] = {}
    for label in labels:
        groups.setdefault(root(label.episode), []).append(label)
    order = sorted(groups.values(), key=lambda group: sha256(min(x.episode for x in group).encode()).digest())
    if order:
        order.insert(0, order.pop(max(range(len(order)), key=lambda n: len(order[n]))))
    return order
