"""The picture of the facts: everything that holds is in it, within its bounds, the same every time."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from core.belief import Atom
from core.planning_model import Typed
from robots.symbolic.fact_picture import (
    BACKGROUND_COLOUR,
    SIZE,
    FactRow,
    Pill,
    _text_width,
    draw_rows,
    fact_rows,
)


def rows_for(folder, task, state=None):
    return fact_rows(task.problem, task.problem.state if state is None else state, folder.display_name)


def test_that_every_fact_is_in_the_row_of_its_first_argument(pair) -> None:
    folder, task = pair("blocks")
    rows = {row.name: [pill.text for pill in row.pills] for row in rows_for(folder, task)}
    assert rows == {
        "": ["handempty"], "a": ["ontable"], "b": ["clear", "ontable"], "c": ["clear", "on a"],
    }  # fmt: skip


def test_that_facts_no_action_changes_are_quiet_and_come_last(home) -> None:
    house = home("boil_water")
    rows = {row.name: row.pills for row in rows_for(house.folder, house.task)}
    assert [(p.text, p.static) for p in rows["sink-n-01_1"]] == [
        ("inroom kitchen", False),
        ("insource water", True),
    ]


def test_that_the_same_facts_paint_the_same_picture_and_other_facts_another(pair) -> None:
    folder, task = pair("blocks")
    first, _ = draw_rows(rows_for(folder, task))
    again, _ = draw_rows(rows_for(folder, task))
    other, _ = draw_rows(rows_for(folder, task, task.problem.state - {Atom("clear", ("b",))}))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


@pytest.mark.parametrize("blocks", [1, 12, 40])
def test_that_rows_are_drawn_within_the_picture_and_do_not_overlap(pair, blocks: int) -> None:
    folder, task = pair("blocks")
    names = [f"b{n}" for n in range(blocks)]
    state = frozenset(Atom(p, (n,)) for n in names for p in ("clear", "ontable"))
    problem = replace(task.problem, objects=tuple(Typed(n, "block") for n in names), state=state)
    picture, boxes = draw_rows(rows_for(folder, replace(task, problem=problem)))
    assert picture.shape == (SIZE, SIZE, 3) and picture.dtype == np.uint8
    assert [box.name for box in boxes] == names  # b2 before b10
    for above, below in pairwise(boxes):
        assert below.top >= above.bottom or below.left >= above.right
    for box in boxes:
        inside = picture[int(box.top) : int(box.bottom), int(box.left) : int(box.right)]
        assert (inside != BACKGROUND_COLOUR).any()
    margin = np.concatenate([picture[:2].reshape(-1, 3), picture[-2:].reshape(-1, 3)])
    assert (margin == BACKGROUND_COLOUR).all()


def test_that_what_does_not_fit_is_counted_and_not_silently_left_out(pair) -> None:
    folder, task = pair("blocks")
    names = [f"block_number_{n}" for n in range(300)]
    state = frozenset(Atom("ontable", (n,)) for n in names)
    problem = replace(task.problem, objects=tuple(Typed(n, "block") for n in names), state=state)
    picture, boxes = draw_rows(rows_for(folder, replace(task, problem=problem)))
    assert 0 < len(boxes) < 300
    for above, below in pairwise(boxes):
        assert below.top >= above.bottom or below.left >= above.right
    size = len(picture)
    corner = picture[size - 14 : size - 2, size - 70 :]
    assert (corner != BACKGROUND_COLOUR).any()


def test_that_a_world_without_facts_is_blank_paper() -> None:
    picture, boxes = draw_rows(())
    assert (picture == BACKGROUND_COLOUR).all() and boxes == ()


def test_that_a_full_kitchen_is_drawn_whole_twice_as_large_and_nothing_over_anything_else() -> None:
    rows = [
        FactRow(f"thing {n}", f"condiment shaker {n}", 0, (Pill("at dining room", 0),)) for n in range(80)
    ]
    picture, boxes = draw_rows(rows)
    assert picture.shape[:2] == (2 * SIZE, 2 * SIZE)
    assert [box.name for box in boxes] == [row.name for row in rows]
    for box, row in zip(boxes, rows, strict=True):  # what is written ends within the row's own column
        assert _text_width(row.label, 0.7) + _text_width("at dining room", 0.7) < box.right - box.left
