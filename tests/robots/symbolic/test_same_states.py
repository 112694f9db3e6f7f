"""That the symbolic robot's truth stays what it was for the same seeds."""

from __future__ import annotations

import json

import pytest

from tests.robots.symbolic.walks import FILE, digests


@pytest.mark.long
def test_that_50_walks_go_through_the_same_states_as_ever() -> None:
    expected = json.loads(FILE.read_text(encoding="utf-8"))
    found = digests()
    assert len(expected) == 50
    assert [name for name in expected if found[name] != expected[name]] == []
