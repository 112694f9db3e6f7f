"""Records folded into a story: what a screen shows is only what was recorded."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count

from core import events as ev
from core.cancel import Cancel
from core.deciding import Approve, Continue, Correct, Need, Proposal, Revision, Undo
from core.facts import Answer, Query, Source, Verdict
from core.gate import Automatic
from core.log.codec import read_record, write_record
from core.log.recorder import Nowhere, Recorder
from core.loop import run_episode
from core.methods.dkprompt import DKPrompt
from core.planning.planner import make_planner
from core.ports import Call, Ending, Frame, Message, Outcome
from core.problem import Plan, PlanStatus, Step
from core.story import LineState, Phase, Story
from core.telling import after, told
from robots.symbolic.robot import SymbolicRobot
from tests.core import tiny
from tests.core.looping import Truthful
from tests.core.tiny import CLOSED, OPEN, SHUT, TAKE

ASKED = ev.Asked(1, "f", (Query(CLOSED, "Is the door open?", opposite=True),))


def records(events: Iterable[ev.Event]) -> list[ev.Record]:
    """One a second."""
    clock = count(100.0)
    return list(Recorder(Nowhere(), monotonic=clock.__next__).record_events(events))


def story(*events: ev.Event) -> Story:
    return told(records((ev.Started("t", "d", (), (), ()), *events)))


def planned(*steps: Step, old: tuple[Step, ...] = (), turn: int = 0) -> ev.Planned:
    return ev.Planned(Revision(turn, old, Plan(PlanStatus.FOUND, steps)))


def answered(verdict: Verdict, source: Source = Source.MODEL) -> Answer:
    return Answer(CLOSED, verdict, source, turn=1, frame="f")


def an_episode() -> list[ev.Record]:
    robot = SymbolicRobot(tiny.folder(0.5, 0.5), tiny.TASK, seed=5, pictures=False)
    events = run_episode(
        "get_key", tiny.PROBLEM, robot, Truthful(robot), make_planner(),
        DKPrompt(tiny.folder(), tiny.PROBLEM), Automatic(), Cancel(),
    )  # fmt: skip
    return records(events)


def test_that_what_is_read_back_tells_the_same_story() -> None:
    live = an_episode()
    assert told(read_record(write_record(r)) for r in live) == told(live)


def test_that_the_counts_are_those_of_the_events() -> None:
    live = an_episode()
    events, counts = [r.event for r in live], told(live).counts
    assert counts.steps == sum(isinstance(e, ev.Acted) for e in events) > 2
    assert counts.calls == sum(isinstance(e, ev.Answered) for e in events)
    assert counts.questions == sum(len(e.queries) for e in events if isinstance(e, ev.Asked))
    assert counts.replans == sum(isinstance(e, ev.Planned) for e in events) - 1 > 0


def test_that_the_belief_is_the_one_that_was_logged() -> None:
    live = an_episode()
    assert told(live).belief.state == {tiny.HOLDING}


def test_that_a_card_waits_until_its_answer_counts() -> None:
    asked = story(ASKED)
    assert asked.phase is Phase.ASKING and asked.cards[0].pending
    said = ev.Answered(1, "f", Call((answered(Verdict.YES),), "no", "m"))
    shown = story(ASKED, said)
    assert shown.phase is Phase.REVIEWING and shown.cards[0].model and shown.cards[0].pending
    own = answered(Verdict.NO, Source.OPERATOR)
    counted = story(ASKED, said, ev.Reviewed(1, (own,)))
    assert counted.cards[0].final == own and counted.cards[0].overridden and counted.counts.overrides == 1


def test_that_a_new_plan_keeps_what_was_done_and_strikes_what_is_no_longer_in_it() -> None:
    acted = ev.Acted(1, OPEN, Outcome(Ending.DONE))
    after_it = story(planned(OPEN, TAKE), ev.Acting(1, OPEN), acted, planned(SHUT, old=(TAKE,), turn=2))
    assert [(line.step, line.state) for line in after_it.lines] == [
        (OPEN, LineState.DONE),
        (TAKE, LineState.DROPPED),
        (SHUT, LineState.NEXT),
    ]


def test_that_a_plan_that_was_not_taken_changes_nothing() -> None:
    revision = Revision(1, (OPEN,), Plan(PlanStatus.FOUND, (SHUT,)))
    kept = story(planned(OPEN, TAKE), ev.Offered(revision), ev.Planned(revision, accepted=False))
    assert kept.lines == story(planned(OPEN, TAKE)).lines
    assert kept.offered is None and kept.counts.replans == 0


def test_that_a_stop_stands_until_it_is_released() -> None:
    shown = Proposal(1, 1, Need.RELEASE, stop=1)
    stopped = (ev.StopRequested(1, "Esc"), ev.Proposed(shown))
    held = story(*stopped)
    assert held.phase is Phase.STOPPED and held.stop and not held.stop.released
    released = story(*stopped, ev.Decided(1, 1, Continue(1, "me")))
    assert released.stop and released.stop.released


def test_that_motion_ends_what_can_be_taken_back() -> None:
    corrected = ev.Decided(1, 1, Correct((answered(Verdict.NO, Source.OPERATOR),), "me"))
    assert story(corrected).undoable == 1
    assert story(corrected, ev.Decided(2, 1, Undo("me"))).undoable == 0
    assert story(corrected, ev.Decided(2, 1, Approve("me")), ev.Acting(1, OPEN)).undoable == 0


def test_that_time_is_the_recorders_and_counts_from_the_start() -> None:
    told_at = story(ev.Observed(1, Frame("f")), ASKED)
    assert (told_at.now, told_at.since) == (2.0, 2.0)


def test_that_one_record_at_a_time_is_the_same_as_all_at_once() -> None:
    live, step_by_step = an_episode(), Story()
    for record in live:
        step_by_step = after(step_by_step, record)
    assert step_by_step == told(live)


def test_that_a_methods_own_calls_stand_beside_the_turns_questions_and_count() -> None:
    first = ev.Consulted(1, "count", (Message("user", "How many?"),), "f", "four", "4", "wordy", 0.5, 7, 0.25)
    lost = ev.Consulted(1, "count", first.messages, "", "", "", "", error="No model is chosen.")
    seen = story(ev.Observed(1, Frame("f")), first, lost)
    assert [(c.number, c.event) for c in seen.consultations] == [(1, first), (2, lost)]
    counts = seen.counts
    assert (counts.consultations, counts.calls, counts.tokens, counts.cost) == (2, 1, 7, 0.25)
    assert seen.marks[-2].label == "wordy (count)"
    later = story(ev.Observed(1, Frame("f")), first, ev.Observed(2, Frame("g")))
    assert later.consultations == () and later.counts.consultations == 1
