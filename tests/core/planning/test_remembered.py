"""A method's results are kept in its object, one for each choice of arguments."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.planning import compiled
from core.planning.remembered import remembered
from core.planning_model import Typed
from tests.core import tiny


class Counted:
    def __init__(self) -> None:
        self.calls = 0

    @remembered
    def twice(self, number: int) -> int:
        self.calls += 1
        return 2 * number


def test_that_a_method_is_called_once_for_each_argument_and_object() -> None:
    one, other = Counted(), Counted()
    assert [one.twice(1), one.twice(1), one.twice(2), other.twice(1)] == [2, 2, 4, 2]
    assert (one.calls, other.calls) == (2, 1)


def test_that_only_the_last_compiled_problems_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "_CACHED_PROBLEMS", 2)
    monkeypatch.setattr(compiled, "_COMPILED", {})
    more = [tuple(Typed(f"key{n}", "thing") for n in range(count)) for count in range(3)]
    problems = [replace(tiny.PROBLEM, objects=tiny.PROBLEM.objects + things) for things in more]
    first, *_ = made = [compiled.compiled(problem) for problem in problems]
    assert compiled.compiled(problems[2]) is made[2] and compiled.compiled(problems[0]) is not first
    assert len(compiled._COMPILED) == 2
