"""Situations that a model is asked to see, and edits of a person that cannot be applied, in episodes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core import events as ev
from core.belief import Answer, Atom, Verdict
from core.config import Settings
from core.episode import run_components
from core.knowledge.changes import AddFact, AddPrecondition, AllowSubstitute, Change
from core.loop.gate import AutoOperator
from core.operator import AcceptEdited, AnswerReview, Decision, End, Proposal, ProposalKind, TellSituation
from core.ports import ChatMessage, Embodiment, Reply
from core.stop_token import StopToken
from core.supervision import SUPERVISION_PRESETS, SupervisionLevels
from main import make_components
from tests.core.looping import only


class Seer:
    """A vision model that says one thing."""

    name = "a seer"

    def __init__(self, said: str) -> None:
        self.said, self.pictures = said, 0

    def ask(self, messages: tuple[ChatMessage, ...], pictures: tuple[bytes, ...], cancel: StopToken) -> Reply:
        self.pictures += len(pictures)
        return Reply(self.said, self.name)


class Person(AutoOperator):
    """Asks the model to look, says whether it is so, and ends at the gate."""

    def __init__(self, preset: str, word: Verdict = Verdict.UNKNOWN) -> None:
        super().__init__(Embodiment.SIM)
        self.levels, self.word, self.looks = SUPERVISION_PRESETS[preset], word, [TellSituation("", "ada")]

    @property
    def supervision(self) -> SupervisionLevels:
        return self.levels

    def review(self, review: AnswerReview) -> tuple[Answer, ...]:
        assert review.queries[0].text == "The model sees: the cup is dirty. Is that so?"
        return tuple(replace(answer, verdict=self.word) for answer in review.answers)

    def next_correction(self) -> TellSituation | None:  # type: ignore[override]
        return self.looks.pop() if self.looks else None

    def decide(self, proposal: Proposal) -> Decision:
        return End("enough", "ada")


def run(operator: AutoOperator, said: str = "", method: str = "cowp", stock: str = "bowl") -> list[ev.Event]:
    options = {"robot.chance": "0", "robot.stock": stock}
    if not said:
        options["robot.situation"] = "the cup is dirty"
    settings = Settings("serve_water", method=method, answerer="perfect", knower="perfect", options=options)
    parts = make_components(replace(settings, pictures=bool(said)))
    try:
        parts = replace(parts, model=Seer(said)) if said else parts
        return list(run_components(parts, operator, StopToken()))
    finally:
        parts.close()


def told(events: list[ev.Event]) -> list[tuple[str, str]]:
    return [(e.situation.sentence, e.situation.by) for e in only(events, ev.SituationNoticed)]


@pytest.mark.parametrize(
    ("preset", "word", "counts"),
    [
        ("Watch", Verdict.UNKNOWN, True),
        ("Approve", Verdict.YES, True),
        ("Approve", Verdict.NO, False),
        ("Approve", Verdict.UNKNOWN, False),
    ],
)
def test_that_what_a_model_sees_counts_if_a_person_says_so(preset: str, word: Verdict, counts: bool) -> None:
    events = run(Person(preset, word), "The cup is dirty.")
    assert told(events) == ([("the cup is dirty", "a seer")] if counts else [])
    (asked,) = (e for e in only(events, ev.ModelConsulted) if e.purpose == "what is unusual?")
    assert asked.frame and asked.interpretation == "the cup is dirty"
    given = [e for e in only(events, ev.DecisionMade) if isinstance(e.decision, TellSituation)]
    assert [e.proposal for e in given] == [0]  # it answers no proposal
    assert "dining table" in asked.messages[0].text
    assert counts or "nobody said that it is so" in only(events, ev.Notice)[0].text


@pytest.mark.parametrize(
    ("said", "method", "sentence"),
    [
        ("Nothing is unusual.", "cowp", "nothing in the picture is unusual"),
        ("The moon is full.", "cowp", "names nothing that the domain knows"),
        ("The cup is dirty.", "progprompt", "has no model look: tell a sentence."),
    ],
)
def test_that_a_look_that_is_of_no_use_is_told_in_one_sentence(said: str, method: str, sentence: str) -> None:
    events = run(Person("Watch"), said, method)
    assert any(sentence in e.text for e in only(events, ev.Notice))
    assert not only(events, ev.DomainChanged)


class Editing(AutoOperator):
    """Edits the first suggestion so, and ends at the next one."""

    def __init__(self, *changes: Change) -> None:
        super().__init__(Embodiment.SIM)
        self.changes = [changes]

    def decide(self, proposal: Proposal) -> Decision:
        if proposal.kind is ProposalKind.DOMAIN_CHANGE and self.changes:
            return AcceptEdited(self.changes.pop(), "ada")
        return End("enough", "ada")


FORBID = AddPrecondition("fill", "is_dirty", ("cup",))
DIRTY = AddFact(Atom("is_dirty", ("cup_1",)))
SERVED = AddFact(Atom("water_served", ("table_1",)))


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ((FORBID, DIRTY), "no plan was found with it"),
        ((SERVED,), "makes the goal true at once"),
        ((AllowSubstitute("mug", "cup"), AllowSubstitute("cup", "mug")), "keep one of the two"),
    ],
)
def test_that_a_faulty_edit_is_told_and_leaves_the_domain(changes: tuple[Change, ...], why: str) -> None:
    events = run(Editing(*changes))
    (notice,) = (e for e in only(events, ev.Notice) if e.level == "fault")
    assert notice.text.startswith("The edited change is not applied") and why in notice.text
    assert not only(events, ev.DomainChanged)
    assert [e.proposal.kind for e in only(events, ev.ActionProposed)] == [ProposalKind.DOMAIN_CHANGE] * 2
