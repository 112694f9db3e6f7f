"""Which values of a long list `make test` tries; `make check-long` tries the others."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from _pytest.mark import ParameterSet

collect_long = True  # tests/conftest.py says whether any long test is asked for


def some(values: Iterable[Any], one_in: int) -> list[ParameterSet]:
    """Return the values as parameters of a test, of which all but the first of each few are long ones.

    Where none of these is asked for they are left out: a quarter of all tests would be made for nothing.
    """
    sets = (
        value
        if isinstance(value, ParameterSet)
        else pytest.param(*(value if isinstance(value, tuple) else (value,)))
        for value in values
    )
    return [
        pytest.param(
            *each.values, marks=[*each.marks, *([pytest.mark.long] if n % one_in else [])], id=each.id
        )
        for n, each in enumerate(sets)
        if collect_long or not n % one_in
    ]
