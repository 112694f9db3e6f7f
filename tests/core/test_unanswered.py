"""Silence is a failure with a cause: no episode goes on or claims its goal on calls that nobody answered."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import pytest

from core import events as ev
from core.belief import Answer, BeliefSource, Query, Verdict
from core.methods.baselines import OpenLoop, PreconditionsOnly
from core.methods.dkprompt import DKPrompt
from core.operator import Correct, Decision, Proposal, ProposalKind, Replan
from core.planning_model import Literal
from core.ports import Frame, ModelCall, all_unknown
from core.reason import Cause
from core.stop_token import StopToken
from robots.symbolic.robot import SymbolicRobot
from tests.core import tiny
from tests.core.looping import Scripted, Setting, Truthful, only

SILENT, ANSWER, SKIP = "It sent an empty reply.", "", "skip"
AJAR = replace(tiny.PROBLEM, goal=(Literal(tiny.CLOSED.predicate, tiny.CLOSED.args, False),))  # of one step


@dataclass
class Moody:
    """Answers truthfully, skips, or fails with a cause, call by call; the last mood stays."""

    robot: SymbolicRobot
    moods: list[str]
    name: str = "moody"
    asked: list[tuple[str, ...]] = field(default_factory=list)

    def answer(self, frame: Frame, queries: Sequence[Query], turn: int, cancel: StopToken) -> ModelCall:
        self.asked.append(tuple(query.text for query in queries))
        mood = self.moods.pop(0) if len(self.moods) > 1 else self.moods[0]
        if mood == ANSWER:
            return Truthful(self.robot).answer(frame, queries, turn, cancel)
        error = "" if mood == SKIP else mood
        return ModelCall(all_unknown(queries, turn, frame.id, ""), by=self.name, error=error)


@dataclass
class Helper(Scripted):
    """Lets everything pass, and says this where help is needed."""

    help: Decision | None = None

    def decide(self, proposal: Proposal) -> Decision:
        if proposal.kind is ProposalKind.HELP_NEEDED and self.help is not None:
            return self.help
        return super().decide(proposal)


def setting(*moods: str, help: Decision | None = None) -> Setting:
    robot = SymbolicRobot(tiny.folder(), tiny.TASK)
    return Setting(robot, Moody(robot, list(moods)), Helper(help=help))


def ended(happened: list[ev.Event]) -> ev.EpisodeEnded:
    (last,) = only(happened, ev.EpisodeEnded)
    return last


def test_that_three_calls_without_an_answer_end_an_episode_that_nobody_watches() -> None:
    made = setting(SILENT)
    last = ended(made.run())
    assert last.result is ev.EpisodeResult.ENDED
    assert last.reason == f"The model never answered: {SILENT}"
    assert len(made.answerer.asked) == 3


def test_that_they_pause_it_where_somebody_is_there_who_may_go_on() -> None:
    made = setting(SILENT, SILENT, SILENT, ANSWER, help=Replan("ada"))
    happened = made.run()
    helps = [e.proposal for e in only(happened, ev.ActionProposed) if e.proposal.step is None]
    assert [h.reason.cause for h in helps] == [Cause.NO_ANSWER]
    assert helps[0].explanation == f"The model never answered: {SILENT}"
    assert ended(happened).result is ev.EpisodeResult.SUCCEEDED


def test_that_an_answer_between_them_starts_the_count_anew_and_changes_the_words() -> None:
    made = replace(setting(ANSWER, SILENT), problem=AJAR)
    last = ended(made.run())
    assert last.reason == f"The model has not answered 3 times in a row: {SILENT}"


def test_that_a_claim_asks_again_what_a_failed_call_left_open() -> None:
    made = replace(setting(ANSWER, SILENT, ANSWER), problem=AJAR)
    happened = made.run()
    assert ended(happened).result is ev.EpisodeResult.SUCCEEDED
    assert len(made.answerer.asked) == 3 and made.answerer.asked[2] == made.answerer.asked[1]
    changes = [e for event in only(happened, ev.BeliefChanged) for e in event.changes]
    assert [e.source for e in changes if e.atom == tiny.CLOSED][-1] is BeliefSource.MODEL


@pytest.mark.parametrize("method", [DKPrompt, PreconditionsOnly])
@pytest.mark.parametrize("mood", [SILENT, SKIP])
def test_that_no_goal_is_claimed_where_nothing_was_answered(method: type, mood: str) -> None:
    made = replace(setting(mood), problem=AJAR, policy=method(tiny.folder(), AJAR))
    last = ended(made.run())
    assert last.result is ev.EpisodeResult.ENDED and last.believed_goal
    assert "never answered" in last.reason or re.search("predictions alone: of [12] question", last.reason)


def test_that_a_person_who_looks_for_themselves_lets_the_claim_pass() -> None:
    seen = Correct((Answer(tiny.CLOSED, Verdict.NO, BeliefSource.OPERATOR, by="ada"),), "ada")
    made = replace(setting(SKIP, help=seen), problem=AJAR)
    assert ended(made.run()).result is ev.EpisodeResult.SUCCEEDED


def test_that_a_method_that_asks_nothing_claims_as_ever() -> None:
    made = replace(setting(SILENT), problem=AJAR, policy=OpenLoop(tiny.folder(), AJAR))
    assert ended(made.run()).result is ev.EpisodeResult.SUCCEEDED
