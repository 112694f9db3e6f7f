"""Every sentence of why comes from what happened: who said what in which turn, and what is believed now."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import pytest

from app.presentation.decision_summary import DecisionSummary, decision_summary, status_text
from app.presentation.formatting import ending_text, link_text
from core import events as ev
from core.belief import Answer, BeliefSource, Query, Verdict, is_override
from core.episode_state import EpisodeState, Phase
from core.errors import AnswererError
from core.operator import (
    AnswerReview,
    Approve,
    Correct,
    Decision,
    End,
    PlanChange,
    Proposal,
    ProposalKind,
    Replan,
    Undo,
)
from core.ports import Frame, ModelCall
from core.reason import Cause
from core.state.causes import explain
from core.state.state_reducer import apply_record
from core.stop_token import StopToken
from core.supervision import SUPERVISION_PRESETS, SupervisionLevels
from core.text.vocabulary import Vocabulary
from robots.symbolic.robot import SymbolicRobot
from tests.core import tiny
from tests.core.looping import Setting, Truthful
from tests.core.tiny import CLOSED

VOCABULARY = Vocabulary.of(tiny.folder(), tiny.PROBLEM)
SHUT = Answer(CLOSED, Verdict.YES, BeliefSource.OPERATOR, "yes", 2, by="ada")
OPENED = replace(SHUT, verdict=Verdict.NO)
Reply = Decision | bool | None


@dataclass
class Told:
    """An operator who does what the test says at each offer, review and proposal; else all passes."""

    on_offer: Callable[[PlanChange], bool | None] = lambda _: True
    on_review: Callable[[AnswerReview], tuple[Answer, ...]] = lambda review: review.answers
    decisions: list[Decision] = field(default_factory=list)  # from the second turn on
    waiting: list[Correct | Undo | Replan] = field(default_factory=list)  # outside the gate

    @property
    def supervision(self) -> SupervisionLevels:
        return SUPERVISION_PRESETS["Approve"]

    def asks_model(self) -> bool:
        return True

    def review(self, review: AnswerReview) -> tuple[Answer, ...]:
        return self.on_review(review)

    def accept_plan(self, revision: PlanChange) -> bool | None:
        return self.on_offer(revision)

    def next_correction(self) -> Correct | Undo | Replan | End | None:
        return self.waiting.pop(0) if self.waiting else None

    def decide(self, proposal: Proposal) -> Decision:
        if proposal.kind is not ProposalKind.STEP:
            return End("over", "ada")
        if proposal.turn > 1 and self.decisions:
            return self.decisions.pop(0)
        return End("over", "ada") if proposal.turn > 4 else Approve("ada")


@dataclass
class Wrong(Truthful):
    """Says in turn 2 that the door is shut, whatever it is."""

    def answer(self, frame: Frame, queries: Sequence[Query], turn: int, cancel: StopToken) -> ModelCall:
        call = super().answer(frame, queries, turn, cancel)
        if turn != 2:
            return call
        return replace(call, answers=tuple(replace(a, verdict=Verdict.YES) for a in call.answers))


@dataclass
class Gone(Truthful):
    def answer(self, frame: Frame, queries: Sequence[Query], turn: int, cancel: StopToken) -> ModelCall:
        raise AnswererError("truthful cannot be reached: is it running?")


def states(
    operator: Told, answerer: type[Truthful] = Truthful, cancel: StopToken | None = None
) -> list[EpisodeState]:
    """Return the state after each record."""
    robot = SymbolicRobot(tiny.folder(), tiny.TASK, openness=0.0)
    setting = Setting(robot, answerer(robot), operator, cancel or StopToken())
    found = [EpisodeState()]
    for number, event in enumerate(setting.start()):
        found.append(apply_record(found[-1], ev.Record("e", number, 0.0, float(number), event)))
    return found


def strip(state: EpisodeState) -> DecisionSummary:
    return decision_summary(state, VOCABULARY)


def first(found: list[EpisodeState], phase: Phase, after: int = 0) -> EpisodeState:
    return next(s for s in found[after:] if s.phase is phase)


def test_that_a_fork_says_so_and_with_which_answer_it_was_made() -> None:
    forked = {"parent": "20260101-a", "moment": "9", "changed": f"{CLOSED} no"}
    begun = ev.EpisodeStarted("t", "d", (), tiny.PROBLEM.goal, (), forked)
    state = apply_record(EpisodeState(), ev.Record("e", 1, 0.0, 0.0, begun))
    section = strip(state).because
    assert section.head == "Forked from a logged episode"
    assert f"you say: {VOCABULARY.describe_literal(CLOSED, False)}" in section.lines


def test_that_an_offer_names_the_answer_its_giver_and_its_turn() -> None:
    offered = first(states(Told(), Wrong), Phase.OFFERED)
    because = strip(offered).because
    assert because.head == "Closed door"
    assert because.lines[0] == "Q2, the model, turn 2: no to “Is the door open?”"
    assert because.lines[1] == "so “open door” did not have its effect"


def test_that_an_override_is_a_persons_and_says_what_the_model_had_said() -> None:
    def overrule(review: AnswerReview) -> tuple[Answer, ...]:
        if review.turn != 2:
            return review.answers
        return tuple(SHUT if a.atom == CLOSED else a for a in review.answers)

    offered = first(states(Told(on_review=overrule)), Phase.OFFERED)
    line = strip(offered).because.lines[0]
    assert line == "you, turn 2: no to “Is the door open?”; the model said yes"
    assert offered.counts.overrides == 1 and offered.undo_count == 1


def test_that_an_undone_override_leaves_what_the_model_said_and_says_so() -> None:
    def overrule(review: AnswerReview) -> tuple[Answer, ...]:
        if review.turn != 2:
            return review.answers
        return tuple(SHUT if a.atom == CLOSED else a for a in review.answers)

    found = states(Told(on_review=overrule, decisions=[Undo("ada")]))
    offer = next(i for i, s in enumerate(found) if s.phase is Phase.OFFERED)
    undone = next(s for s in found[offer:] if s.plan_change and s.plan_change.reason.cause is Cause.UNDONE)
    assert undone.belief.verdict(CLOSED) is Verdict.NO
    because = explain(undone.plan_change.reason, undone, VOCABULARY)  # type: ignore[union-attr]
    assert because.head == "You took a correction back"
    assert because.lines == ("no longer counts: closed door", "so again: not closed door")


def test_that_a_kept_plan_says_why_the_other_was_offered_and_nothing_the_belief_denies() -> None:
    found = states(Told(on_offer=lambda _: False), Wrong)
    kept = next(s for s in found if s.proposal and s.proposal.reason.cause is Cause.KEPT)
    because = strip(kept).because
    assert because.head == "You kept the old plan"
    assert because.lines == (
        "although closed door",
        "Q2, the model, turn 2: no to “Is the door open?”",
    )
    assert kept.belief.verdict(CLOSED) is Verdict.YES


def test_that_while_the_kept_plans_step_is_done_the_reason_stays() -> None:
    found = states(Told(on_offer=lambda _: False), Wrong)
    acting = [s for s in found if s.phase is Phase.ACTING and s.turn == 2]
    assert acting and strip(acting[0]).because.head == "You kept the old plan"


def test_that_a_step_of_the_plan_says_how_its_preconditions_are_known() -> None:
    waiting = [s for s in states(Told()) if s.phase is Phase.WAITING]
    second = next(s for s in waiting if s.turn == 2)
    assert strip(second).because.head == "Its preconditions are believed"
    assert strip(second).because.lines[0] == "2 seen, 1 sensed"


def test_that_a_correction_withdraws_the_offer_and_counts_in_its_turn() -> None:
    operator = Told()

    def correct(_: PlanChange) -> bool | None:
        if not operator.waiting:
            operator.waiting.append(Correct((OPENED,), "ada"))
        return None

    operator.on_offer = correct
    found = states(operator, Wrong)
    offer = next(i for i, s in enumerate(found) if s.phase is Phase.OFFERED)
    after = found[offer + 1 :]
    assert after[0].offered_change is None
    corrected = next(s for s in after if s.belief.verdict(CLOSED) is Verdict.NO)
    assert corrected.turn == 2 and corrected.belief.source(CLOSED) is BeliefSource.OPERATOR
    step = next(s for s in after if s.phase is Phase.WAITING)
    assert step.turn == 2 and step.proposal and step.proposal.step == tiny.TAKE
    assert strip(step).because.head == "Planned again: the plan stays the same"
    assert strip(step).because.lines[0] == "because not closed door"


@pytest.mark.parametrize("ends", ["stop", "end"])
def test_that_an_offer_does_not_outlive_a_stop_or_the_end(ends: str) -> None:
    cancel = StopToken()

    operator, after = Told(), [End("over", "ada")] if ends == "end" else []

    def stop(_: PlanChange) -> bool | None:
        cancel.stop(1, "You stopped it.") if ends == "stop" else None
        operator.next_correction = lambda: after.pop() if after else None  # type: ignore[method-assign]
        return None

    operator.on_offer = stop
    found = states(operator, Wrong, cancel)
    offer = next(i for i, s in enumerate(found) if s.phase is Phase.OFFERED)
    assert all(s.offered_change is None for s in found[offer + 1 :])
    assert not any(isinstance(s.plan_change, PlanChange) and s.plan_count > 1 for s in found)
    assert found[-1].ended and found[-1].ended.result is ev.EpisodeResult.ENDED


def test_that_a_rejected_only_plan_is_not_told_as_if_none_reached_the_goal() -> None:
    nobody = Answer(tiny.INSIDE, Verdict.NO, BeliefSource.OPERATOR, "no", 2, by="ada")
    operator = Told(on_offer=lambda _: False, decisions=[Correct((nobody,), "ada"), Undo("ada")])

    def help_too(proposal: Proposal) -> Decision:
        if proposal.kind is ProposalKind.HELP_NEEDED and operator.decisions:
            return operator.decisions.pop(0)
        return Told.decide(operator, proposal)

    operator.decide = help_too  # type: ignore[method-assign]
    found = states(operator)
    helped = [s for s in found if s.phase is Phase.HELP_NEEDED]
    heads = list(dict.fromkeys(strip(s).because.head for s in helped))
    assert heads == ["No plan reaches the goal", "You rejected the only plan"]
    rejected = next(s for s in helped if s.proposal and s.proposal.reason.cause is Cause.KEPT)
    assert rejected.belief.verdict(tiny.INSIDE) is Verdict.YES
    assert strip(rejected).because.lines == (
        "although you took a correction back",
        "no longer counts: not inside key door",
    )


def test_that_a_model_that_is_gone_is_named_with_the_way_out() -> None:
    reviews: list[AnswerReview] = []

    def keep(review: AnswerReview) -> tuple[Answer, ...]:
        reviews.append(review)
        return review.answers

    found = states(Told(on_review=keep), Gone)
    shown = first(found, Phase.REVIEWING)
    assert shown.cards[0].error and reviews[0].unavailable_reason
    because = strip(shown).because
    assert (because.head, because.level) == ("No answer from truthful", "fault")
    assert because.lines == ("truthful cannot be reached: is it running?",)
    assert strip(shown).next.lines == (
        "No answer from the model, expected no",
        "answer yourself, or end the episode and set up another answerer",
    )


def test_that_a_goal_that_nothing_confirmed_is_no_plain_success() -> None:
    seen = states(Told())[-1]
    assert seen.ended and "goal: 1 sensed" in strip(seen).because.lines
    for truth, words in ((True, "Goal reached"), (None, "Goal believed")):
        ended = replace(seen, ended=replace(seen.ended, true_goal=truth))
        assert (ending_text(ended)[0], strip(ended).next.head) == (words, words.lower())
    goal = tiny.PROBLEM.goal[0].atom
    told = replace(seen.belief.entry(goal), source=BeliefSource.PREDICTED)
    untold = replace(seen.ended, true_goal=None)
    unseen = replace(seen, belief=seen.belief.with_entries([told]), ended=untold)
    assert ending_text(unseen)[0] == "Goal believed, never confirmed"
    assert strip(unseen).next.head == "goal not confirmed"
    assert strip(unseen).because.lines[0] == "goal: 1 predicted"
    known = replace(unseen, ended=replace(untold, true_goal=True))
    assert (strip(known).next.head, strip(known).doubt.head) == ("goal reached", "Confirmed by the simulator")
    assert strip(known).because.head == "Goal reached, though never seen"


def test_that_only_a_persons_other_verdict_is_an_override() -> None:
    model = replace(SHUT, source=BeliefSource.MODEL)
    assert is_override(OPENED, model) and not is_override(SHUT, model)
    assert not is_override(replace(model, verdict=Verdict.UNKNOWN), model)


def test_that_a_gone_and_a_silent_model_are_named_in_the_link_and_the_status() -> None:
    found = states(Told(), Gone)
    gone = first(found, Phase.REVIEWING)
    assert link_text(gone) == ("no answer", "fault")
    assert status_text(gone, VOCABULARY).text.startswith("Review  ·  waiting 0 s: ")
    asked = first(found, Phase.ASKING)
    assert link_text(asked) is None
    silent = replace(asked, now=asked.since + 25)
    assert link_text(silent) == ("no answer, 25 s", "doubt")
    assert strip(silent).next.lines == ("no answer for 25 s", "Esc stops waiting")
    assert status_text(silent, VOCABULARY).text == "Now: waiting for the model, no answer for 25 s."
