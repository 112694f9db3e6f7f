"""Records folded into a state: what a screen shows is only what was recorded."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import count

from core import events as ev
from core.belief import Answer, BeliefEntry, BeliefSource, Contradiction, Query, Verdict
from core.episode_state import EpisodeState, Phase, PlanRowState, TimelineTrack
from core.log.codec import read_record, write_record
from core.log.recorder import NullSink, Recorder
from core.loop.episode_loop import run_episode
from core.loop.gate import AutoOperator
from core.methods.dkprompt import DKPrompt
from core.operator import Approve, Correct, PlanChange, Proceed, Proposal, ProposalKind, Undo
from core.planning.planner import make_planner
from core.planning_model import Plan, PlanStatus, Step
from core.ports import ChatMessage, Frame, ModelCall, StepResult, StepStatus
from core.state.state_reducer import apply_record, fold_records
from core.stop_token import StopToken
from robots.symbolic.robot import SymbolicRobot
from tests.core import tiny
from tests.core.looping import Truthful
from tests.core.tiny import CLOSED, OPEN, SHUT, TAKE

ASKED = ev.QuestionsAsked(1, "f", (Query(CLOSED, "Is the door open?", negated=True),))


def records(events: Iterable[ev.Event]) -> list[ev.Record]:
    """One a second."""
    clock = count(100.0)
    return list(Recorder(NullSink(), monotonic=clock.__next__).record_events(events))


def state(*events: ev.Event) -> EpisodeState:
    return fold_records(records((ev.EpisodeStarted("t", "d", (), (), ()), *events)))


def planned(*steps: Step, old: tuple[Step, ...] = (), turn: int = 0) -> ev.PlanMade:
    return ev.PlanMade(PlanChange(turn, old, Plan(PlanStatus.FOUND, steps)))


def answered(verdict: Verdict, source: BeliefSource = BeliefSource.MODEL) -> Answer:
    return Answer(CLOSED, verdict, source, turn=1, frame="f")


def an_episode() -> list[ev.Record]:
    robot = SymbolicRobot(tiny.folder(0.5, 0.5), tiny.TASK, seed=5, pictures=False)
    events = run_episode(
        "get_key", tiny.PROBLEM, robot, Truthful(robot), make_planner(),
        DKPrompt(tiny.folder(), tiny.PROBLEM), AutoOperator(), StopToken(),
    )  # fmt: skip
    return records(events)


def test_that_what_is_read_back_tells_the_same_story() -> None:
    live = an_episode()
    assert fold_records(read_record(write_record(r)) for r in live) == fold_records(live)


def test_that_the_counts_are_those_of_the_events() -> None:
    live = an_episode()
    events, counts = [r.event for r in live], fold_records(live).counts
    assert counts.steps == sum(isinstance(e, ev.StepFinished) for e in events) > 2
    assert counts.calls == sum(isinstance(e, ev.AnswersReceived) for e in events)
    assert counts.questions == sum(len(e.queries) for e in events if isinstance(e, ev.QuestionsAsked))
    assert counts.replans == sum(isinstance(e, ev.PlanMade) for e in events) - 1 > 0


def test_that_the_belief_is_the_one_that_was_logged() -> None:
    live = an_episode()
    assert fold_records(live).belief.state == {tiny.HOLDING}


def test_that_a_card_waits_until_its_answer_counts() -> None:
    asked = state(ASKED)
    assert asked.phase is Phase.ASKING and asked.cards[0].pending
    said = ev.AnswersReceived(1, "f", ModelCall((answered(Verdict.YES),), "no", "m"))
    shown = state(ASKED, said)
    assert shown.phase is Phase.REVIEWING and shown.cards[0].model and shown.cards[0].pending
    own = answered(Verdict.NO, BeliefSource.OPERATOR)
    counted = state(ASKED, said, ev.AnswersReviewed(1, (own,)))
    assert counted.cards[0].final == own and counted.cards[0].overridden and counted.counts.overrides == 1


def test_that_a_new_plan_keeps_what_was_done_and_strikes_what_is_no_longer_in_it() -> None:
    acted = ev.StepFinished(1, OPEN, StepResult(StepStatus.DONE))
    after_it = state(planned(OPEN, TAKE), ev.StepStarted(1, OPEN), acted, planned(SHUT, old=(TAKE,), turn=2))
    assert [(line.step, line.state) for line in after_it.plan_rows] == [
        (OPEN, PlanRowState.DONE),
        (TAKE, PlanRowState.DROPPED),
        (SHUT, PlanRowState.NEXT),
    ]


def test_that_a_plan_is_known_until_the_better_one_is_taken() -> None:
    known = state(ev.PlanImproving(0, 9))
    assert (known.phase, known.known_length) == (Phase.PLANNING, 9)
    assert state(ev.PlanImproving(0, 9), planned(OPEN, TAKE)).known_length == 0


def test_that_a_plan_that_was_not_taken_changes_nothing() -> None:
    revision = PlanChange(1, (OPEN,), Plan(PlanStatus.FOUND, (SHUT,)))
    kept = state(planned(OPEN, TAKE), ev.PlanOffered(revision), ev.PlanMade(revision, accepted=False))
    assert kept.plan_rows == state(planned(OPEN, TAKE)).plan_rows
    assert kept.offered_change is None and kept.counts.replans == 0


def test_that_a_stop_stands_until_it_is_released() -> None:
    shown = Proposal(1, 1, ProposalKind.STOP_RELEASE, stop_number=1)
    stopped = (ev.StopRequested(1, "Esc"), ev.ActionProposed(shown))
    held = state(*stopped)
    assert held.phase is Phase.STOPPED and held.stop and not held.stop.released
    released = state(*stopped, ev.DecisionMade(1, 1, Proceed(1, "me")))
    assert released.stop and released.stop.released


def test_that_motion_ends_what_can_be_taken_back() -> None:
    corrected = ev.DecisionMade(1, 1, Correct((answered(Verdict.NO, BeliefSource.OPERATOR),), "me"))
    assert state(corrected).undo_count == 1
    assert state(corrected, ev.DecisionMade(2, 1, Undo("me"))).undo_count == 0
    assert state(corrected, ev.DecisionMade(2, 1, Approve("me")), ev.StepStarted(1, OPEN)).undo_count == 0


def test_that_time_is_the_recorders_and_counts_from_the_start() -> None:
    told_at = state(ev.FrameCaptured(1, Frame("f")), ASKED)
    assert (told_at.now, told_at.since) == (2.0, 2.0)


def test_that_one_record_at_a_time_is_the_same_as_all_at_once() -> None:
    live, step_by_step = an_episode(), EpisodeState()
    for record in live:
        step_by_step = apply_record(step_by_step, record)
    assert step_by_step == fold_records(live)


def test_that_a_methods_own_calls_stand_beside_the_turns_questions_and_count() -> None:
    first = ev.ModelConsulted(
        1, "count", (ChatMessage("user", "How many?"),), "f", "four", "4", "wordy", 0.5, 7, 0.25
    )
    lost = ev.ModelConsulted(1, "count", first.messages, "", "", "", "", error="No model is chosen.")
    seen = state(ev.FrameCaptured(1, Frame("f")), first, lost)
    assert [(c.number, c.event) for c in seen.consultations] == [(1, first), (2, lost)]
    counts = seen.counts
    assert (counts.consultations, counts.calls, counts.tokens, counts.cost) == (2, 1, 7, 0.25)
    assert seen.marks[-2].label == "wordy (count)"
    later = state(ev.FrameCaptured(1, Frame("f")), first, ev.FrameCaptured(2, Frame("g")))
    assert later.consultations == () and later.counts.consultations == 1


def test_that_an_answer_is_marked_in_the_sense_of_its_question() -> None:
    said = ev.AnswersReceived(1, "f", ModelCall((answered(Verdict.YES),), "no", "m"))
    mark = state(ASKED, said).marks[-1]
    assert (mark.kind, mark.label) == ("no", "Is the door open?"), "closed: yes is open: no"


def test_that_a_contradiction_is_marked_among_the_questions() -> None:
    said = ev.AnswersReceived(1, "f", ModelCall((answered(Verdict.YES),), "no", "m"))
    found = Contradiction((CLOSED,), "predicted no, now yes")
    mark = state(ASKED, said, ev.BeliefChanged(1, (), (found,))).marks[-1]
    assert (mark.track, mark.kind) == (TimelineTrack.QUESTION, "contradiction")


def test_that_a_withdrawn_offer_leaves_a_mark_and_nothing_else() -> None:
    revision = PlanChange(1, (OPEN,), Plan(PlanStatus.FOUND, (SHUT,)))
    gone = state(planned(OPEN, TAKE), ev.PlanOffered(revision), ev.OfferWithdrawn(1))
    assert gone.offered_change is None and gone.marks[-1].label == "withdrawn"
    assert gone.plan_rows == state(planned(OPEN, TAKE)).plan_rows


def believed(turn: int, verdict: Verdict, source: BeliefSource, since: int) -> ev.BeliefChanged:
    return ev.BeliefChanged(turn, (BeliefEntry(CLOSED, verdict, source, since),))


def opened_in_vain() -> list[ev.Event]:
    """A step that was reported done, and a model that does not see what it should have done."""
    return [
        ev.FrameCaptured(1, Frame("f")),
        planned(OPEN, turn=1),
        ev.StepStarted(1, OPEN),
        ev.StepFinished(1, OPEN, StepResult(StepStatus.DONE)),
        believed(1, Verdict.NO, BeliefSource.PREDICTED, 1),
        ev.FrameCaptured(2, Frame("g")),
        believed(2, Verdict.YES, BeliefSource.MODEL, 2),
    ]


def test_that_a_step_whose_effect_is_not_found_is_marked_where_it_stands() -> None:
    told = state(*opened_in_vain())
    assert told.ineffective_turns == {1} == {row.turn for row in told.plan_rows}
    assert not state(*opened_in_vain()[:-1]).ineffective_turns


def test_that_a_person_who_sees_the_effect_withdraws_that_until_it_is_undone() -> None:
    seen = [*opened_in_vain(), believed(2, Verdict.NO, BeliefSource.OPERATOR, 2)]
    assert not state(*seen).ineffective_turns
    assert state(*seen, believed(2, Verdict.YES, BeliefSource.MODEL, 2)).ineffective_turns == {1}
    later = believed(3, Verdict.YES, BeliefSource.MODEL, 3)  # an answer about another moment
    assert not state(*seen, later).ineffective_turns


def test_that_earlier_questions_stay_and_take_a_correction_while_they_count() -> None:
    call = ModelCall((answered(Verdict.NO),), by="m")
    asked = (ev.FrameCaptured(1, Frame("f")), ASKED, ev.AnswersReceived(1, "f", call))
    events = [*asked, believed(1, Verdict.NO, BeliefSource.MODEL, 1), ev.FrameCaptured(2, Frame("g"))]
    told = state(*events)
    assert not told.cards and [c.turn for c in told.earlier_cards] == [1]
    mine = answered(Verdict.YES, BeliefSource.OPERATOR)
    corrected = ev.DecisionMade(2, 0, Correct((mine,), "eve"))
    assert state(*events, corrected).earlier_cards[0].overridden
    undone = state(*events, corrected, ev.DecisionMade(2, 0, Undo("eve")))
    assert not undone.earlier_cards[0].overridden
    newer = believed(2, Verdict.NO, BeliefSource.MODEL, 2)  # it rests on another answer by now
    assert not state(*events, newer, corrected).earlier_cards[0].overridden


def test_that_an_answer_reviewed_and_taken_back_is_the_models_and_in_doubt_no_more() -> None:
    model = answered(Verdict.YES)
    mine = answered(Verdict.NO, BeliefSource.OPERATOR)
    seen = (ev.FrameCaptured(1, Frame("f")), ASKED, ev.AnswersReceived(1, "f", ModelCall((model,), by="m")))
    found = (Contradiction((CLOSED,), "predicted yes, now no"),)
    said = (*seen, ev.AnswersReviewed(1, (mine,)), ev.BeliefChanged(1, (), found))
    before = state(*said)
    assert before.cards[0].overridden and before.counts.overrides == 1 and before.contradictions
    after = state(*said, ev.DecisionMade(1, 1, Undo("me")))
    assert not after.cards[0].overridden and after.counts.overrides == 0 and not after.contradictions


def test_that_long_waits_for_a_person_are_listed() -> None:
    proposal = Proposal(1, 1, ProposalKind.STEP, OPEN)
    told = records((ev.EpisodeStarted("t", "d", (), (), ()), ev.ActionProposed(proposal)))
    late = replace(records((ev.StepStarted(1, OPEN),))[0], monotonic=141.0)
    assert fold_records([*told, late]).waits == ((1.0, 41.0),)
    assert fold_records([*told, replace(late, monotonic=104.0)]).waits == ()
