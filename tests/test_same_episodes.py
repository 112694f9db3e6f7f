"""That plain DKPROMPT does the same for the same seeds as it did when the method had ten functions."""

from __future__ import annotations

import json

import pytest

from tests.same_episodes import FOLDER, cases, digest, played


@pytest.mark.parametrize("every", [7, pytest.param(1, marks=pytest.mark.long)])
def test_that_episodes_are_the_same_as_ever(every: int) -> None:
    """Of 200, each seventh: from every task, of both answerers and of both variants."""
    expected = json.loads((FOLDER / "dkprompt.json").read_text(encoding="utf-8"))
    chosen = list(cases())[::every]
    assert len(chosen) == len(expected) // every + (every > 1)
    different = sorted(name for name, errs, now in chosen if digest(played(now, errs)) != expected[name])
    assert not different, f"{len(different)} differ: {different[:5]}"
