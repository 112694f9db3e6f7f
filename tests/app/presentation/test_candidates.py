"""What a person can choose from is listed at once, or not at all."""

from __future__ import annotations

import time

import pytest

from app.presentation.candidates import blocked_steps, executable_steps
from core.text.vocabulary import Vocabulary
from core.work import TooMuchWork
from tests.core.planning.test_large_products import LARGE, problem


@pytest.mark.parametrize("name", ["parameters", "effects"])
def test_that_a_list_that_would_hold_the_window_is_refused_in_a_sentence(name: str) -> None:
    large, began = problem(LARGE[name], objects=20), time.thread_time()
    words = Vocabulary()
    if name != "effects":
        with pytest.raises(TooMuchWork, match="Listing all that can be done needs more than"):
            executable_steps(large, words)
    blocked_steps(large, words, "a", 10)
    assert time.thread_time() - began < 10
