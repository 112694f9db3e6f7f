"""What goes wrong, and when: situations scaled by openness, and draws that owe nothing to earlier draws.

A draw depends on the seed, the step and how often that step was tried before. So two methods that do
the same step for the same time meet the same luck, whatever else they did on the way.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from hashlib import blake2b

from core.config import OPENNESS_LIMIT
from core.domains import Situation
from core.errors import BadValue, UnknownName


def draw(seed: int, what: str, tries: int) -> float:
    """A number in [0, 1), the same on every machine."""
    digest = blake2b(f"{seed}\n{what}\n{tries}".encode(), digest_size=7).digest()
    return int.from_bytes(digest) / 2**56


def scaled(
    situations: Iterable[Situation], openness: float, rates: Mapping[str, float] | None = None
) -> tuple[Situation, ...]:
    """The situations with the rates they have at this openness: none at 0, Table 6 at 1.

    `rates` replaces single rates (at openness 1) by the situation's name. Raises BadValue.
    """
    if not 0 <= openness <= OPENNESS_LIMIT:
        raise BadValue(
            f"Openness {openness:g} is outside its range: 0 (nothing goes wrong) to {OPENNESS_LIMIT:g}, "
            "and 1 is the paper's Table 6."
        )
    chosen = rates or {}
    result = tuple(replace(s, rate=chosen.get(s.name, s.rate) * openness) for s in situations)
    total = sum(s.rate for s in result)
    if total > 1 or any(s.rate < 0 for s in result):
        names = ", ".join(s.name for s in result)
        raise BadValue(f"The rates of {names} add up to {total:g}: lower them or the openness, to at most 1.")
    return result


def check_names(rates: Mapping[str, float], situations: Iterable[Situation]) -> None:
    """Raises UnknownName for a rate that belongs to no situation."""
    known = {s.name for s in situations}
    for name in rates:
        if name not in known:
            raise UnknownName("situation", name, known)


def pick(situations: Sequence[Situation], luck: float) -> Situation | None:
    """The situation that this luck (in [0, 1)) falls on. At most one happens in a step."""
    for situation in situations:
        luck -= situation.rate
        if luck < 0:
            return situation
    return None
