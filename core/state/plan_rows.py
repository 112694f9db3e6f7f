"""Change the rows of a plan with a new plan, and with each step that begins and ends. Pure.

A step with other values (a grasp, a pose) is another row; one without any takes those that it begins with.
"""

from __future__ import annotations

from dataclasses import replace

from core.episode_state import PlanRow, PlanRowState
from core.operator import PlanChange
from core.planning_model import Step, fulfils, same_step
from core.ports import StepResult, StepStatus

CHOSEN = "chosen by you"
_AHEAD = (PlanRowState.NEXT, PlanRowState.TODO)
_STATES = {
    StepStatus.DONE: PlanRowState.DONE,
    StepStatus.FAILED: PlanRowState.FAILED,
    StepStatus.HALTED: PlanRowState.HALTED,
}

Rows = tuple[PlanRow, ...]


def merge_plan(rows: Rows, revision: PlanChange, plan: int) -> Rows:
    """Return the plan's rows after a change: finished rows stay, those not in the new plan are dropped."""
    past = tuple(r for r in rows if r.state not in (*_AHEAD, PlanRowState.DROPPED))
    ahead = [r for r in rows if r.state in _AHEAD]
    fresh: list[PlanRow] = []
    for number, step in enumerate(revision.new_plan.steps, len(past) + 1):
        old = next((r for r in ahead if same_step(r.step, step)), None)
        state = PlanRowState.TODO if fresh else PlanRowState.NEXT
        if old is None:
            fresh.append(PlanRow(step, state, plan, number))
            continue
        ahead.remove(old)
        old_number = old.number if old.number != number else None
        fresh.append(PlanRow(step, state, old.plan_number, number, old_number))
    dropped = tuple(replace(r, state=PlanRowState.DROPPED, old_number=r.number) for r in ahead)
    return past + dropped + tuple(fresh)


def start_row(rows: Rows, step: Step, plan: int, turn: int = 0) -> Rows:
    """Return the rows with this step running; a step that a person chose becomes a row of its own."""
    changed = list(rows)
    for i, row in enumerate(rows):
        if row.state in _AHEAD and fulfils(step, row.step):
            changed[i] = replace(row, step=step, state=PlanRowState.RUNNING, turn=turn)
            return tuple(changed)
    place = next((i for i, row in enumerate(rows) if row.state is PlanRowState.NEXT), len(rows))
    changed.insert(place, PlanRow(step, PlanRowState.RUNNING, plan, place + 1, note=CHOSEN, turn=turn))
    return tuple(changed)


def finish_row(rows: Rows, result: StepResult, seconds: float) -> Rows:
    """Return the rows with the running step ended, and the next one marked; a halted step comes again."""
    changed = list(rows)
    for i, row in enumerate(rows):
        if row.state is PlanRowState.RUNNING:
            changed[i] = replace(row, state=_STATES[result.status], seconds=seconds, note=result.detail)
            if result.status is StepStatus.HALTED and row.note != CHOSEN:
                again = replace(row, state=PlanRowState.TODO, number=row.number + 1, old_number=None)
                changed[i + 1 :] = [again, *(replace(r, number=r.number + 1) for r in rows[i + 1 :])]
            break
    following = next((i for i, row in enumerate(changed) if row.state is PlanRowState.TODO), None)
    if following is not None:
        changed[following] = replace(changed[following], state=PlanRowState.NEXT)
    return tuple(changed)
