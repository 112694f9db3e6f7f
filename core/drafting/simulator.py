"""Who says what a step does: the world itself, or the world as somebody sees it who is sometimes wrong."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from random import Random
from typing import Protocol

from core.drafting.overruled import Rulings
from core.drafting.replies import Run, read_steps
from core.drafting.steps import Walk
from core.drafting.world import Beyond, State, World, do_word


class Simulator(Protocol):
    """The paper's SimVLM: it describes a picture and says how steps end.

    `proven` is the world if it never errs, so that a draft can be compared with it state by state.
    """

    @property
    def proven(self) -> World | None: ...

    @property
    def scene(self) -> str: ...

    @property
    def words(self) -> Sequence[str]: ...

    def run(self, words: Sequence[str]) -> Run: ...

    def walk(self, length: int, draw: Random) -> Walk:
        """Return a random walk that it says can be done; shorter if nothing is left to do."""


def reaches_goal(simulator: Simulator, words: Sequence[str] | None) -> bool:
    """Return True if it says that all words can be done and the goal is reached; False without words."""
    run = simulator.run(words) if words else Run(None)
    return run.goal is True and run.done == len(words or ())


class ModelSimulator:
    """A model that looks at the picture. `ask(purpose, **values)` returns its reply to a prompt."""

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
        said: Walk = ()
        while len(said) < length:
            tries = ((*said, word) for word in draw.sample(self.words, len(self.words)))
            longer = next((walk for walk in tries if self.run(walk).done == len(walk)), None)
            if longer is None:
                break
            said = longer
        return said


class WorldSimulator:
    """The world; with `turned`, it always says the wrong thing of that share of states and words."""

    def __init__(self, world: World, turned: float = 0.0, seed: object = 0) -> None:
        self.world, self._turned, self._seed = world, turned, seed
        self.proven = None if turned else world

    @property
    def scene(self) -> str:
        return self.world.scene

    @property
    def words(self) -> Sequence[str]:
        return self.world.words

    def run(self, words: Sequence[str]) -> Run:
        state = self.world.first
        for done, word in enumerate(words):
            possible, after = self._do(state, word)
            if isinstance(after, Beyond):
                return Run(done + after.possible, open=True)
            if not possible:
                return Run(done, False, after if isinstance(after, str) else "it cannot be done there")
            state = state if isinstance(after, str) else after
        return Run(len(words), self.world.reached(state))

    def walk(self, length: int, draw: Random) -> Walk:
        state, said, words = self.world.first, list[str](), self.world.words
        for _ in range(length):
            for word in draw.sample(words, len(words)):
                possible, after = self._do(state, word)
                if possible:
                    said.append(word)
                    state = state if isinstance(after, str) else after
                    break
            else:
                break
        return tuple(said)

    def _do(self, state: State, word: str) -> tuple[bool, State | str]:
        after = do_word(self.world, state, word)
        possible = not isinstance(after, str)
        if self._turned:
            told = [sorted(part) if isinstance(part, frozenset) else part for part in state]
            if Random(f"{self._seed} {told} {word}").random() < self._turned:
                possible = not possible
        return possible, after
