"""A method's results are kept in its object, one for each choice of arguments."""

from __future__ import annotations

from core.planning.remembered import remembered


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
