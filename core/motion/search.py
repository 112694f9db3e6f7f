"""Find grasps, places and ways for given steps: depth first, with conflict-directed back-jumping.

A step's draws are judged by its tests, then by geometry. A step that finds nothing sends the search back to
the placement that its tests speak of, or to that of what was in the way; else to the step before it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Generic, Protocol, TypeVar

from core.planning_model import Step
from core.scene import Bodies
from core.text.plural import plural
from core.wish import Test, runs_apart, verdicts

_OFTEN, _MOSTLY = 0.25, 0.5  # shares of a step's draws that touch a thing: it is in the way, it must go
_BACKS_OF_STEP, _BACKS = 12, 150
_FALLS = 5  # draws of a step that physics refuses at once, until the search goes back
_AT_ONCE = 256  # draws that a test which runs apart is asked about in one go, at most


@dataclass(frozen=True)
class Miss:
    """Why a draw came to nothing: at "reach", "collision", "way" or "physics", and what was touched."""

    check: str
    touched: frozenset[str] = frozenset()


class Node(Protocol):
    """The world after a step."""

    @property
    def bodies(self) -> Bodies: ...

    @property
    def unsettled(self) -> bool:
        """Return True if something falls by the step: only physics tells where things are then."""

    @property
    def rehearsed(self) -> bool:
        """Return True if physics has led here."""


N = TypeVar("N", bound=Node)


@dataclass
class Hints:
    """What may guide a step's draws: what its tests name, what passed them before, and the step after it.

    `ahead`: what passed the tests of the step after it.
    """

    near: tuple[str, ...] = ()
    passed: list[Any] = field(default_factory=list)
    following: Step | None = None
    ahead: Sequence[Any] = ()


class Skills(Protocol[N]):
    """What a robot knows of its steps. One thread."""

    def start(self) -> N: ...

    def elsewhere(self) -> N:
        """Return the start in another world that is as likely, by how sure it is where things are."""

    def draw(self, node: N, step: Step, hints: Hints) -> Any:
        """Return a random grasp or place; a grasp has `hand`, its frame in that of the thing."""

    def drawn(self, node: N, step: Step, draw: Any) -> Bodies:
        """Return where the things would be, for the tests."""

    def attempt(self, node: N, step: Step, draw: Any) -> N | Miss:
        """Return the world after the step with this draw, by geometry alone."""

    def rehearse(self, before: N, after: N, step: Step) -> N | str:
        """Return the world as the step leaves it in physics, or why it fails."""

    def as_planned(self, planned: N, came: N) -> bool:
        """Return True if a plan may go on from what came of a step as from what was planned."""

    def movable(self, name: str) -> bool:
        """Return True if the robot could clear it away."""


@dataclass(frozen=True)
class Limits:
    """`attempts` of a step's geometry at each visit, and `draws` without any that passes its tests.

    `blind`: all is drawn for where things are at first, so nothing is taken from where the plan puts it.
    `settles`: physics tells where things are after a step by which something falls.
    """

    attempts: int = 25
    draws: int = 60
    backs: int = _BACKS
    blind: bool = False
    settles: bool = False


@dataclass(frozen=True)
class Stuck:
    """Where the search ended: the step's number, its draws by check, what was touched, and what must go."""

    step: int
    draws: int
    checks: Mapping[str, int]
    touched: Mapping[str, int]
    blocker: str = ""  # a thing that has not been moved yet, and was in most draws' way


@dataclass
class Effort:
    """What has been tried so far."""

    samples: int = 0
    backs: int = 0
    jumps: int = 0


