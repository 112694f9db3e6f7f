"""A step's values make its row: another pose is another row, and what begins says with which."""

from __future__ import annotations

from core.episode_state import PlanRow, PlanRowState
from core.operator import PlanChange
from core.planning_model import Plan, PlanStatus, Step
from core.state.plan_rows import CHOSEN, merge_plan, start_row

PICK, OPEN = Step("pick", ("robot", "mug")), Step("open", ("robot", "door"))


def at(x: float, step: Step = PICK) -> Step:
    return Step(step.name, step.args, {"pose": (x, 0.5)})


def change(old: tuple[Step, ...], *new: Step) -> PlanChange:
    return PlanChange(2, old, Plan(PlanStatus.FOUND, new))


def rows(*steps: Step) -> tuple[PlanRow, ...]:
    return merge_plan((), change((), *steps), 1)


def told(lines: tuple[PlanRow, ...]) -> list[tuple[object, str]]:
    return [(line.step.values.get("pose"), line.state.value) for line in lines]


def test_that_a_changed_pose_is_a_changed_row() -> None:
    revision = change((at(0.1), OPEN), at(0.2), OPEN)
    lines = merge_plan(rows(at(0.1), OPEN), revision, 2)
    assert told(lines) == [((0.1, 0.5), "dropped"), ((0.2, 0.5), "next"), (None, "to do")]
    assert [line.plan_number for line in lines] == [1, 2, 1]
    assert revision.added_steps == (at(0.2),) and revision.added_steps[0].values == at(0.2).values


def test_that_the_same_pose_keeps_its_row() -> None:
    lines = merge_plan(rows(at(0.1), OPEN), change((at(0.1), OPEN), at(0.1), OPEN), 2)
    assert told(lines) == [((0.1, 0.5), "next"), (None, "to do")]
    assert change((at(0.1), OPEN), at(0.1), OPEN).added_steps == ()


def test_that_a_step_whose_pose_was_open_shows_the_one_it_begins_with() -> None:
    assert told(start_row(rows(PICK, OPEN), at(0.3), 1)) == [((0.3, 0.5), "running"), (None, "to do")]


def test_that_a_step_with_another_pose_than_planned_is_a_row_of_its_own() -> None:
    lines = start_row(rows(at(0.1), OPEN), at(0.2), 1)
    assert told(lines)[:2] == [((0.2, 0.5), "running"), ((0.1, 0.5), "next")]
    assert lines[0].note == CHOSEN and lines[1].state is PlanRowState.NEXT
