"""A wish in a changed domain: it is kept, and its tests are run on what stands in for a thing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import pytest

from core import events as ev
from core.belief import Atom
from core.config import Settings
from core.episode import run_components
from core.knowledge.apply import apply_changes
from core.knowledge.changes import AddFact, AddObject, AddPrecondition, AddRepair, AllowSubstitute, Change
from core.loop.gate import AutoOperator
from core.methods.owl_tamp import OwlTamp, OwlTampOptions
from core.open_world.world_file import load_open_world
from core.operator import Decision, Proposal, TellSituation
from core.planning.domain_library import load_domain_spec
from core.planning.planner import make_planner
from core.planning_model import Literal, Plan, PlanStatus, Step
from core.policy import (
    AskModel,
    ChangeDomain,
    Context,
    DomainChangeDecided,
    GotPlan,
    GotReply,
    GotSituation,
    MakePlan,
    advance,
)
from core.ports import ChatMessage, Embodiment, Model, Reply
from core.reason import FIRST_PLAN
from core.scene import Body
from core.stock import StockItem
from core.stop_token import StopToken
from core.vqa.budget import Meter
from core.vqa.knower.commonsense import Commonsense
from core.vqa.knower.knower_profile import load_knower_profile
from core.vqa.knower.registry import make_knower
from core.vqa.knower.simulated_knower import SimulatedKnower
from core.vqa.registry import ModelSettings
from core.wish import Wish
from core.wishes.hand_written import on_top
from core.wishes.substitutes import with_substitutes
from main import make_components

PROBLEM = load_domain_spec("tabletop-wishes").tasks["dirty_plate"].problem
DIRTY = (AddPrecondition("place_ontop", "is_dirty", ("surface",)), AddFact(Atom("is_dirty", ("plate",))))
TRAY = (AllowSubstitute("tray", "surface"), AddObject("tray", "tray"))
WISH = Wish(
    "",
    (Step("pick", ("lemon",)), Step("place_ontop", ("lemon", "plate"))),
    (Literal("on", ("lemon", "plate")),),
    {1: (partial(on_top, "lemon", "plate"),)},
    (partial(on_top, "lemon", "plate"),),
    ("", "the lemon lies on the plate, and the template is elsewhere"),
)


def after(*changes: Change) -> Wish:
    return with_substitutes(WISH, PROBLEM, apply_changes(PROBLEM, changes))


def at(x: float, z: float, half: float) -> Body:
    return Body((x, 0, z, 0, 0, 0), (x - half, -half, z - half), (x + half, half, z + half))


def test_that_steps_goal_words_and_tests_are_about_the_substitute() -> None:
    now = after(*DIRTY, *TRAY)
    assert now.steps == (WISH.steps[0], Step("place_ontop", ("lemon", "tray")))
    assert now.goal == (Literal("on", ("lemon", "tray")),)
    assert now.descriptions[1] == "the lemon lies on the tray, and the template is elsewhere"
    bodies = {"plate": at(0, 0, 0.05), "tray": at(1, 0, 0.05), "lemon": at(1, 0.07, 0.02)}
    for test in (*now.tests[1], *now.goal_tests):
        assert test(bodies) and not test({**bodies, "lemon": at(0, 0.07, 0.02)})
    assert not WISH.goal_tests[0](bodies)


def test_that_the_newest_thing_that_may_be_used_stands_in() -> None:
    bowl = AllowSubstitute("bowl", "surface"), AddObject("bowl_1", "bowl")
    assert after(*DIRTY, *TRAY, *bowl).steps[1].args[1] == "bowl_1"
    dirty = AddFact(Atom("is_dirty", ("bowl_1",)))
    assert after(*DIRTY, *TRAY, *bowl, dirty).steps[1].args[1] == "tray"


def test_that_a_wish_stays_as_it_is_where_nothing_stands_in() -> None:
    device = AllowSubstitute("sink", "movable"), AddObject("sink_1", "sink")
    for changes in (
        (),
        TRAY,  # nothing is dirty
        DIRTY,  # and nothing is at hand
        (*DIRTY, AddObject("pea", "movable")),  # which is nothing to put things on
        (
            *DIRTY,
            *TRAY,
            *device,
            AddRepair("place_ontop", "sink", "is_dirty", "surface"),
        ),  # it can be cleaned
    ):
        assert after(*changes) is WISH


def test_that_the_wish_is_kept_in_the_changed_domain_that_is_suggested() -> None:
    spec, stock = load_domain_spec("tabletop-wishes"), (StockItem("tray", "tray", "surface"),)
    policy = OwlTamp(spec, PROBLEM, OwlTampOptions(), make_planner(), stock)
    context = Context(PROBLEM, policy.begin(PROBLEM))
    wish = policy.written
    assert wish is not None
    told = GotSituation(policy.read_situation(context, "the plate is dirty", "Anna"))
    planned_first = GotPlan(Plan(PlanStatus.FOUND, wish.steps), reason=FIRST_PLAN)
    knower = SimulatedKnower(
        load_knower_profile("perfect"),
        Commonsense(spec, spec.tasks["dirty_plate"], load_open_world(spec)),
        stock,
    )
    for one in (planned_first, told):
        context = advance(context, one, policy.update(context, one))
    while isinstance(action := policy.act(context), AskModel):
        said = knower.ask(action.messages, (), StopToken()).text
        reply = GotReply(action.purpose, said, prompt=action.messages[-1].text)
        context = advance(context, reply, policy.update(context, reply))
    assert isinstance(action, ChangeDomain) and action.suggestion is not None
    assert [step.args[-1] for step in action.suggestion.plan] == ["lemon", "tray", "orange", "tray"]
    changed = DomainChangeDecided(True, action.problem, action.suggestion)
    context = advance(context, changed, policy.update(context, changed))
    planned = policy.act(context)
    assert isinstance(planned, MakePlan) and planned.wish is not None
    assert planned.wish.steps[1] == Step("place_ontop", ("lemon", "tray")) and planned.problem is not PROBLEM


@dataclass
class Both:
    """Writes the wish as one model does, and answers about situations as another."""

    words: Model
    knower: Model
    name = "both"

    def ask(self, messages: Sequence[ChatMessage], pictures: Sequence[bytes], cancel: StopToken) -> Reply:
        of_wish = messages[0].text.startswith("Request:")
        return (self.words if of_wish else self.knower).ask(messages, pictures, cancel)


class Telling(AutoOperator):
    """Tells what is unusual when the robot offers to take the orange."""

    def __init__(self) -> None:
        super().__init__(Embodiment.SIM)
        self.told = False

    def decide(self, proposal: Proposal) -> Decision:
        if not self.told and proposal.step is not None and proposal.step.args == ("orange",):
            self.told = True
            return TellSituation("the plate is dirty", "Anna")
        return super().decide(proposal)


@pytest.mark.long
def test_that_what_lies_on_the_dirty_plate_is_moved_too_in_the_middle_of_a_plan() -> None:
    settings = Settings(
        "dirty_plate",
        domain="tabletop-wishes",
        method="owl-tamp",
        answerer="perfect",
        knower="recorded",
        pictures=False,
    )
    parts = make_components(settings)
    assert parts.model is not None
    knower = make_knower(
        "perfect", parts.domain_spec, parts.task, parts.robot, parts.planner, 0, ModelSettings(), Meter()
    )
    parts = replace(parts, model=Both(parts.model, knower))
    try:
        events = list(run_components(parts, Telling(), StopToken()))
    finally:
        parts.close()
    steps = [e.step for e in events if isinstance(e, ev.StepFinished)]
    assert steps[1].args == ("lemon", "plate") and ("lemon", "tray") in {s.args for s in steps[2:]}
    assert {s.args for s in steps if s.name.startswith("place")} == {
        ("lemon", "plate"),
        ("lemon", "tray"),
        ("orange", "tray"),
    }
    asked = [q.text for e in events if isinstance(e, ev.QuestionsAsked) for q in e.queries]
    assert "Is this so: the lemon is on the tray?" in asked
    assert isinstance(end := events[-1], ev.EpisodeEnded) and end.true_goal
