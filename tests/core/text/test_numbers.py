"""What a person types means one number, or is refused in one sentence."""

from __future__ import annotations

import pytest

from core.errors import BadValue
from core.text.numbers import format_number, read_number, read_numbers, read_whole


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        *(("1.5", 1.5), ("1,5", 1.5), ("0.50", 0.5), ("0,125", 0.125), ("1.125", 1.125), (" 2 ", 2.0)),
        *((",5", 0.5), (".5", 0.5), ("3.", 3.0), ("-1,25", -1.25), ("+4", 4.0), ("1e-3", 0.001)),
        *(("1500.5", 1500.5), ("1500,5", 1500.5), ("0,000001", 1e-6), ("12,3456", 12.3456)),
    ],
)
def test_that_both_decimal_signs_are_read(typed: str, meant: float) -> None:
    assert read_number(typed) == meant


@pytest.mark.parametrize(
    "typed",
    [
        *("1.234,5", "1,234.5", "1 000", "1\u00a0000", "1_000", "1'000", "1,234,567", "1.234.567", "", "-"),
        *(",", ".", "nan", "inf", "1e999", "0x10", "١٫٥", "٣", "1.5 s", "--1", "1,,5", "1.5.", "a" * 500),
    ],
)
def test_that_what_is_no_plain_number_is_refused_in_one_sentence(typed: str) -> None:
    with pytest.raises(BadValue) as refused:
        read_number(typed)
    assert str(refused.value).endswith(" is no number: write digits and at most one point, such as 1234.5.")
    assert len(str(refused.value)) < 200


@pytest.mark.parametrize("typed", ["1,000", "12,500", "1,234", "-999,999"])
def test_that_a_comma_that_may_group_thousands_is_refused_with_both_meanings(typed: str) -> None:
    with pytest.raises(BadValue, match="could mean") as refused:
        read_number(typed)
    for meaning in (typed.replace(",", ""), typed.replace(",", ".")):
        assert meaning in str(refused.value)


@pytest.mark.parametrize("typed", ["1.000", "1,000", "1 000", "2.0", "1e3", "1_000", "", "²", "٣"])
def test_that_a_whole_number_is_digits_only(typed: str) -> None:
    with pytest.raises(BadValue, match="is no whole number"):
        read_whole(typed)


def test_that_a_list_says_where_one_number_ends() -> None:
    assert read_numbers("0,0.5,1,1.75") == read_numbers("0; 0,5; 1; 1,75") == (0, 0.5, 1, 1.75)
    assert read_numbers("0,1,2") == read_numbers("0 1 2") == (0, 1, 2)
    assert read_numbers("0.5, 1") == (0.5, 1)
    assert read_numbers("") == ()
    with pytest.raises(BadValue, match=r"could mean 0\.5 or the two numbers 0; 5"):
        read_numbers("0,5")


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0.5, "0.5"), (50.0, "50"), (1.75, "1.75"), (1e-6, "0.000001"), (-0.0, "0"), (1e8, "1" + "0" * 8)],
)
def test_that_numbers_are_shown_with_a_point_as_they_are_read(value: float, shown: str) -> None:
    assert format_number(value) == shown
    assert read_number(shown) == value
