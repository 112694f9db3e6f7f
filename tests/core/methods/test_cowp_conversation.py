"""COWP's conversation by itself: what is asked, and what is made of replies that are no answers."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from core.belief import Verdict
from core.knowledge.changes import NO_KNOWLEDGE, AddPrecondition, AllowSubstitute
from core.knowledge.suggestion import SituationReport, Suggestion
from core.methods.cowp.conversation import Conclusion, ConversationSetup, PersonQuestion, Request, TurnContext
from core.methods.cowp.inquiry import inquire
from core.methods.cowp.replies import told_in
from core.open_world.prompts import LanguagePrompt, PromptKind, listed
from core.open_world.world_file import load_open_world, stock_items
from core.planning.domain_library import load_domain_spec
from core.planning_model import Step
from core.policy import DomainChangeDecided

FOLDER = load_domain_spec("dining")
PROBLEM = FOLDER.tasks["serve_water"].problem
GRASP = Step("grasp", ("robot_1", "cup_1", "kitchen"))
FILL = Step("fill", ("robot_1", "cup_1", "faucet_1", "kitchen"))
STOCK = stock_items(load_open_world(FOLDER), ("mug", "dish_bowl", "sponge", "dishwasher"), frozenset())
DIRTY = SituationReport("the cup is dirty", ("cup_1",))
HUM = "A robot can do a great many things."
Said = Callable[[str], str]


def setup(lists: bool = True, plans: bool = True) -> ConversationSetup:
    needs_way = {"mug_1", "dish_bowl_1"}

    def plan(problem: object) -> tuple[Step, ...] | None:
        names = {o.name for o in problem.all_objects}  # type: ignore[attr-defined]
        return (GRASP,) if plans and names & needs_way else None

    return ConversationSetup(FOLDER, STOCK, plan, "serve water", frozenset(), "operate", lists)


def sensible(question: str) -> str:
    if "is suitable to" in question or "most suitable" in question:
        return "The mug."
    if "PDDL" in question:
        return "is_dirty"
    no = "fill the cup" in question or "sponge" in question or question.startswith("Can a")
    return "No, it is not." if no else "Yes."


def hold(
    said: Said = sensible, person: Verdict = Verdict.UNKNOWN, lists: bool = True, plans: bool = True
) -> tuple[list[Request], Conclusion]:
    """Hold the conversation, accepting what is suggested; return what was wanted, and the end."""
    conversation = inquire(setup(lists, plans), TurnContext(PROBLEM, (GRASP, FILL), NO_KNOWLEDGE), DIRTY)
    asked: list[Request] = []
    request = next(conversation)
    try:
        while True:
            asked.append(request)
            match request:
                case LanguagePrompt(text=text):
                    lines = [f"{n}. {said(line)}" for n, line in enumerate(listed(text), 1)]
                    request = conversation.send("\n".join(lines) or said(text))
                case PersonQuestion():
                    request = conversation.send(person)
                case Suggestion():
                    request = conversation.send(DomainChangeDecided(True, PROBLEM, request, NO_KNOWLEDGE))
    except StopIteration as over:
        return asked, over.value


def suggestions(asked: list[Request]) -> list[Suggestion]:
    return [request for request in asked if isinstance(request, Suggestion)]


def test_that_a_list_is_asked_for_in_one_call_and_leads_to_the_same() -> None:
    (few, _), (many, _) = hold(), hold(lists=False)
    assert [w.changes[2].change for w in suggestions(few)] == [AllowSubstitute("mug", "cup")]
    assert [[c.change for c in w.changes] for w in suggestions(few)] == [
        [c.change for c in w.changes] for w in suggestions(many)
    ]
    assert len(few) < len(many) and any(listed(w.text) for w in few if isinstance(w, LanguagePrompt))
    said = suggestions(few)[0].changes[2].evidence[0]
    assert said.prompt.startswith("Is it suitable") and said.raw_reply == "Yes."


def test_that_what_a_list_leaves_open_is_asked_alone_and_stricter() -> None:
    def unsure(question: str) -> str:
        strict = "the one word" in question
        return HUM if "fill the dish bowl" in question and not strict else sensible(question)

    asked, ended = hold(unsure)
    again = [w for w in asked if isinstance(w, LanguagePrompt) and w.stricter]
    assert len(again) == 1 and "fill the dish bowl" in again[0].text and ended.changed


@pytest.mark.parametrize(("word", "found"), [(Verdict.YES, True), (Verdict.UNKNOWN, False)])
def test_that_a_person_is_asked_what_the_model_left_open_twice(word: Verdict, found: bool) -> None:
    def hums(question: str) -> str:
        return HUM if "carry" in question or "grasp the mug" in question else sensible(question)

    asked, _ = hold(hums, word)
    (question,) = (w for w in asked if isinstance(w, PersonQuestion))
    assert question.text.endswith("?") and question.about == ("grasp", "robot_1", "mug_1", "kitchen")
    (suggested,) = suggestions(asked)
    mug = AllowSubstitute("mug", "cup") in [c.change for c in suggested.changes]
    assert mug is found


def test_that_replies_which_are_no_answers_end_in_one_sentence() -> None:
    asked, ended = hold(lambda question: HUM)
    assert not suggestions(asked) and not ended.changed
    assert ended.no_solution.startswith("There is no way to serve water if the cup is dirty")
    assert ended.no_solution.endswith("was no answer, which is no yes.")


def test_that_a_domain_that_can_no_longer_be_planned_is_not_suggested() -> None:
    asked, ended = hold(plans=False)
    assert not suggestions(asked) and "2 of the things at hand did not help" in ended.no_solution


def test_that_an_action_called_unsuitable_is_the_one_that_gets_the_precondition() -> None:
    (suggested,) = suggestions(hold()[0])
    assert suggested.changes[0].change == AddPrecondition("fill", "is_dirty", ("cup",))
    assert [w.purpose for w in hold()[0] if isinstance(w, LanguagePrompt)][:2] == [
        PromptKind.MONITOR,
        PromptKind.PREDICATE,
    ]


@pytest.mark.parametrize(
    ("reply", "sentence"),
    [
        ("The cup is dirty. Wash it.", "the cup is dirty"),
        ("Nothing is unusual.", ""),
        ("I see nothing unusual about the cup.", ""),
        ("There is nothing out of the ordinary.", ""),
        ("No, nothing is wrong with these things.", ""),
        ("Everything in the picture looks normal.", ""),
        ("I see nothing out of the ordinary except that the cup is broken.", "the cup is broken"),
        ("I see nothing unusual; the cup is broken.", "the cup is broken"),
        ("Although nothing else is wrong, the cup is broken.", "the cup is broken"),
        ("I don't see anything unusual.", ""),
        ("Nothing unusual, the robot can go on.", ""),
        ("All is fine but the cup is cracked.", "the cup is cracked"),
        ("Everything is fine, except for the dirty cup.", "the dirty cup"),
        ("No cup is visible.", "no cup is visible"),
        ("The cup contains nothing.", "the cup contains nothing"),
        ("I'm sorry, I can't help with that.", ""),
        ("", ""),
        ("The \x1b[31mcup\nfell", "the [31mcup"),
    ],
)
def test_that_a_vision_models_reply_is_one_plain_sentence_or_nothing(reply: str, sentence: str) -> None:
    assert told_in(reply) == sentence
