import json
import re
import tomllib
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from core.belief import Answer, Atom, BeliefSource, Query, Verdict
from core.vqa.replies.cleaning import final_words
from core.vqa.replies.json_replies import find_json
from core.vqa.replies.reply_parser import count_matches, parse_answers, parse_verdicts

LETTERS = {"y": Verdict.YES, "n": Verdict.NO, "?": Verdict.UNKNOWN}
TABLE = tomllib.loads(Path(__file__).with_name("replies.toml").read_text(encoding="utf-8"))["shape"]
CASES = [
    (shape["name"], count, tuple(LETTERS[letter] for letter in means), text)
    for shape in TABLE
    for count, means, text in shape["replies"]
]


def test_that_a_text_is_read_up_to_a_number_of_sentences() -> None:
    said = [parse_verdicts(count * "It is small. " + "Therefore yes.", 1)[0] for count in (199, 200)]
    assert said == [Verdict.YES, Verdict.UNKNOWN]


def test_that_the_table_is_large_enough_to_mean_something() -> None:
    assert len(CASES) >= 200


def test_that_a_reply_is_read_as_a_person_labelled_it() -> None:
    assert [case for case in CASES if parse_verdicts(case[3], case[1]) != case[2]] == []


WORDS = st.sampled_from(["yes", "no", "skip"])
MEANS = {"yes": Verdict.YES, "no": Verdict.NO, "skip": Verdict.UNKNOWN}
SPOKEN = re.compile(r"\b(?:yes|no|y|n|yeah|yep|yup|nope|nah|true|false)\b", re.IGNORECASE)
STYLES: dict[str, Callable[[list[str]], str]] = {
    "as asked": ";".join,
    "spaced": " ; ".join,
    "with a full stop": lambda words: "; ".join(words).capitalize() + ".",
    "lines": "\n".join,
    "bullets": lambda words: "\n".join(f"- {word}." for word in words),
    "numbered": lambda words: "\n".join(f"{n}. {word}" for n, word in enumerate(words, 1)),
    "JSON": json.dumps,
    "JSON objects": lambda words: json.dumps({"answers": [{"answer": word} for word in words]}),
    "fence": lambda words: f"```json\n{json.dumps(words)}\n```",
    "tags": lambda words: "".join(f"<answer>{word}</answer>" for word in words),
    "after a thought": lambda words: f"<think>yes or no?</think>{';'.join(words)}",
}


@given(st.lists(WORDS, min_size=1, max_size=12), st.sampled_from(sorted(STYLES)))
def test_that_what_is_said_plainly_is_read_in_every_style(words: list[str], style: str) -> None:
    assert parse_verdicts(STYLES[style](words), len(words)) == tuple(MEANS[word] for word in words)


@given(st.lists(WORDS, min_size=1, max_size=12), st.sampled_from(sorted(STYLES)), st.integers(1, 14))
def test_that_another_number_of_answers_is_unknown_for_all(words: list[str], style: str, count: int) -> None:
    assume(count != len(words))
    assert parse_verdicts(STYLES[style](words), count) == (Verdict.UNKNOWN,) * count


@given(st.text(), st.integers(0, 9))
def test_that_any_text_gives_a_verdict_for_each_question(text: str, count: int) -> None:
    assert len(parse_verdicts(text, count)) == count


TOKENS = r"""yes no skip not know maybe ; , . : 1. 2. ( ) [ ] { } " ' * - | null true answers Answer: İ ①
    <answer> </answer> <think> </think> ``` ```json \boxed{ <|im_end|>"""
PIECES = st.sampled_from([*re.findall(r"\S+", TOKENS), "Is it open?", "the mug", "\n", " ", "\ud800", "\x00"])


@given(st.lists(PIECES, max_size=40), st.sampled_from(["", " "]), st.integers(0, 5))
def test_that_no_reply_raises_however_it_is_put_together(pieces: list[str], between: str, count: int) -> None:
    assert len(parse_verdicts(between.join(pieces), count)) == count


TALK = st.lists(st.sampled_from(["I", "cannot", "know;", "nobody", "notes", "a", "yesterday"])).map(" ".join)


