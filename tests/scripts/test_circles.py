from __future__ import annotations

from scripts.circles import circle


def test_that_modules_that_import_one_way_are_in_no_circle() -> None:
    assert circle({"a": ["b", "c"], "b": ["c"], "c": []}) == []


def test_that_a_circle_is_shown_in_the_order_of_its_imports_and_without_others() -> None:
    found = circle({"in": ["a"], "a": ["b"], "b": ["c"], "c": ["a", "out"], "out": []})
    assert "".join(found) in ("abca", "bcab", "cabc")
