"""Effects that a step was predicted to have and that nobody found. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from core.belief import Atom, Belief, BeliefEntry, BeliefSource, Verdict

_FINDS = (BeliefSource.MODEL, BeliefSource.SENSOR, BeliefSource.OPERATOR)


@dataclass(frozen=True)
class MissedEffect:
    """The step of turn `turn` should have made `atom` be `predicted`, and it was found otherwise."""

    turn: int
    atom: Atom
    predicted: Verdict
    withdrawn: bool = False  # a person says that the effect is there


def missed_after(
    missed: tuple[MissedEffect, ...], belief: Belief, changes: Iterable[BeliefEntry]
) -> tuple[MissedEffect, ...]:
    """Return the missed effects after these changes to `belief`.

    A person's answer withdraws the one that it contradicts, and its undo brings it back.
    """
    for change in changes:
        old = belief.entry(change.atom)
        if change.source not in _FINDS:
            continue
        if old.source is BeliefSource.PREDICTED and change.verdict is old.verdict.opposite:
            missed = (*missed, MissedEffect(old.since, change.atom, old.verdict))
        elif change.source is BeliefSource.OPERATOR or _is_undo(old, change):
            missed = tuple(
                replace(m, withdrawn=m.predicted is change.verdict) if m.atom == change.atom else m
                for m in missed
            )
    return missed


def _is_undo(old: BeliefEntry, change: BeliefEntry) -> bool:
    return old.source is BeliefSource.OPERATOR and change.since <= old.since
