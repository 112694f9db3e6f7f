"""Work over bindings is counted: a budget ends it, and so does a cancel."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from core.errors import Cancelled
from core.stop_token import StopToken
from core.work import TooMuchWork, Work, combinations, work_in_force

ROOT = Path(__file__).parents[2]
# Each stops after so many, or counts what it makes.
COUNT_THEMSELVES = {"core/work.py", "core/planning/pddl/formulas.py", "app/presentation/candidates.py"}
OWN_DOMAINS = {"robots/kitchen/stills.py"}  # never a domain from outside


def test_that_a_budget_ends_and_names_what_took_too_much() -> None:
    with Work(10_000, about="Grounding 'x'") as work:
        work.spend(10_000)
        with pytest.raises(TooMuchWork, match="Grounding 'x' needs more than 10,000 bindings"):
            work.spend(1_000)


def test_that_a_budget_within_another_draws_from_both() -> None:
    with Work(5_000) as outer, Work() as inner:
        with pytest.raises(TooMuchWork, match="more than 5,000"):
            for _ in range(10):
                inner.spend(1_000)
        assert work_in_force() is inner
    assert work_in_force() not in (inner, outer)


def test_that_a_cancel_known_only_to_an_outer_budget_ends_an_inner_one() -> None:
    cancel = StopToken()
    with Work(cancel=cancel), Work() as inner:
        cancel.end("enough")
        with pytest.raises(Cancelled, match="enough"):
            inner.spend(1_000)
    with pytest.raises(Cancelled), Work(cancel=cancel):
        pass


def test_that_time_is_a_limit_too() -> None:
    with Work(seconds=0.0) as work, pytest.raises(TooMuchWork):
        work.spend(1_000)


def test_that_combinations_are_counted_before_the_first_is_made() -> None:
    assert list(combinations(["ab", "c"])) == [("a", "c"), ("b", "c")] and list(combinations([])) == [()]
    with Work(100), pytest.raises(TooMuchWork, match="10,000,000,000 bindings"):
        next(combinations([range(10)] * 10))  # type: ignore[list-item]


def test_that_no_other_product_of_a_problems_objects_is_made() -> None:
    found = set()
    for file in (f for part in ("core", "app", "robots") for f in (ROOT / part).rglob("*.py")):
        text = file.read_text()
        if re.search(r"^from itertools import .*\bproduct\b", text, re.MULTILINE) and "of_type" in text:
            found.add(str(file.relative_to(ROOT)))
    assert found <= COUNT_THEMSELVES | OWN_DOMAINS
