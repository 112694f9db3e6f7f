"""Counts with their nouns."""

from __future__ import annotations

import pytest

from core.text.plural import plural


@pytest.mark.parametrize(
    ("n", "words"), [(0, "0 steps"), (1, "1 step"), (2, "2 steps"), (1200, "1,200 steps")]
)
def test_that_one_thing_stands_in_the_singular(n: int, words: str) -> None:
    assert plural(n, "step") == words
