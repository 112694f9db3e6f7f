"""What people say of walks on which both sides differ, laid over the simulation: it counts as they say.

It holds for the step in its state, whatever led there; of a photograph, whose states nobody knows, for the
walk and all that begin with it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from core.drafting.steps import Walk
from core.drafting.world import Beyond, State, World
from core.stop_token import StopToken
from core.text.plural import plural


class Said(Enum):
    """What a person says of a walk on which both sides differ; its key, and in words."""

    DRAFT = "the draft is right"
    SIMULATION = "the simulation is right"
    BOTH = "both are wrong"
    UNKNOWN = "cannot say"


@dataclass(frozen=True)
class Ruling:
    """What `by` says of the last step of a walk; with `goal`, of whether the goal is reached after it."""

    said: Said
    draft_can: bool
    by: str
    goal: bool = False

    @property
    def truth(self) -> bool | None:
        """Return whether the step can be done, or the goal is reached; None counts for neither side."""
        agrees = {Said.DRAFT: True, Said.SIMULATION: False}.get(self.said)
        return agrees if agrees is None else self.draft_can == agrees


Rulings = Mapping[tuple[Walk, bool], Ruling]  # by the walk, and whether it is about the goal


def sentence(rulings: Rulings) -> str:
    """Return what people said, and so does not count of the simulation any more; "" for nothing."""
    by = " and ".join(dict.fromkeys(r.by for r in rulings.values() if r.said is not Said.SIMULATION))
    ways = {f"as {by} said, not as simulated": 0, f"left out, as {by} said": 0, "as simulated": 0}
    counts, left, agreed = ways
    for one in rulings.values():
        ways[agreed if one.said is Said.SIMULATION else left if one.truth is None else counts] += 1
    return "; ".join(f"{plural(count, 'step')} {way}" for way, count in ways.items() if count)


class OverruledWorld:
    """A world as people overruled it, in which nothing can be done any more once `cancel` has ended."""

    def __init__(self, world: World) -> None:
        self._world, self.cancel = world, StopToken()
        self._steps: dict[tuple[State, str], Ruling] = {}
        self._goals: dict[State, Ruling] = {}

    def __getattr__(self, name: str) -> object:
        return getattr(self._world, name)

    def overrule(self, rulings: Rulings) -> None:
        """Take these in place of all before."""
        self._steps, self._goals = {}, {}
        for (walk, goal), ruling in rulings.items():
            state = self._after(walk if goal else walk[:-1])
            if state is not None and goal:
                self._goals[state] = ruling
            elif state is not None:
                self._steps[state, walk[-1]] = ruling

    def _after(self, walk: Walk) -> State | None:
        state = self._world.first
        for word in walk:
            after = self._world.do(state, word)
            if isinstance(after, str):
                return None
            state = after
        return state

    def ruling(self, walk: Walk, goal: bool) -> Ruling | None:
        """Return what counts of the last step of a walk, or of the goal after it, in place of the world."""
        state = self._after(walk if goal else walk[:-1])
        if state is None:
            return None
        return self._goals.get(state) if goal else self._steps.get((state, walk[-1]))

    def do(self, state: State, word: str) -> State | str:
        """Return what the world does, unless a person says otherwise. Raises Cancelled."""
        self.cancel.check()
        after, ruling = self._world.do(state, word), self._steps.get((state, word))
        if ruling is None or ruling.truth is (not isinstance(after, str)):
            return after
        return f"{ruling.by} says so" if ruling.truth is False else Beyond(ruling.truth or False)

    def reached(self, state: State) -> bool | None:
        return self._goals[state].truth if state in self._goals else self._world.reached(state)