@given(st.text() | TALK)
def test_that_a_text_without_an_answer_word_never_becomes_yes_or_no(text: str) -> None:
    assume(not SPOKEN.search(unicodedata.normalize("NFKC", text)))
    for count in (1, 2, 3):
        assert parse_verdicts(text, count) == (Verdict.UNKNOWN,) * count


@given(
    st.lists(WORDS, max_size=3),
    st.sampled_from(["", "the mug", "no cup is there", "yes or no", "yes no", "not", "1"]),
    st.lists(WORDS, min_size=1, max_size=3),
)
def test_that_a_reply_with_an_unreadable_part_is_unknown_for_all(
    before: list[str], broken: str, after: list[str]
) -> None:
    words = [*before, broken, *after]
    assert parse_verdicts(";".join(words), len(words)) == (Verdict.UNKNOWN,) * len(words)


@pytest.mark.parametrize(
    "text",
    [
        "yes;" * 1_000_000,
        "[" * 9_999,
        '{"answer":' * 900 + "1" + "}" * 900,
        "```" + "a" * 9_990,
        "!" * 9_990 + "x",
        "a" * 9_990 + ";",
        "<answer>" * 1_240,
        "answer " * 1_400,
        "? " * 4_900,
        "1. yes\n" * 1_400,
        "no, cannot " * 900,
        "9" * 9_990,
    ],
    ids=lambda text: text[:12],
)
def test_that_a_huge_reply_is_unknown(text: str) -> None:
    assert parse_verdicts(text, 2) == (Verdict.UNKNOWN,) * 2
    assert parse_verdicts(text, 1) == (Verdict.UNKNOWN,)


@pytest.mark.parametrize(
    ("text", "count", "whether"),
    [("yes;no", 2, True), ("skip", 1, True), ("I cannot tell.", 1, True), ("yes", 2, False), ("", 1, False),
     ("I'm sorry, but I can't help with that.", 1, False), ("The mug is on the shelf.", 1, False)],
)  # fmt: skip
def test_that_a_skip_is_an_answer_and_a_refusal_is_none(text: str, count: int, whether: bool) -> None:
    assert count_matches(text, count) is whether


def test_that_the_answer_to_a_negated_question_is_about_its_fact() -> None:
    queries = [
        Query(Atom("open", (n,)), "", negated) for n, negated in (("cabinet", False), ("fridge", True))
    ]
    assert parse_answers("yes;yes", queries, 3, "frame", "model") == tuple(
        Answer(query.atom, verdict, BeliefSource.MODEL, "yes;yes", 3, "frame", "model")
        for query, verdict in zip(queries, (Verdict.YES, Verdict.NO), strict=True)
    )


def test_that_a_second_sentence_counts_beside_one_answer_and_not_beside_a_list() -> None:
    assert parse_verdicts("yes\nno one is there", 1) == (Verdict.UNKNOWN,)
    assert parse_verdicts("yes, no\nno one is there", 2) == (Verdict.YES, Verdict.NO)


def test_that_json_may_begin_after_one_character_and_only_with_a_bracket() -> None:
    assert find_json(':{"answer": "yes"}') == (True, {"answer": "yes"}, ":\n")
    assert not find_json('{{"answer": "yes"}')[0] and not find_json('\n"yes"')[0]


def test_that_an_answer_beside_json_that_was_cut_off_is_unknown() -> None:
    assert parse_verdicts('yes\n{"answer": "y', 1) == (Verdict.UNKNOWN,)


@pytest.mark.parametrize(
    ("reply", "quoted"),
    [
        ("<think>Let me look. The egg is cut.</think>\nno;\nyes", "no; yes"),
        ("<think>Let me look at the picture again, so it is no", "…he picture again, so it is no"),
        ("<think>all of it was thought</think>", "…all of it was thought</think>"),
        ("Yes, the knife lies on top of the countertop", "Yes, the knife lies on top of…"),
        ("yes", "yes"),
    ],
)
def test_that_what_is_quoted_is_what_a_model_said_last(reply: str, quoted: str) -> None:
    assert final_words(reply, 30) == quoted
