"""Stills of sampled tables, for training an eye."""

import os

import pytest

from core.belief import Atom
from core.planning import domain_library

pytestmark = [
    pytest.mark.gl,
    pytest.mark.skipif("MUJOCO_GL" not in os.environ, reason="draws in this process: set MUJOCO_GL=egl"),
]


def test_that_tables_are_drawn_with_things_everywhere_and_labelled() -> None:
    from robots.ur5e.tabletop.stills import TabletopStills

    _, task = domain_library.load_task("collect_toys")
    toys, containers = task.problem.of_type("toy"), task.problem.of_type("container")
    asked = (
        *(Atom("inview", ("robot", t)) for t in toys),
        *(Atom("ontable", (t,)) for t in toys),
        *(Atom("inside", (t, c)) for t in toys for c in containers),
        *(Atom("ingoal", (c,)) for c in containers),
    )
    stills = TabletopStills(task, 1)
    made = list(stills.stills(8, asked))
    stills.close()
    seen = {a.predicate for s in made for a, (_, shown) in zip(asked, s.labels, strict=True) if not shown}
    assert "inview" not in seen  # that a thing is not in the picture, the picture shows
    held = [{a for a, (holds, _) in zip(asked, s.labels, strict=True) if holds} for s in made]
    assert {a.predicate for facts in held for a in facts} == {"inview", "ontable", "inside", "ingoal"}
    for facts in held:
        for toy in toys:
            assert (
                sum(toy in a.args and a.predicate != "inview" for a in facts) <= 1
            )  # on the table, or in one container
    assert made[0].rgb.shape == (256, 256, 3)
