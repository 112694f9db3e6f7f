"""Scripted, recorded, asking a model, voting, and choosing one of them by name."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from core.belief import Atom, Query, Verdict
from core.errors import AnswererError, BadFile, BadValue, UnknownName
from core.ports import Answerer, ChatMessage, Frame, ModelCall, Reply
from core.stop_token import StopToken
from core.vqa.answerers.model_answerer import ModelAnswerer
from core.vqa.answerers.scripted import ScriptedAnswerer, load_script
from core.vqa.answerers.vote import VoteAnswerer
from core.vqa.prompt import load_prompt
from core.vqa.registry import ModelSettings, make_answerer

YES, NO, UNKNOWN = Verdict.YES, Verdict.NO, Verdict.UNKNOWN
INSIDE = Query(Atom("inside", ("mug", "cabinet")), "Is the mug inside the cabinet?")
CLOSED = Query(Atom("closed", ("cabinet",)), "Is the cabinet open?", negated=True)
BOTH = (INSIDE, CLOSED)
FRAME = Frame("f1", png=b"png")


def verdicts(
    answerer: Answerer, queries: Sequence[Query] = BOTH, frame: Frame = FRAME, turn: int = 1
) -> list[Verdict]:
    return [a.verdict for a in answerer.answer(frame, queries, turn, StopToken()).answers]


@dataclass
class Parrot:
    """A model that says what it was told to say, and remembers what it was asked."""

    says: list[str]
    name: str = "parrot"
    heard: list[tuple[Sequence[ChatMessage], Sequence[bytes]]] = field(default_factory=list)

    def ask(self, messages: Sequence[ChatMessage], pictures: Sequence[bytes], cancel: StopToken) -> Reply:
        self.heard.append((messages, pictures))
        return Reply(self.says.pop(0), "parrot-1", tokens_in=10, tokens_out=2, cost=0.5, seconds=0.1)


class Silent:
    name = "silent"

    def answer(self, frame: Frame, queries: Sequence[Query], turn: int, cancel: StopToken) -> ModelCall:
        raise AnswererError("Nobody is there.")


# --- scripted ---


def test_that_a_script_is_read_as_a_model_would_be_and_turned_to_its_atoms() -> None:
    scripted = ScriptedAnswerer(["Yes; No.", "yes"])
    assert verdicts(scripted) == [YES, YES]  # not open: closed
    assert verdicts(scripted) == [UNKNOWN, UNKNOWN]  # one answer for two questions


def test_that_a_script_at_its_end_says_so() -> None:
    call = ScriptedAnswerer([]).answer(FRAME, BOTH, 4, StopToken())
    assert [a.verdict for a in call.answers] == [UNKNOWN, UNKNOWN]
    assert "no further reply" in call.answers[0].raw_reply
    with pytest.raises(AnswererError, match="no further reply"):
        ScriptedAnswerer([]).ask([], [], StopToken())


def test_that_a_script_file_is_checked(tmp_path: Path) -> None:
    path = tmp_path / "s.json"
    path.write_text('["yes;no"]')
    assert verdicts(load_script(path)) == [YES, YES]
    for text in ("[", "{}", "[1]", "[" * 100_000):
        path.write_text(text)
        with pytest.raises(BadFile, match=r"s\.json"):
            load_script(path)


# --- asking a model ---


def test_that_a_model_is_asked_once_with_the_very_picture() -> None:
    parrot = Parrot(["yes;no"])
    call = ModelAnswerer(parrot, load_prompt()).answer(FRAME, BOTH, 2, StopToken())
    assert [a.verdict for a in call.answers] == [YES, YES]
    assert (call.raw_reply, call.by, call.tokens, call.cost) == ("yes;no", "parrot-1", 12, 0.5)
    assert call.prompt.startswith("dkprompt 1")
    ((messages, pictures),) = parrot.heard
    assert messages[1].text == f"{INSIDE.text}; {CLOSED.text}"
    assert pictures == [b"png"]


def test_that_a_reply_that_cannot_be_aligned_is_asked_for_once_more_and_both_are_kept() -> None:
    parrot = Parrot(["Yes to both, I would say", "yes;yes"])
    call = ModelAnswerer(parrot, load_prompt()).answer(FRAME, BOTH, 2, StopToken())
    assert [a.verdict for a in call.answers] == [YES, NO]
    assert "Yes to both" in call.raw_reply
    assert call.raw_reply.endswith("yes;yes")
    assert (call.tokens, call.cost) == (24, 1.0)
    assert "exactly that many words" in parrot.heard[1][0][1].text


def test_that_two_unreadable_replies_are_unknown_and_that_is_the_end_of_it() -> None:
    parrot = Parrot(["I am sorry", "I am very sorry", "yes;yes"])
    call = ModelAnswerer(parrot, load_prompt()).answer(FRAME, BOTH, 2, StopToken())
    assert [a.verdict for a in call.answers] == [UNKNOWN, UNKNOWN]
    assert "I am sorry" in call.raw_reply
    assert "I am very sorry" in call.raw_reply
    assert parrot.says == ["yes;yes"]


def test_that_skipping_is_an_answer_and_not_asked_for_again() -> None:
    parrot = Parrot(["skip;skip"])
    assert verdicts(ModelAnswerer(parrot, load_prompt())) == [UNKNOWN, UNKNOWN]
    assert len(parrot.heard) == 1


def test_that_one_question_a_call_costs_one_call_a_question() -> None:
    parrot = Parrot(["yes", "Nope.", "huh", "no"])
    answerer = ModelAnswerer(parrot, load_prompt("single"))
    assert verdicts(answerer) == [YES, YES]
    assert verdicts(answerer, [INSIDE]) == [NO]


def test_that_structured_answers_are_read() -> None:
    parrot = Parrot(['{"answers": [{"number": 1, "answer": "no"}, {"number": 2, "answer": "skip"}]}'])
    assert verdicts(ModelAnswerer(parrot, load_prompt("structured"))) == [NO, UNKNOWN]


def test_that_no_questions_cost_no_call() -> None:
    assert ModelAnswerer(Parrot([]), load_prompt()).answer(FRAME, [], 1, StopToken()).answers == ()


# --- voting ---


def vote(*replies: str) -> VoteAnswerer:
    return VoteAnswerer([ScriptedAnswerer([reply], f"m{n}") for n, reply in enumerate(replies)])


def test_that_a_vote_needs_more_than_half_of_all_voters() -> None:
    assert verdicts(vote("yes;yes", "yes;skip", "no;no")) == [YES, UNKNOWN]
    assert verdicts(vote("yes;no", "no;no")) == [UNKNOWN, YES]


def test_that_every_voters_words_are_on_record() -> None:
    call = vote("yes;yes", "I refuse", "no;no").answer(FRAME, BOTH, 1, StopToken())
    for said in ("[m0] yes;yes", "[m1] I refuse", "[m2] no;no"):
        assert said in call.raw_reply
    assert call.answers[1].raw_reply == "m0: yes; m1: unknown; m2: no"


def test_that_a_voter_who_stays_away_is_one_vote_less_until_all_do() -> None:
    two = [ScriptedAnswerer(["yes;no"], "a"), ScriptedAnswerer(["yes;yes"], "b")]
    assert verdicts(VoteAnswerer([Silent(), *two])) == [YES, UNKNOWN]
    with pytest.raises(AnswererError, match="Nobody"):
        verdicts(VoteAnswerer([Silent(), Silent()]))
    with pytest.raises(BadValue):
        VoteAnswerer([])


# --- choosing ---


class Nothing:
    situation = ""

    def truth(self) -> frozenset[Atom]:
        return frozenset()

    def is_observable(self, atom: Atom) -> bool:
        return False


def test_that_answerers_are_chosen_by_name_or_file(tmp_path: Path) -> None:
    assert verdicts(make_answerer("perfect", truth=Nothing())) == [NO, NO]
    script = tmp_path / "s.json"
    script.write_text(json.dumps(["no;no"]))
    assert verdicts(make_answerer(str(script))) == [NO, YES]
    assert verdicts(make_answerer("perfect+perfect", truth=Nothing())) == [NO, NO]


def test_that_a_wrong_answerer_is_told_in_one_sentence(tmp_path: Path) -> None:
    (notes := tmp_path / "notes.txt").write_text("yes; no")
    with pytest.raises(BadFile, match=r"scripts of replies in \.json"):
        make_answerer(str(notes), truth=Nothing())
    with pytest.raises(UnknownName, match=r"did you mean gpt-4\.1-household"):
        make_answerer("gpt-4.1-houshold", truth=Nothing())
    with pytest.raises(BadValue, match="this robot tells none"):
        make_answerer("perfect")
    with pytest.raises(BadFile, match="no such file"):
        make_answerer("nowhere.toml", truth=Nothing())


@pytest.mark.parametrize(
    ("name", "model"),
    [("ollama", "qwen2.5vl:7b"), ("ollama:llava:13b", "llava:13b"), ("http://localhost:1/v1", "default")],
)
def test_that_a_model_is_chosen_by_preset_name_or_address(name: str, model: str) -> None:
    answerer = make_answerer(name)
    assert answerer.name == model
    assert make_answerer(name, asking=ModelSettings(model="mine")).name == "mine"


def test_that_a_preset_of_ones_own_is_told_from_a_profile(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('name = "mine"\nabout = "x"\nbase_url = "http://localhost:1/v1"\nmodel = "m"\n')
    assert make_answerer(str(path)).name == "m"
    path.write_text('name = "mine"\nabout = "x"\nbase_url = "http://localhost:1/v1"\n')
    with pytest.raises(BadFile, match=r"mine\.toml: model is missing"):
        make_answerer(str(path))
