"""COWP in whole episodes of the dining domain: what it learns, what it suggests, and when it gives up."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import pytest

from core import events as ev
from core.belief import Verdict
from core.config import Settings
from core.episode import run_components
from core.errors import AnswererError
from core.events import EpisodeResult
from core.knowledge.changes import AddPrecondition, AddRepair, AllowSubstitute
from core.loop.gate import AutoOperator
from core.methods.cowp.acquirer import repaired_quality
from core.methods.cowp.replies import named_thing, predicate_in, yes_or_no
from core.operator import Decision, Proposal, ProposalKind, RefuseSuggestion
from core.ports import ChatMessage, Embodiment, Model, Reply
from core.stop_token import StopToken
from main import make_components
from tests.core.looping import only

BOWL = AllowSubstitute("dish_bowl", "cup")
DISHWASHER = AddRepair("operate", "dishwasher", "is_dirty", "cup")


@dataclass
class Refusing(AutoOperator):
    """Refuses every suggestion that `wants` does not like."""

    wants: Callable[[Proposal], bool] = field(default=lambda proposal: False)

    def __post_init__(self) -> None:
        super().__init__(Embodiment.SIM)

    def decide(self, proposal: Proposal) -> Decision:
        if proposal.kind is ProposalKind.DOMAIN_CHANGE and not self.wants(proposal):
            return RefuseSuggestion("me")
        return super().decide(proposal)


def episode(
    stock: str,
    situation: str = "the cup is dirty",
    method: str = "cowp",
    operator: AutoOperator | None = None,
    knower: str = "perfect",
    model: Model | None = None,
    task: str = "serve_water",
    **more: str,
) -> list[ev.Event]:
    options = {"robot.situation": situation, "robot.stock": stock, **more}
    settings = Settings(
        task, method=method, answerer="perfect", pictures=False, knower=knower, options=options
    )
    parts = make_components(settings)
    parts = replace(parts, model=model or parts.model)
    try:
        return list(run_components(parts, operator or AutoOperator(Embodiment.SIM), StopToken()))
    finally:
        parts.close()


def learnt(events: list[ev.Event]) -> Iterator[object]:
    changed = only(events, ev.DomainChanged)
    return (one.change for one in changed[-1].knowledge) if changed else iter(())


def ended(events: list[ev.Event]) -> ev.EpisodeEnded:
    assert isinstance(events[-1], ev.EpisodeEnded)
    return events[-1]


def test_that_another_thing_takes_the_place_of_one_that_cannot_be_used() -> None:
    events = episode("bowl,dishwasher")
    assert BOWL in learnt(events) and ended(events).true_goal
    assert AddPrecondition("fill", "is_dirty", ("cup",)) in learnt(events)
    used = {arg for e in only(events, ev.StepFinished) for arg in e.step.args}
    assert "dish_bowl_1" in used and "cup_1" not in used


def test_that_every_prompt_and_reply_is_logged_and_lists_only_save_calls() -> None:
    lists, single = (episode("bowl,mug", **more) for more in ({}, {"method.one_call": "false"}))
    few, many = (only(events, ev.ModelConsulted) for events in (lists, single))
    assert 3 < len(few) < len(many) / 2
    assert all(e.messages[-1].text and e.raw_reply and e.interpretation for e in (*few, *many))
    assert tuple(learnt(lists)) == tuple(learnt(single)) and ended(lists).true_goal


def test_that_a_device_repairs_what_nothing_replaces() -> None:
    events = episode("dishwasher")
    assert DISHWASHER in learnt(events) and ended(events).true_goal
    assert "operate" in {e.step.name for e in only(events, ev.StepFinished)}


@pytest.mark.parametrize("stock", ["sponge", "oven"])
def test_that_it_says_why_there_is_no_way(stock: str) -> None:
    end = ended(episode(stock))
    assert end.result is EpisodeResult.NO_PLAN and "if the cup is dirty" in end.reason
    assert not end.believed_goal


def test_that_a_refused_thing_is_not_suggested_again_and_the_next_one_is() -> None:
    def is_no_bowl(proposal: Proposal) -> bool:
        assert proposal.suggestion is not None
        return BOWL not in {one.change for one in proposal.suggestion.changes}

    events = episode("bowl,mug", operator=Refusing(is_no_bowl))
    offered = [e.proposal.suggestion for e in only(events, ev.ActionProposed) if e.proposal.suggestion]
    assert len(offered) == 2 and ended(events).true_goal
    assert only(events, ev.DomainChanged)[-1].refused == (BOWL,)


def test_that_whoever_refuses_everything_keeps_the_old_domain() -> None:
    events = episode("bowl,dishwasher", operator=Refusing())
    assert not tuple(learnt(events)) and not ended(events).believed_goal


def test_that_what_is_missing_leaves_no_plan_and_is_replaced_all_the_same() -> None:
    assert ended(episode("mug", "the cup is missing")).true_goal


def test_that_a_harmless_situation_changes_nothing() -> None:
    events = episode("bowl", "the cup is green")
    assert not only(events, ev.DomainChanged) and ended(events).true_goal


@pytest.mark.parametrize(
    ("told", "fault"),
    [
        ("the moon is full", "names nothing"),
        ("die Tasse ist schmutzig", "names nothing"),
        ("  ", "empty"),
        ("the cup is not dirty", "says what is not so"),
        ("the cup is no longer broken", "says what is not so"),
        ("the cup is broken and the faucet leaks", "several things at once"),
        ("the house is on fire", "danger"),
        ("a child is standing in front of the faucet", "danger"),
    ],
)
def test_that_a_situation_of_which_nothing_may_follow_is_told_in_one_sentence(told: str, fault: str) -> None:
    parts = make_components(Settings("serve_water", method="cowp", answerer="perfect", pictures=False))
    from core.policy import Context, HandlesSituations

    try:
        assert isinstance(parts.method, HandlesSituations)
        report = parts.method.read_situation(
            Context(parts.task.problem, parts.method.begin(parts.task.problem)), told, ""
        )
    finally:
        parts.close()
    assert fault in report.fault and report.fault.endswith(".")


def test_that_what_is_not_understood_pauses_the_episode() -> None:
    events = episode("bowl", "a child is standing in front of the faucet")
    assert not only(events, ev.StepFinished) and "danger" in ended(events).reason
    assert ended(episode("bowl", "the faucet is not found")).reason  # no denial


class Unreachable:
    name = "a model"

    def ask(self, messages: Sequence[ChatMessage], pictures: Sequence[bytes], cancel: StopToken) -> Reply:
        raise AnswererError("The model cannot be reached: check the network.")


def test_that_a_model_that_cannot_be_reached_is_named_and_nothing_is_learnt() -> None:
    events = episode("bowl", model=Unreachable())
    reason = ended(events).reason
    assert "could not be asked about: the cup is dirty. The model cannot be reached" in reason
    assert not only(events, ev.DomainChanged)


@pytest.mark.parametrize("method", ["cw", "lmzsp"])
def test_that_baselines_without_feedback_fail_or_claim_falsely(method: str) -> None:
    assert not ended(episode("bowl", method=method)).true_goal


@pytest.mark.parametrize(
    ("method", "situation"),
    [
        ("ek", "the cup is missing"),
        ("progprompt", "the cup is dirty"),
        ("inner-monologue", "the cup is dirty"),
    ],
)
def test_that_baselines_with_knowledge_use_another_thing(method: str, situation: str) -> None:
    stock = "coffee cup,drinking glass,measuring cup,mug,wine glass,bowl"
    assert ended(episode(stock, situation, method)).true_goal


def test_that_a_model_sees_that_what_nobody_would_accept_was_done_all_the_same() -> None:
    """The table is laid with the dirty fork: the model goes on with the plate, and the claim is false."""
    events = episode("sponge", "the fork is dirty", "inner-monologue", task="set_table")
    laid = [e.step.name for e in only(events, ev.StepFinished) if e.step.name.startswith("lay")]
    assert laid == ["lay_fork", "lay_plate"]
    assert ended(events).result is EpisodeResult.SUCCEEDED and not ended(events).true_goal


@pytest.mark.parametrize(
    ("reply", "verdict"),
    [
        ("No, it is not suitable for a robot to fill a cup if the cup is broken.", Verdict.NO),
        ("Yes, a robot can fill the bowl.", Verdict.YES),
        ("No, a sponge is not good enough.", Verdict.NO),
        ("No, I am not sure enough.", Verdict.UNKNOWN),
        ("A robot can find a glass if the glass is missing.", Verdict.UNKNOWN),
        ("", Verdict.UNKNOWN),
    ],
)
def test_that_a_reply_that_is_no_answer_is_unknown(reply: str, verdict: Verdict) -> None:
    assert yes_or_no(reply) is verdict


@pytest.mark.parametrize(
    ("reply", "chosen"),
    [
        ("Mug", "mug"),
        ("The dish bowl.", "dish bowl"),
        ("A **mug** would be best, because it is not dirty.", "mug"),
        ("1. mug", "mug"),
        ("Water.", None),
        ("The bowl, not the dish bowl.", None),
        ("I would not use a cooking pot; use a mug.", None),
        ("None of these, though a mug comes close", None),
        ("Anything but the mug", None),
        ("The mug is too small", None),
        ("Mug? No.", None),
        ("I recommend against the cooking pot.", None),
        ("I wouldn't take the mug.", None),
        ("A mug is not suitable.", None),
        ("Not the measuring cup but the mug", None),
        ("a mug is better than a measuring cup", None),
        ("The mug (the cooking pot is too big).", None),
    ],
)
def test_that_a_choice_is_what_a_reply_asserts_and_not_what_it_mentions(
    reply: str, chosen: str | None
) -> None:
    assert named_thing(reply, ["cooking pot", "mug", "measuring cup", "bowl", "dish bowl"]) == chosen


def test_that_only_a_legal_name_is_read() -> None:
    assert predicate_in(" is_dirty ?cup") == "is_dirty" and predicate_in("Dirty!") == ""
    assert repaired_quality("is_dirty") == "clean" and repaired_quality("is_bent") == "not bent"