class Search(Generic[N]):
    """One search over the given steps. `tests` are of a step's place, by the step's number."""

    def __init__(
        self,
        skills: Skills[N],
        steps: Sequence[Step],
        tests: Mapping[int, Sequence[Test]],
        limits: Limits,
        effort: Effort,
        pulse: Callable[[], None] = lambda: None,
    ) -> None:
        self._skills, self._steps, self._tests, self._limits = skills, tuple(steps), tests, limits
        self._effort, self._pulse = effort, pulse
        following = (None,) * len(self._steps) if limits.blind else (*self._steps[1:], None)
        self._hints = [Hints(named(tests.get(i, ())), [], following[i]) for i in range(len(self._steps))]
        for hints, after in pairwise(() if limits.blind else self._hints):
            hints.ahead = after.passed
        self._visits = [_Visit() for _ in self._steps]
        self._backs = Counter[int]()

    def run(self, nodes: Sequence[N]) -> list[N] | Stuck:
        """Go on from these nodes, the first of which is the start; return them all, or where it is stuck."""
        stack = list(nodes)
        self._visits = [_Visit() for _ in self._steps]
        while len(stack) <= len(self._steps):
            number = len(stack) - 1
            found = self._extend(stack, number)
            if found is not None:
                stack.append(found)
                self._forget(number + 1)
                continue
            stuck, back_to = self._conflict(number)
            self._backs[number] += 1
            exhausted = self._backs[number] > (_BACKS_OF_STEP if number else 4)
            if (
                stuck.blocker
                or not self._limits.backs
                or exhausted
                or self._effort.backs >= self._limits.backs
            ):
                return stuck
            self._effort.backs += 1
            self._effort.jumps += back_to < number - 1
            del stack[back_to + 1 :]
            self._forget(back_to)
        return stack

    def _forget(self, number: int) -> None:
        self._visits[number:] = [_Visit() for _ in self._steps[number:]]

    def _extend(self, stack: list[N], number: int) -> N | None:
        """Draw until a draw holds, or the visit's limits are reached. What physics settles is replaced."""
        step, visit, hints = self._steps[number], self._visits[number], self._hints[number]
        seen = stack[0] if self._limits.blind else stack[-1]  # what a draw is made for
        most = self._limits.draws
        while (
            visit.attempts < self._limits.attempts
            and visit.draws < (20 * most if visit.attempts else most)
            and visit.checks["physics"] < _FALLS
        ):
            self._pulse()
            visit.draws += 1
            draw, passes = self._next(stack[-1], number, seen)
            if draw is None or (self._limits.blind and step in self._steps[:number]):
                visit.attempts += 1
                visit.checks["reach"] += 1
                continue
            if not passes:
                visit.checks["test"] += 1
                continue
            hints.passed.append(draw)
            visit.attempts += 1
            found = self._skills.attempt(stack[-1], step, draw)
            if not isinstance(found, Miss) and found.unsettled and self._limits.settles:
                found = self._settled(stack, found, visit)
            if not isinstance(found, Miss):
                return found
            visit.checks[found.check] += 1
            visit.touched.update(found.touched)
            if visit.back_to is not None:
                break
        return None

    def _settled(self, stack: list[N], found: N, visit: _Visit) -> N | Miss:
        """Rehearse all that has not been yet, up to what was found.

        Where a step before it fails, the search goes back to that one.
        """
        nodes = [*stack, found]
        for number in range(1, len(nodes)):
            if nodes[number].rehearsed:
                continue
            came = self._skills.rehearse(nodes[number - 1], nodes[number], self._steps[number - 1])
            if isinstance(came, str):
                visit.back_to = number - 1 if number < len(stack) else None
                return Miss("physics")
            nodes[number] = came
            stack[:] = nodes[:-1]
        return nodes[-1]

    def _next(self, node: N, number: int, seen: N) -> tuple[Any, bool]:
        """Return the next draw of a step, and whether its tests pass it.

        A test that runs apart is asked about more draws in one go the more it has refused.
        """
        step, tests, visit = self._steps[number], self._tests.get(number, ()), self._visits[number]
        if not visit.judged:
            many = min(1 + visit.checks["test"], _AT_ONCE) if any(map(runs_apart, tests)) else 1
            draws = [self._skills.draw(seen, step, self._hints[number]) for _ in range(many)]
            self._effort.samples += many
            left = [n for n, draw in enumerate(draws) if draw is not None]
            states = {n: self._skills.drawn(node, step, draws[n]) for n in left} if tests else {}
            for test in tests:
                said = verdicts(test, [states[n] for n in left])
                left = [n for n, passes in zip(left, said, strict=True) if passes]
            visit.judged = [(draw, n in left) for n, draw in enumerate(draws)][::-1]
        return visit.judged.pop()

    def _conflict(self, number: int) -> tuple[Stuck, int]:
        """Return what hinders this step, and the number of the step to go back to."""
        visit, moved = self._visits[number], self._steps[number].args[0]
        often = {
            name: n for name, n in visit.touched.items() if n > _OFTEN * visit.attempts and name != moved
        }
        done = {
            step.args[0]: k for k, step in enumerate(self._steps[:number])
        }  # the latest step of each thing
        unmoved = {n: k for n, k in often.items() if n not in done and self._skills.movable(n)}
        for name in (self._steps[number].args[-1], *self._hints[number].near):
            unmoved.pop(name, None)  # what a thing is put into, or near to, is not to be moved away
        blocker = max(unmoved, key=lambda name: unmoved[name], default="")
        if blocker and unmoved[blocker] <= _MOSTLY * visit.attempts:
            blocker = ""
        speak = () if visit.attempts else self._hints[number].near
        culprits = [done[n] for n in (*often, *speak) if n in done and n != moved]
        stuck = Stuck(number, visit.draws, dict(visit.checks), dict(visit.touched), blocker)
        if visit.back_to is not None:
            return stuck, visit.back_to
        return stuck, max(culprits, default=max(0, number - 1))


