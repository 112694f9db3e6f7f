"""What a person wishes, as a model reads it: steps of the plan, and tests of where things go."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from core.planning_model import Literal, Step
from core.scene import Bodies

Test = Callable[[Bodies], bool]  # a module's function, whose `args` are the things that it speaks of


def runs_apart(test: Test) -> bool:
    """Return True of a test that runs in a process of its own, so that each question to it costs time."""
    return hasattr(test, "verdicts")


def verdicts(test: Test, states: Sequence[Bodies]) -> tuple[bool, ...]:
    """Return what a test says of each of these states. Raises BadValue where a written one says nothing."""
    at_once = getattr(test, "verdicts", None)
    return at_once(states) if at_once and states else tuple(bool(test(state)) for state in states)


@dataclass(frozen=True)
class Wish:
    """A partial plan, a goal in symbols, and tests: of places, by their step's number, and of the end."""

    words: str
    steps: tuple[Step, ...]
    goal: tuple[Literal, ...]
    tests: Mapping[int, tuple[Test, ...]] = field(default_factory=dict)
    goal_tests: tuple[Test, ...] = ()
    descriptions: tuple[str, ...] = ()  # of each step: what is to be so after it
    done: bool = False  # its steps are; whether its end is as wished is left to be seen
    kept: frozenset[int] = frozenset()  # steps that need not be done again, if it is not

    def since(self, first: int, but: Collection[int] = ()) -> Wish:
        """Return what is left of it from this step on, but for some steps."""
        left = [number for number in range(first, len(self.steps)) if number not in but]
        return replace(
            self,
            steps=tuple(self.steps[number] for number in left),
            tests={n: self.tests[number] for n, number in enumerate(left) if number in self.tests},
            descriptions=tuple(self.descriptions[number] for number in left if self.descriptions),
        )

    def taken_before(self, number: int) -> int:
        """Return the number of the step that takes the thing of this one; its own if none does."""
        taken = Step("pick", self.steps[number].args[:1])
        return next((n for n in range(number, -1, -1) if self.steps[n] == taken), number)

    def redone_from(self, bodies: Bodies) -> int:
        """Return from which step on to do it again, as its end is not as wished: 0 where no test tells."""
        named = ({*getattr(test, "args", ())} for test in self.goal_tests if not test(bodies))
        places = [n for n, step in enumerate(self.steps) if step.name.startswith("place")]
        last = (max((n for n in places if self.steps[n].args[0] in things), default=0) for things in named)
        return self.taken_before(min(last, default=0)) if self.steps else 0


@dataclass(frozen=True)
class WishOptions:
    """How a wish is planned; the paper's loop and its ablations are other options."""

    samples: int = 25  # of a step at each visit
    skeletons: int = 8
    most_samples: int = 100_000  # of them all together
    back: bool = True  # within a skeleton
    partial_plan: bool = True  # the wish's steps count
    tests: bool = True
    planner: bool = True  # else the wish's steps are the plan
    blind: bool = False  # each whole plan is drawn in the scene at first, as by a program that was given it
    rehearsal: bool = True
    worlds: int = (
        0  # other ones, as likely by the scene's spreads, in which a plan is tried before it is taken
    )
