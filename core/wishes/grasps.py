"""From where a hand can take a thing: grasps are drawn and tried, as the search does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from core.motion.frames import as_frame
from core.motion.search import Hints, Miss, Skills
from core.planning_model import Step
from core.scene import Triple
from core.text.plural import plural

_BACK_M = 0.09  # from where the hand comes straight


@dataclass(frozen=True)
class GraspTry:
    """Where the fingers would hold a thing, from where they come there, and what hinders it, or ""."""

    at: Triple
    start: Triple
    words: str = ""

    @property
    def lean(self) -> float:
        """Return by how many degrees the hand leans from straight above."""
        x, y, z = np.subtract(self.start, self.at)
        return float(np.degrees(np.arctan2(np.hypot(x, y), z)))


def try_grasps(skills: Skills[Any], step: Step, following: Step | None, count: int) -> tuple[GraspTry, ...]:
    """Return so many draws of a pick, tried from where things are and fit for the step that follows.

    Fewer where no grasp can be drawn. A drawn grasp has `hand`, its frame in that of the thing.
    """
    node, hints = skills.start(), Hints(following=following)
    at, tries = as_frame(node.bodies[step.args[0]].pose), list[GraspTry]()
    for _ in range(count):
        if (draw := skills.draw(node, step, hints)) is None:
            continue
        hand, came = at @ draw.hand, skills.attempt(node, step, draw)
        grip, start = hand[:3, 3].tolist(), (hand[:3, 3] - _BACK_M * hand[:3, 2]).tolist()
        words = _hindrance(came) if isinstance(came, Miss) else ""
        tries.append(GraspTry(tuple(grip), tuple(start), words))
    return tuple(tries)


def _hindrance(miss: Miss) -> str:
    if miss.check == "reach":
        return "out of the arm's reach"
    if miss.check != "collision":
        return "without a free way"
    touched = " and ".join(sorted(name.replace("_", " ") for name in miss.touched))
    return f"touching {touched or 'the table or the arm'}"


def in_words(tries: Sequence[GraspTry]) -> str:
    """Return how many can be done, and from where the hand comes."""
    if not tries:
        return "no grasp"
    free = [one.lean for one in tries if not one.words]
    leans = dict.fromkeys(f"{lean:.0f}" for lean in (min(free), max(free))) if free else ()
    lean = f", leaning {' to '.join(leans)} degrees" if leans else ""
    return f"{len(free)} of {plural(len(tries), 'grasp')}{lean}"


def why_not(tries: Sequence[GraspTry]) -> str:
    """Return what hinders how many of them, most first; "" if nothing does."""
    whys = Counter(one.words for one in tries if one.words)
    if not tries:
        return "The fingers do not get around it, or could not put it where it goes."
    return f"Not: {', '.join(f'{n} {why}' for why, n in whys.most_common())}." if whys else ""
