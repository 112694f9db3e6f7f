"""Compare what two episodes believe at the same place. Pure."""

from __future__ import annotations

from app.presentation.likelihood import fine_percent
from core.belief import Atom, Belief
from core.episode_state import EpisodeState
from core.text.untrusted_text import one_line

APART = 0.2  # of two probabilities that people should know of


def belief_differences(left: Belief, right: Belief) -> tuple[Atom, ...]:
    """Return the atoms with another verdict, or with probabilities far apart, sorted."""
    atoms = {e.atom for e in left} | {e.atom for e in right}
    return tuple(atom for atom in sorted(atoms) if _differs(atom, left, right))


def _differs(atom: Atom, left: Belief, right: Belief) -> bool:
    if left.verdict(atom) is not right.verdict(atom):
        return True
    a, b = left.probability(atom), right.probability(atom)
    return a is not None and b is not None and abs(a - b) >= APART


def knowledge_differences(left: EpisodeState, right: EpisodeState) -> str:
    """Return what was learnt about the domain on one side only, "" if both know the same."""
    sides = [{learnt.change for learnt in state.knowledge} for state in (left, right)]
    said = []
    for word, new in (("left", sides[0] - sides[1]), ("right", sides[1] - sides[0])):
        changes = sorted(change.describe() for change in new if change.lasting)
        said += [f"learnt on the {word}: {one_line('; '.join(changes), 300)}"] if changes else []
    return " · ".join(said)


def goal_differences(left: EpisodeState, right: EpisodeState) -> str:
    """Return how likely the goal is on either side, such as "goal 67 %, 12 %"; "" if neither says."""
    known = [state.goal_probabilities for state in (left, right)]
    if not any(known):
        return ""
    return "goal " + ", ".join(fine_percent(points[-1].probability) if points else "–" for points in known)
