"""Values of a log are checked before they are used."""

from __future__ import annotations

import pytest

from core.belief import Atom
from core.errors import LogError
from core.log.integrity.validation import MAX_NUMBER, parse_atom, parse_columns, parse_json


def test_that_an_atom_is_read() -> None:
    assert parse_atom('["on", "lamp"]') == Atom("on", ("lamp",))


@pytest.mark.parametrize("text", ["=cmd()", "", "[]", "7", '["on", 3]', '{"on": "lamp"}', "[" * 9_999])
def test_that_what_is_no_atom_is_one_sentence(text: str) -> None:
    with pytest.raises(LogError, match="as an atom"):
        parse_atom(text)


@pytest.mark.parametrize("text", ["NaN", "[Infinity]", '{"seconds": -Infinity}'])
def test_that_what_is_no_number_in_json_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is no number in JSON"):
        parse_json(text)


def test_that_what_is_nested_too_deep_is_refused() -> None:
    with pytest.raises(ValueError, match="nested too deep"):
        parse_json("[" * 99_999)


def test_that_the_largest_number_is_read_and_one_above_it_is_refused() -> None:
    assert parse_columns((float, int), (-MAX_NUMBER, int(MAX_NUMBER))) == (-MAX_NUMBER, int(MAX_NUMBER))
    with pytest.raises(LogError):
        parse_columns((int,), (int(MAX_NUMBER) + 1,))
