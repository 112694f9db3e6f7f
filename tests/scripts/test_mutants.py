"""Mutants are made of what a function says, and a test that fails or hangs has noticed one."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from scripts.mutants import mutants_of, outcome

SOURCE = '''
LIMIT = 3

def small(x: int, log) -> bool:
    """Return True if x is small."""
    log.info("asked")
    if not x:
        raise ValueError(f"{x + 1} is too much")
    while x > 100:
        log.info("too much")
        x -= 1
    return x < LIMIT and x >= 0
'''

TEST = """
import time
from small import small

class Log:  # so that what hangs takes no processor time
    def info(self, said):
        time.sleep(0.01)

def test_it():
    assert small(101, Log()) is False
"""


def test_that_each_operator_condition_and_statement_is_changed_once() -> None:
    made = dict(mutants_of(SOURCE))
    assert sorted(name.split(": ", 1)[1] for name in made) == sorted(
        [
            "not x -> not not x",
            "raise ValueError(f'{x + 1} is too much') -> pass",
            "x > 100 -> x >= 100",
            "100 -> 101",
            "x -= 1 -> x += 1",
            "1 -> 2",
            "return x < LIMIT and x >= 0 -> return None",
            "x < LIMIT and x >= 0 -> x < LIMIT or x >= 0",
            "x < LIMIT -> x <= LIMIT",
            "x >= 0 -> x > 0",
            "0 -> 1",
        ]
    )
    assert len({ast.dump(ast.parse(source)) for source in made.values()}) == len(made)


@pytest.mark.long
def test_that_a_survivor_a_failure_and_a_hang_are_told_apart(tmp_path: Path) -> None:
    (tmp_path / "small.py").write_text(SOURCE)
    (tmp_path / "test_small.py").write_text(TEST)
    said = {
        name.split(": ", 1)[1]: outcome(tmp_path, "small.py", source, ["test_small.py"], 15)
        for name, source in mutants_of(SOURCE)
        if name.endswith(("-> x += 1", "-> x <= LIMIT", "-> x < LIMIT or x >= 0"))
    }
    assert said == {
        "x -= 1 -> x += 1": "hung",
        "x < LIMIT -> x <= LIMIT": "survived",
        "x < LIMIT and x >= 0 -> x < LIMIT or x >= 0": "killed",
    }
    assert (tmp_path / "small.py").read_text() == SOURCE
