"""Who says what a step does: the world, the world as somebody sees it who is sometimes wrong, or a model.

What people say of walks on which both sides differ is laid over it, and counts as they say. It holds for the
step in its state, whatever led there; of a photograph, whose states nobody knows, for the walk and all that
begin with it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from random import Random

from core.drafting.replies import Run, read_steps
from core.drafting.steps import Walk
from core.drafting.world import Beyond, State, World, do_word
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


@dataclass(frozen=True)
class ErringWorld:
    """A world as a simulating model sees it that always says the wrong thing of some states and words."""

    world: World
    wrong: float  # the share of them
    seed: int

    def __getattr__(self, name: str) -> object:
        return getattr(self.world, name)

    def do(self, state: State, word: str) -> State | str:
        after = self.world.do(state, word)
        told = [sorted(part) if isinstance(part, frozenset) else part for part in state]
        if Random(f"{self.seed} {told} {word}").random() >= self.wrong:
            return after
        return state if isinstance(after, str) else "it cannot be done there"


def reaches_goal(simulator: Simulator, words: Sequence[str] | None) -> bool:
    """Return True if it says that all words can be done and the goal is reached; False without words."""
    run = simulator.run(words) if words else Run(None)
    return run.goal is True and run.done == len(words or ())


class ModelSimulator:
    """A model that looks at the picture: the paper's SimVLM, which describes it and says how steps end.

    `ask(purpose, **values)` returns its reply to a prompt. `proven`, the world if it never errs, so that a
    draft can be compared with it state by state, is there for none.
    """

    proven = None

    def __init__(self, words: Sequence[str], ask: Callable[..., str]) -> None:
        self.words, self._ask = words, ask
        self._known: dict[Walk, Run] = {}
        self.overruled: Rulings = {}

    @cached_property
    def scene(self) -> str:
        return self._ask("scene")

    def run(self, words: Sequence[str]) -> Run:
        """Ask what becomes of the words; a reply with a step missing or too many says nothing."""
        key = tuple(words)
        ruling = self.overruled.get((key, False))
        if key not in self._known and ruling is not None and ruling.truth:
            return Run(len(key))  # a person said so: nobody is asked
        if key not in self._known:
            steps = "\n".join(f"{n}: {word}" for n, word in enumerate(words, 1))
            reply = self._ask("simulate", scene=self.scene, steps=steps)
            self._known[key] = read_steps(reply, len(words))
        return self._ruled(key, self._known[key])

    def _ruled(self, walk: Walk, run: Run) -> Run:
        """Return what became of a walk, as far as no person says otherwise."""
        for n in range(1, min(len(walk), (run.done or 0) + 1) + 1) if self.overruled else ():
            ruling = self.overruled.get((walk[:n], False))
            if ruling is None or ruling.truth is (n <= (run.done or 0)):
                continue
            if ruling.truth is False:
                return Run(n - 1, False, f"{ruling.by} says so")
            return Run(n - 1 + bool(ruling.truth), open=True)
        return run

    def walk(self, length: int, draw: Random) -> Walk:
        """Return a random walk that it says can be done; shorter if nothing is left to do."""
        said: Walk = ()
        while len(said) < length:
            tries = ((*said, word) for word in draw.sample(self.words, len(self.words)))
            longer = next((walk for walk in tries if self.run(walk).done == len(walk)), None)
            if longer is None:
                break
            said = longer
        return said


class WorldSimulator:
    """The world in the place of such a model, or what somebody sees of it who errs."""

    def __init__(self, world: World) -> None:
        self.proven = world

    @property
    def scene(self) -> str:
        return self.proven.scene

    @property
    def words(self) -> Sequence[str]:
        return self.proven.words

    def run(self, words: Sequence[str]) -> Run:
        state = self.proven.first
        for done, word in enumerate(words):
            after = do_word(self.proven, state, word)
            if isinstance(after, Beyond):
                return Run(done + after.possible, open=True)
            if isinstance(after, str):
                return Run(done, False, after)
            state = after
        return Run(len(words), self.proven.reached(state))

    def walk(self, length: int, draw: Random) -> Walk:
        state, said, words = self.proven.first, list[str](), self.proven.words
        for _ in range(length):
            for word in draw.sample(words, len(words)):
                after = do_word(self.proven, state, word)
                if not isinstance(after, str):
                    said.append(word)
                    state = after
                    break
            else:
                break
        return tuple(said)


Simulator = WorldSimulator | ModelSimulator
