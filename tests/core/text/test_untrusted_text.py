"""Words from outside come out as words."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.text.untrusted_text import MAX_CHARS, MAX_LINE_CHARS, REPLACEMENT, one_line, sanitise, tooltip

HARMFUL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


@given(st.text(st.characters(exclude_categories=()), max_size=50) | st.binary(max_size=50).map(repr))
def test_that_nothing_comes_out_that_commands_a_terminal_or_turns_a_line_round(words: str) -> None:
    assert not HARMFUL.search(sanitise(words))
    assert "\n" not in one_line(words)


@pytest.mark.parametrize("words", ["", "the mug is in the cabinet", "5 µm\n\tund ≥ 3", "👩‍🔬: “no”"])
def test_that_ordinary_words_stay_as_they_are(words: str) -> None:
    assert sanitise(words) == words == tooltip(words)


@pytest.mark.parametrize(
    "words", ["\x1b]0;title\x07", "\x1b[2J", "\x9b31m", "no\u202eyes", "\ud800", "\x1b]52;c;cm0=\x07"]
)
def test_that_a_command_is_seen_and_does_nothing(words: str) -> None:
    assert REPLACEMENT in sanitise(words) and not HARMFUL.search(sanitise(words))


def test_that_every_way_to_break_a_line_is_one() -> None:
    assert sanitise("a\r\nb\rc\x0bd\x0ce\u2028f") == "a\nb\nc\nd\ne\nf"


@pytest.mark.parametrize("most", [1, 10, MAX_CHARS])
def test_that_no_text_is_longer_than_can_be_shown(most: int) -> None:
    assert len(sanitise("x" * 10**6, most)) == most
    assert len(sanitise("y" * most, most)) == most
    assert len(tooltip("<b>" * 10**6)) < 10 * MAX_LINE_CHARS


def test_that_a_page_is_shown_as_its_source() -> None:
    assert tooltip("<img src='/dev/zero'>") == (
        '<p style="white-space:pre-wrap">&lt;img src=&#x27;/dev/zero&#x27;&gt;</p>'
    )