class _Visit:
    """The draws of one step since the steps before it changed."""

    def __init__(self) -> None:
        self.draws = self.attempts = 0
        self.back_to: int | None = None  # a step before it that fails in physics
        self.judged: list[tuple[Any, bool]] = []  # draws that are yet to be tried, the next one last
        self.checks: Counter[str] = Counter()
        self.touched: Counter[str] = Counter()


def named(tests: Sequence[Test]) -> tuple[str, ...]:
    """Return the things that tests speak of, first the first."""
    return tuple(
        dict.fromkeys(name for test in tests for name in getattr(test, "args", ()) if isinstance(name, str))
    )


_CHECKS = {
    "test": "did not pass its tests",
    "reach": "are out of the arm's reach",
    "collision": "touch something",
    "way": "have no free way to them",
    "physics": "slip or fall in physics",
}


def why_stuck(step: Step, stuck: Stuck) -> str:
    """Return why no sample of this step held, and what would help."""
    if not stuck.draws:
        return f"There is no way to {_of(step)}: nothing was tried, as the search was cut short."
    counts = [
        f"{n} {_CHECKS[check]}" for check, n in sorted(stuck.checks.items(), key=lambda item: -item[1]) if n
    ]
    touched = max(stuck.touched, key=lambda name: stuck.touched[name], default="")
    if touched and 2 * stuck.touched[touched] >= stuck.checks.get("collision", 0):
        counts = [c.replace("something", touched) for c in counts]
    tried = f"Of {plural(stuck.draws, 'sample')} for {_of(step)}, {', '.join(counts)}"
    return f"{tried}. {_remedy(stuck, touched)}"


def _remedy(stuck: Stuck, touched: str) -> str:
    if stuck.blocker:
        return f"Moving {stuck.blocker} away would free it."
    geometry = {check: n for check, n in stuck.checks.items() if check != "test"}
    worst = max(geometry, key=lambda check: geometry[check], default="test")
    if worst in ("collision", "way") and touched:
        return f"More room around {touched} would free it."
    if worst == "test":
        return "A test that allows more places would free it."
    return "Bringing it nearer to the arm would free it."


def _of(step: Step) -> str:
    return f"{step.name}({', '.join(step.args)})"
