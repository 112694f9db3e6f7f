"""What the strip says about an arm, of a question to a person, and while a stop is in force."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

import main
from app.presentation.belief_rows import belief_rows
from app.presentation.card_words import card_note, model_verdict
from app.presentation.decision_summary import decision_summary
from core.arm.arm_capabilities import PreflightCheck
from core.belief import Atom, Belief, Query, QueryTopic
from core.config import EpisodeComponents, Settings, ignore
from core.episode_state import EpisodeState, Phase, QuestionCard, TimelineMark, TimelineTrack
from core.events import EpisodeStarted
from core.knowledge.suggestion import SituationReport
from core.operator import Proposal, ProposalKind
from core.planning import domain_library
from core.ports import all_unknown
from core.reason import Cause, Reason
from core.state.causes import explain
from core.supervision import WATCH, SupervisionLevels
from core.text.vocabulary import Vocabulary
from robots.symbolic.robot import SymbolicRobot
from tests.app.conftest import Opened

FOLDER, TASK = domain_library.load_task("boil_water")
NAMING = Vocabulary.of(FOLDER, TASK.problem)


def test_that_a_stop_says_what_happened_and_below_it_what_to_do() -> None:
    why = "No picture for 5 s from the overhead camera. The camera 0 sends none: check its cable."
    proposal = Proposal(2, 1, ProposalKind.STOP_RELEASE, None, why, Belief(), 1)
    started = EpisodeStarted("boil_water", "omnigibson", (), TASK.problem.goal, ())
    shown = decision_summary(EpisodeState(phase=Phase.STOPPED, started=started, proposal=proposal), NAMING)
    assert shown.because.head == "No picture for 5 s from the overhead camera"
    assert shown.because.lines[0] == "The camera 0 sends none: check its cable"


def test_that_a_plan_that_stands_is_not_missing_because_a_situation_is_not_understood() -> None:
    started = EpisodeStarted("boil_water", "symbolic", (), TASK.problem.goal, ())
    helpless = EpisodeState(phase=Phase.HELP_NEEDED, started=started)
    assert decision_summary(helpless, NAMING).next.head == "No plan found"
    fault = "“the moon is full” names nothing that the domain knows."
    told = TimelineMark(TimelineTrack.PLAN, "situation", 0.0, None, helpless.turn)
    useless = SituationReport("the moon is full", by="ada", fault=fault)
    shown = decision_summary(replace(helpless, marks=(told,), situations=(useless,)), NAMING)
    assert (shown.next.head, shown.because.lines) == ("Situation not understood", (fault,))


def test_that_a_doubt_says_beneath_it_what_is_weighed() -> None:
    note = "Perhaps the sink is not full of water, 14 %: a step costs 1, a false claim 1,000"
    shown = explain(Reason(Cause.UNCERTAIN, note=note), EpisodeState(), NAMING)
    assert shown.head == "Perhaps the sink is not full of water, 14 %"
    assert shown.lines == ("a step costs 1, a false claim 1,000",)
    note = "Every step of the plan was done: the goal is 87 % likely with this plan, 0 % now"
    shown = explain(Reason(Cause.PLAN_COMPLETED, note=note), EpisodeState(), NAMING)
    assert shown.whole == "every step of the plan was done; the goal is 87 % likely with this plan, 0 % now"
    shown = explain(Reason(Cause.FAULT, note="It broke: twice"), EpisodeState(), NAMING)
    assert shown.head == "It broke: twice"


NO_CONTROL = PreflightCheck(
    "control program", False, "it does not run", "Hold to resume releases the stop and starts it"
)
LOCAL = PreflightCheck(
    "remote control", False, "the arm is in local control", "switch the pendant to Remote Control"
)


def test_that_checks_that_are_not_ready_are_counted_before_going_on() -> None:
    started = EpisodeStarted("boil_water", "omnigibson", (), TASK.problem.goal, ())
    stopped = EpisodeState(phase=Phase.STOPPED, started=started)
    assert "ready" not in decision_summary(stopped, NAMING).doubt.head
    doubt = decision_summary(stopped, NAMING, wrong=(LOCAL, NO_CONTROL)).doubt
    assert (doubt.head, doubt.level) == ("2 checks not ready", "doubt")
    assert doubt.lines[0] == (
        "remote control: the arm is in local control. Switch the pendant to Remote Control"
    )


def test_that_an_arm_that_comes_to_lack_something_is_not_called_ready(opened: Opened) -> None:
    class Arm(SymbolicRobot):
        lacks: tuple[PreflightCheck, ...] = ()

        def preflight(self) -> tuple[PreflightCheck, ...]:
            return (PreflightCheck("data", True), *self.lacks)

    def make(
        settings: Settings, notify: Callable[[str], None] = ignore, supervision: SupervisionLevels = WATCH
    ) -> EpisodeComponents:
        parts = main.make_components(settings, notify)
        parts.robot.__class__ = Arm
        return parts

    at = opened(make=make)
    at.ready()
    because = at.window.decision.views[1]
    at.until(lambda: because.reason.head == "Everything is ready")
    Arm.lacks = (LOCAL,)
    at.until(lambda: because.reason.head == "1 check not ready")
    assert "Switch the pendant" in because.reason.lines[0]
    assert at.window.actions_["start"].isEnabled(), "what may move is the driver's to say"
    Arm.lacks = ()
    at.until(lambda: because.reason.head == "Everything is ready")


@pytest.mark.parametrize(
    ("why", "head", "line"),
    [
        ("You stopped it.", "You stopped it", ""),
        ("the link broke; look at the arm", "The link broke", "look at the arm"),
        ("No picture for 5 s. Check its cable.", "No picture for 5 s", "Check its cable"),
        ("", "You stopped it", ""),
    ],
)
def test_that_a_stop_begins_with_what_happened(why: str, head: str, line: str) -> None:
    started = EpisodeStarted("boil_water", "omnigibson", (), TASK.problem.goal, ())
    proposal = Proposal(2, 1, ProposalKind.STOP_RELEASE, None, why, Belief(), 1)
    because = decision_summary(
        EpisodeState(phase=Phase.STOPPED, started=started, proposal=proposal), NAMING
    ).because
    assert (because.head, because.lines[0]) == (head, line)


@pytest.mark.parametrize("topic", [QueryTopic.SITUATION, QueryTopic.FACT])
def test_that_a_question_to_a_person_names_no_model(topic: QueryTopic) -> None:
    query = Query(Atom("lit", ("lamp",)), "Is the lamp on?", topic=topic)
    (nobody,) = all_unknown((query,), 1, "f", "")
    started = EpisodeStarted("boil_water", "omnigibson", (), TASK.problem.goal, ())
    state = EpisodeState(
        phase=Phase.REVIEWING, started=started, cards=(QuestionCard(1, 1, query, "f", nobody),), turn=1
    )
    shown, card = decision_summary(state, NAMING), state.cards[0]
    assert shown.next.lines[0] == "Your answer counts, nobody else's"
    assert shown.because.head.startswith(("Only you can say so", "The method asks you"))
    assert (model_verdict(card), card_note(card, state, None)[2]) == (None, "a question to you")
    pending = [row.note for row in belief_rows(state, NAMING, frozenset()) if row.note]
    assert pending == (["pending: you are asked, no model"] if topic is QueryTopic.FACT else [])
