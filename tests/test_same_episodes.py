"""That plain DKPROMPT does the same for the same seeds as it did when the method had ten functions."""

from __future__ import annotations

import json

from tests.same_episodes import FILE, cases, digest, played


def test_that_200_episodes_are_the_same_as_ever() -> None:
    expected = json.loads(FILE.read_text(encoding="utf-8"))
    found = {name: digest(played(settings, errs)) for name, errs, settings in cases()}
    different = {name for name in expected if found[name] != expected[name]}
    assert not different, f"{len(different)} differ: {sorted(different)[:5]}"
