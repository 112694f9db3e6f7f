"""Whole episodes for tests: the program's own parts, no pictures, no database."""

from __future__ import annotations

from dataclasses import dataclass

from core import events as ev
from core.cancel import Cancel
from core.config import Parts, Settings
from core.domains import Folder, Perception
from core.episode import run_parts
from core.facts import Atom, Belief
from core.gate import Automatic
from main import make


@dataclass(frozen=True)
class Outcome:
    """How an episode ended, and what was believed of what nobody can see, against the truth."""

    ended: ev.Ended
    steps: int
    replans: int
    questions: int
    unseen: frozenset[Atom]  # atoms that no picture and no sense shows, believed wrongly at the end

    @property
    def true(self) -> bool:
        return self.ended.true_goal is True


def episode(settings: Settings) -> Outcome:
    parts = make(settings)
    try:
        return _outcome(parts, events_of(parts))
    finally:
        parts.close()


def events_of(parts: Parts) -> list[ev.Event]:
    return list(run_parts(parts, Automatic(), Cancel()))


def _outcome(parts: Parts, events: list[ev.Event]) -> Outcome:
    belief = Belief.given(parts.task.problem.state)
    for event in events:
        if isinstance(event, ev.Believed):
            belief = belief.holding(event.changes)
    ended = events[-1]
    assert isinstance(ended, ev.Ended)
    wrong = belief.state ^ parts.robot.truth()  # type: ignore[attr-defined]
    return Outcome(
        ended,
        sum(isinstance(e, ev.Acted) for e in events),
        sum(isinstance(e, ev.Planned) for e in events) - 1,
        sum(len(e.queries) for e in events if isinstance(e, ev.Asked)),
        frozenset(a for a in wrong if _unseen(parts.folder, a)),
    )


def _unseen(folder: Folder, atom: Atom) -> bool:
    """No picture and no sense shows it, and it is more than the planner's books."""
    known = folder.perception(atom.predicate)
    return known is Perception.NONE and atom.predicate not in folder.bookkeeping
