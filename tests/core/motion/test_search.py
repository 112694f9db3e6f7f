"""The search over things on a line: each step puts a thing at a whole place from 0 to 9."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import pytest

from core.motion.search import Effort, Hints, Limits, Miss, Search, Stuck, why_stuck
from core.planning_model import Step
from core.scene import Bodies, Body


def at(place: float) -> Body:
    return Body((place, 0, 0, 0, 0, 0), (place, 0, 0), (place, 0, 0))


@dataclass(frozen=True)
class Line:
    bodies: Bodies
    unsettled: bool = False
    rehearsed: bool = False


class LineSkills:
    """Two things cannot be at one place."""

    def __init__(self, **places: int) -> None:
        self._start = Line({name: at(place) for name, place in places.items()})
        self._random = random.Random(1)

    def start(self) -> Line:
        return self._start

    def draw(self, node: Line, step: Step, hints: Hints) -> int | None:
        return None if step.name == "reach" else self._random.randrange(10)

    def drawn(self, node: Line, step: Step, draw: int) -> Bodies:
        return {**node.bodies, step.args[0]: at(draw)}

    def attempt(self, node: Line, step: Step, draw: int) -> Line | Miss:
        hit = frozenset(n for n, b in node.bodies.items() if b.pose[0] == draw and n != step.args[0])
        return Miss("collision", hit) if hit else Line(self.drawn(node, step, draw))

    def rehearse(self, before: Line, after: Line, step: Step) -> Line | str:
        return after

    def as_planned(self, planned: Line, came: Line) -> bool:
        return True

    def movable(self, name: str) -> bool:
        return name != "rock"


def put(name: str) -> Step:
    return Step("put", (name, "line"))


def right_of(thing: str, other: str, bodies: Bodies) -> bool:
    return bodies[thing].pose[0] > bodies[other].pose[0] + 7


def exactly(thing: str, place: int, bodies: Bodies) -> bool:
    return bodies[thing].pose[0] == place


def is_odd(thing: str, bodies: Bodies) -> bool:
    return bodies[thing].pose[0] % 2 == 1


def is_six_or_eight(thing: str, bodies: Bodies) -> bool:
    return bodies[thing].pose[0] in (6, 8)


def at_one_place(thing: str, other: str, place: int, bodies: Bodies) -> bool:
    return exactly(thing, place, bodies) and exactly(other, place, bodies)


def searched(
    skills: LineSkills, steps: str, tests: Mapping[int, tuple[partial[bool], ...]]
) -> tuple[object, Effort]:
    effort = Effort()
    search = Search(skills, [put(name) for name in steps], tests, Limits(), effort)
    return search.run([skills.start()]), effort


class SeenBy(LineSkills):
    """Notes where things are in what each draw is made for."""

    def draw(self, node: Line, step: Step, hints: Hints) -> int | None:
        self.seen = [*getattr(self, "seen", ()), (set(node.bodies), hints.following)]
        return super().draw(node, step, hints)


def test_that_a_blind_program_draws_all_in_the_first_scene_and_takes_nothing_twice() -> None:
    for blind, names in ((True, [set(), set()]), (False, [set(), {"a"}])):
        skills, limits = SeenBy(), Limits(blind=blind)
        found = Search(skills, [put("a"), put("b")], {}, limits, Effort()).run([skills.start()])
        assert isinstance(found, list) and [seen for seen, _ in skills.seen[:2]] == names
        assert all(following is None for _, following in skills.seen) == blind
        again = Search(skills, [put("a"), put("a")], {}, limits, Effort()).run([skills.start()])
        assert isinstance(again, Stuck) == blind


class Apart:
    """A test that runs in a process of its own: each question to it costs time."""

    args = ("a",)

    def __init__(self, place: int) -> None:
        self._place, self.asked = place, list[int]()

    def __call__(self, bodies: Bodies) -> bool:
        raise AssertionError("it is asked about many draws in one go")

    def verdicts(self, states: Sequence[Bodies]) -> tuple[bool, ...]:
        self.asked.append(len(states))
        return tuple(exactly("a", self._place, bodies) for bodies in states)


def test_that_a_test_that_runs_apart_is_asked_about_more_draws_the_more_it_refused() -> None:
    skills, effort, test = LineSkills(), Effort(), Apart(42)
    found = Search(skills, [put("a")], {0: (test,)}, Limits(), effort).run([skills.start()])
    assert isinstance(found, Stuck) and found.draws >= Limits.draws
    assert test.asked[:6] == [1, 2, 4, 8, 16, 32] and 10 * len(test.asked) < effort.samples
    found = Search(skills, [put("a")], {0: (Apart(3),)}, Limits(), Effort()).run([skills.start()])
    assert isinstance(found, list) and found[-1].bodies["a"].pose[0] == 3


def test_that_it_jumps_back_to_the_thing_that_a_test_speaks_of() -> None:
    found, effort = searched(LineSkills(), "abcd", {3: (partial(right_of, "d", "a"),)})
    assert isinstance(found, list)
    places = {name: body.pose[0] for name, body in found[-1].bodies.items()}
    assert len(set(places.values())) == 4 and places["d"] > places["a"] + 7
    assert effort.jumps >= 1 and effort.samples < 2000


def test_that_it_jumps_back_to_what_the_plan_itself_put_in_the_way() -> None:
    found, effort = searched(
        LineSkills(), "abc", {0: (partial(exactly, "a", 3),), 2: (partial(exactly, "c", 3),)}
    )
    assert isinstance(found, Stuck) and effort.jumps
    assert found.step == 2 and found.touched["a"] and not found.blocker


def test_that_what_was_never_moved_and_stands_in_the_way_is_named() -> None:
    for name, freed in (
        ("can", "Moving can away would free it."),
        ("rock", "More room around rock would free it."),
    ):
        found, _ = searched(LineSkills(**{name: 3}), "a", {0: (partial(exactly, "a", 3),)})
        assert isinstance(found, Stuck) and found.blocker == ("can" if name == "can" else "")
        said = why_stuck(put("a"), found)
        assert f"25 touch {name}" in said and said.endswith(freed) and "did not pass its tests" in said


def test_that_what_a_test_speaks_of_is_not_to_be_moved_away() -> None:
    found, _ = searched(LineSkills(can=3), "a", {0: (partial(at_one_place, "a", "can", 3),)})
    assert isinstance(found, Stuck) and found.touched["can"] and not found.blocker


def test_that_a_goal_that_excludes_itself_ends_with_its_reason() -> None:
    found, effort = searched(LineSkills(), "a", {0: (partial(exactly, "a", 3), partial(exactly, "a", 4))})
    assert isinstance(found, Stuck) and effort.samples <= 5 * Limits().draws
    assert why_stuck(put("a"), found) == (
        "Of 60 samples for put(a, line), 60 did not pass its tests. "
        "A test that allows more places would free it."
    )


def test_that_what_is_out_of_reach_is_told() -> None:
    skills = LineSkills()
    search = Search(skills, [Step("reach", ("a",))], {}, Limits(), Effort())
    found = search.run([skills.start()])
    assert isinstance(found, Stuck) and "25 are out of the arm's reach" in why_stuck(
        Step("reach", ("a",)), found
    )


def test_that_without_back_jumps_it_ends_at_the_first_step_that_finds_nothing() -> None:
    skills, effort = LineSkills(), Effort()
    tests = {3: (partial(right_of, "d", "a"),)}
    found = Search(skills, [put(n) for n in "abcd"], tests, Limits(backs=0), effort).run([skills.start()])
    assert isinstance(found, list | Stuck) and effort.backs == 0


class Leaning(LineSkills):
    """What is put at an odd place falls to the next even one; physics refuses 6 and 7."""

    def attempt(self, node: Line, step: Step, draw: int) -> Line | Miss:
        return Line(self.drawn(node, step, draw), unsettled=draw % 2 == 1)

    def rehearse(self, before: Line, after: Line, step: Step) -> Line | str:
        place = after.bodies[step.args[0]].pose[0]
        bodies = {**before.bodies, step.args[0]: at(int(place) + 1)}
        return "it breaks" if place in (6, 7) else Line(bodies, rehearsed=True)


@pytest.mark.parametrize("settles", [True, False])
def test_that_physics_tells_at_once_where_things_fall_to(settles: bool) -> None:
    effort, skills = Effort(), Leaning(a=0)
    wanted = {0: (partial(is_odd, "a"),)}
    search = Search(skills, [put("a")], wanted, Limits(settles=settles), effort)
    found = search.run([skills.start()])
    assert isinstance(found, list) and not (found[-1].unsettled and settles)
    assert is_odd("a", found[-1].bodies) is not settles
    never = Search(skills, [put("a")], {0: (partial(exactly, "a", 7),)}, Limits(settles=True), effort)
    stuck = never.run([skills.start()])
    assert isinstance(stuck, Stuck) and set(stuck.checks) == {"test", "physics"}
    assert "slip or fall in physics" in why_stuck(put("a"), stuck)


def test_that_what_physics_refuses_of_an_earlier_step_is_drawn_again() -> None:
    skills, effort = Leaning(a=0, b=0), Effort()
    tests = {0: (partial(is_six_or_eight, "a"),), 1: (partial(exactly, "b", 1),)}
    found = Search(skills, [put("a"), put("b")], tests, Limits(settles=True), effort).run([skills.start()])
    assert isinstance(found, list) and [node.rehearsed for node in found] == [False, True, True]
    assert exactly("a", 9, found[-1].bodies) and effort.backs
