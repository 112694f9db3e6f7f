"""The reader against a few thousand replies in the styles of real models: nothing lost, nothing misread."""

import time
import tomllib
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.belief import Verdict
from core.vqa.replies.reply_parser import parse_verdicts
from tests.core.vqa.reply_styles import FINALS, OPPOSITE, REASONS, TAGS, Made, made

LETTERS = {"y": Verdict.YES, "n": Verdict.NO, "?": Verdict.UNKNOWN}
TABLE = tomllib.loads(Path(__file__).with_name("replies_more.toml").read_text(encoding="utf-8"))["shape"]
BY_HAND = [
    Made(shape["name"], count, means, text) for shape in TABLE for count, means, text in shape["replies"]
]


def read(one: Made) -> tuple[Verdict, ...]:
    return parse_verdicts(one.text, one.count)


def lost(one: Made) -> bool:
    """Whether a clear answer is not read."""
    pairs = zip(parse_verdicts(one.text, one.count), one.means, strict=True)
    return any(verdict is Verdict.UNKNOWN and letter != "?" for verdict, letter in pairs)


def misread(one: Made) -> bool:
    """Whether a yes or no is read that the reply does not say."""
    pairs = zip(parse_verdicts(one.text, one.count), one.means, strict=True)
    return any(verdict not in (Verdict.UNKNOWN, LETTERS[letter]) for verdict, letter in pairs)


def test_that_a_further_reply_is_read_as_a_person_labelled_it() -> None:
    assert [one for one in BY_HAND if read(one) != tuple(LETTERS[letter] for letter in one.means)] == []


def test_that_of_all_styles_no_clear_answer_is_lost_and_none_is_misread() -> None:
    everything = [*BY_HAND, *made()]
    clear = [one for one in everything if set(one.means) - {"?"}]
    print(f"{len(everything)} replies, {len(clear)} of them clear")
    assert len(everything) >= 5000 and len(clear) >= 3500
    assert Counter(one.style for one in clear if lost(one)) == {}
    assert Counter(one.style for one in everything if misread(one)) == {}


def test_that_every_style_is_there_for_one_question_and_for_several() -> None:
    styles = Counter(one.count for one in made())
    assert {1, 2, 3, 4, 5} <= set(styles) and min(styles.values()) >= 30


YES_OR_NO = st.sampled_from(["yes", "no"])


@given(YES_OR_NO, st.sampled_from(FINALS), st.sampled_from(FINALS), st.sampled_from(TAGS), st.data())
def test_that_whoever_says_one_and_then_the_other_has_said_nothing(
    verdict: str, first: str, second: str, tag: str, data: st.DataObject
) -> None:
    reason = data.draw(st.sampled_from(REASONS[verdict])).capitalize()
    said = f"{first.format(verdict)}\n{reason}.\n{second.format(OPPOSITE[verdict])}{tag}"
    assert parse_verdicts(said, 1) == (Verdict.UNKNOWN,)


@pytest.mark.parametrize(
    "text",
    [
        "yes;" * 250_000,
        "<think>" + "yes or no? " * 90_000 + "</think>" + "1. yes\n" * 1_400,
        "\u2581é" * 500_000,
        "<answer>" * 125_000,
        '{"answers": [' + '"yes",' * 160_000 + '"no"]}',
        "<think>" * 150_000,
        "x" * 990_000 + "</think>" + "[1]," * 2_400,
        "x" * 990_000 + "</think>" + "yes" + " " * 9_000 + "x",
    ],
    ids=lambda text: f"{text[:8]}…{text[-8:]}",
)
def test_that_a_megabyte_is_read_in_less_than_a_tenth_of_a_second(text: str) -> None:
    def seconds() -> float:
        started = time.thread_time()
        assert parse_verdicts(text, 2) == (Verdict.UNKNOWN,) * 2
        return time.thread_time() - started

    assert min(seconds() for _ in range(3)) < 0.1


HOSTILE = [
    "<", "<answer>", "<answer>x<", "".join(f"<answer{n}>" for n in range(100)), "</answer>", "i also ",
    "i " + "really " * 50, "i " + "ly" * 300, "no, the ", "no, not ", "no, a " + "w" * 200, " ", " :",
    ", this is ",
]  # fmt: skip


@pytest.mark.parametrize("unit", HOSTILE)
def test_that_no_reply_takes_long_to_read(unit: str) -> None:
    def seconds(chars: int) -> float:
        started = time.thread_time()  # without what other threads of the tests do
        parse_verdicts((unit * (chars // len(unit) + 1))[:chars], 1)
        return time.thread_time() - started

    assert min(seconds(10_000) for _ in range(3)) < 1  # .3 alone, .54 beside others
