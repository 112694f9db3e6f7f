from __future__ import annotations

from collections.abc import Iterable

import pytest

from scripts.circles import circles, faults


def circle(*names: str) -> frozenset[str]:
    return frozenset(names)


def test_that_modules_that_import_one_way_are_in_no_circle() -> None:
    assert circles({"a": ["b", "c"], "b": ["c"], "c": []}) == []


def test_that_every_module_of_a_circle_is_found_and_no_other() -> None:
    imports = {"in": ["a"], "a": ["b"], "b": ["c"], "c": ["a", "out"], "out": []}
    assert circles(imports) == [circle("a", "b", "c")]


def test_that_two_circles_joined_by_one_import_are_two() -> None:
    assert set(circles({"a": ["b"], "b": ["a", "c"], "c": ["d"], "d": ["c"]})) == {
        circle("a", "b"),
        circle("c", "d"),
    }


@pytest.mark.parametrize(
    ("found", "allowed", "says"),
    [
        ([circle("a", "b")], [circle("a", "b")], []),
        ([circle("a", "b")], [], ["a, b import each other"]),
        ([circle("a", "b", "c")], [circle("a", "b")], ["a, b, c import each other", "a, b: no longer"]),
        ([circle("a", "b")], [circle("a", "b", "c")], ["c: no longer"]),
        ([], [circle("a", "b")], ["a, b: no longer"]),
    ],
)
def test_that_the_allowed_circles_only_shrink(
    found: Iterable[frozenset[str]], allowed: Iterable[frozenset[str]], says: list[str]
) -> None:
    said = faults(found, allowed)
    assert len(said) == len(says)
    assert all(line.startswith(start) for line, start in zip(said, says, strict=True))
