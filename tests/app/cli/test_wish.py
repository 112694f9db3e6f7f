from __future__ import annotations

import json

import pytest

from tests.command import call


def test_that_a_wish_has_steps_tests_and_a_plan_and_nothing_moves() -> None:
    pytest.importorskip("pydantic_monty")
    done = call("wish", "put the strawberry onto the light-grey region", "--scene", "berry1", "--json")
    found = json.loads(done.output.splitlines()[-1])
    assert done.exit_code == 0 and found["by"] == "grammar, not a model" and not found["why"]
    assert found["plan"] == ["(pick strawberry)", "(place_ontop strawberry light_grey_region)"]
    assert list(found["tests"]) == ["1"] and found["goal_tests"] and found["samples"] and found["asked"] == 3


def test_that_a_wish_without_a_plan_says_why_and_a_wrong_scene_is_refused() -> None:
    done = call("wish", "behead the strawberry", "--json")
    found = json.loads(done.output.splitlines()[-1])
    assert done.exit_code == 1 and "not understood: 'behead'" in found["why"] and not found["plan"]
    wrong = call("wish", "x", "--scene", "berry9")
    assert wrong.exit_code == 2 and "did you mean berry_" in wrong.output
