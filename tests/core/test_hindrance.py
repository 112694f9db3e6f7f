"""Where there is no plan the robot's own reason is told; a new plan is asked for with sensors read anew."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from unittest.mock import Mock

import pytest

from core.belief import Atom, Belief
from core.errors import Cancelled
from core.events import EpisodeEnded, SensorsRead
from core.loop.replanning import make_plan, unlike_start
from core.methods.dkprompt import DKPrompt
from core.operator import End, ProposalKind, Replan
from core.planners import PlansMotion
from core.planning.planner import make_planner
from core.planning_model import Plan, PlanStatus
from core.policy import Action, Context, GiveUp, GotPlan, MakePlan, StepDone
from core.ports import StepResult, StepStatus
from core.reason import FIRST_PLAN
from core.scene import Scene
from core.stop_token import StopToken
from core.wish import Wish
from robots.symbolic.robot import SymbolicRobot
from tests.core import tiny
from tests.core.looping import Scripted, Setting, Truthful, only

FULL = "The gripper holds something: open it, then plan again."


class FullHand(SymbolicRobot):
    """A robot whose hand is full until a person empties it, which the third look at its sensor finds."""

    reads = 0

    def sense(self) -> Mapping[Atom, bool]:
        self.reads += 1
        return {Atom("handempty"): self.reads > 2}

    def hindrance(self) -> str:
        return FULL if self.reads <= 2 else ""


class Elsewhere(SymbolicRobot):
    """A robot whose hand a person has filled before the episode, and that does not say so itself."""

    def sense(self) -> Mapping[Atom, bool]:
        return {Atom("handempty"): False}


def test_that_the_fact_of_the_start_that_leaves_no_plan_is_named() -> None:
    robot = Elsewhere(tiny.folder(), tiny.TASK)
    operator = Scripted([End("enough", "ada")])
    Setting(robot, Truthful(robot), operator).run()
    (helped,) = (p.explanation for p in operator.seen if p.kind is ProposalKind.HELP_NEEDED)
    assert helped == "Not as the task begins: (handempty) does not hold. As it begins, there is a plan."


def test_that_no_fact_of_the_start_is_blamed_after_a_step_or_where_there_is_a_plan() -> None:
    belief = Belief.from_init(tiny.PROBLEM.state - {tiny.EMPTY})
    none, found = (GotPlan(Plan(status), True) for status in (PlanStatus.IMPOSSIBLE, PlanStatus.FOUND))
    step = StepDone(tiny.OPEN, StepResult(StepStatus.DONE))
    said = {}
    for name, history in {"none": (none,), "found": (found,), "unplanned": (), "begun": (none, step)}.items():
        context = Context(tiny.PROBLEM, belief, history=history)
        said[name] = unlike_start(context, make_planner(), StopToken())
    assert [name for name, text in said.items() if text] == ["none"]


def test_that_only_the_facts_to_blame_are_named_and_all_where_no_single_one_is() -> None:
    lost, beside = {tiny.EMPTY, tiny.INSIDE}, {tiny.EMPTY, tiny.CLOSED}
    said = []
    for facts in (beside, lost):
        history = (GotPlan(Plan(PlanStatus.IMPOSSIBLE), True),)
        context = Context(tiny.PROBLEM, Belief.from_init(tiny.PROBLEM.state - facts), history=history)
        said.append(unlike_start(context, make_planner(), StopToken()).partition(". As")[0])
    assert said == [
        "Not as the task begins: (handempty) does not hold",
        "Not as the task begins: (handempty) does not hold, (inside key door) does not hold",
    ]


class Seeing(SymbolicRobot):
    """A robot that tells where things are."""

    def scene(self) -> Scene:
        return Scene((), "of now")


class Wishing(DKPrompt):
    """Wants the motions of a wish, once."""

    def act(self, context: Context) -> Action:
        if context.plan_count:
            return GiveUp(FIRST_PLAN)
        return MakePlan(self.problem, FIRST_PLAN, wish=Wish("", (), ()))


def test_that_the_motions_of_a_wish_are_sought_in_the_scene_that_the_robot_tells() -> None:
    robot, planner = Seeing(tiny.folder(), tiny.TASK), Mock(PlansMotion)
    planner.plan_motion.return_value = Plan(PlanStatus.IMPOSSIBLE)
    policy = Wishing(tiny.folder(), tiny.PROBLEM)
    Setting(robot, Truthful(robot), Scripted([End("enough", "ada")]), planner=planner, policy=policy).run()
    assert planner.plan_motion.call_args.args[2] == robot.scene()


def test_that_a_wish_without_a_scene_is_refused_and_a_stop_while_planning_makes_no_plan() -> None:
    context, stopped = Context(tiny.PROBLEM, Belief.from_init(tiny.PROBLEM.state)), StopToken()
    action = MakePlan(tiny.PROBLEM, FIRST_PLAN, wish=Wish("", (), ()))
    planned = list(make_plan(context, action, make_planner(), Scripted(), StopToken()))
    assert "tells no scene" in str(planned)
    stopped.stop(1, "stopped")
    with pytest.raises(Cancelled):
        list(make_plan(context, replace(action, wish=None), make_planner(), Scripted(), stopped))


def test_that_the_robots_reason_is_told_and_its_sensors_are_read_anew() -> None:
    robot = FullHand(tiny.folder(), tiny.TASK)
    operator = Scripted([Replan(), Replan()])
    events = Setting(robot, Truthful(robot), operator).run()
    helped = [p.explanation for p in operator.seen if p.kind is ProposalKind.HELP_NEEDED]
    assert helped == [FULL, FULL]
    assert [a.verdict.value for e in only(events, SensorsRead) for a in e.answers][:3] == ["no", "no", "yes"]
    (end,) = only(events, EpisodeEnded)
    assert end.true_goal
