"""The regression set: stills over ten seeds, with questions that a stranger can answer from them.

Whether they can be judged was judged by eye (`docs/kitchen.md` shows the sheets). Here cheap checks guard
them: what is asked about has pixels, nothing is too dark or burnt out, boxes hold what they name.
`python -m tests.robots.kitchen.test_stills FOLDER` draws the sheets again.
"""

from __future__ import annotations

import sys
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from core.belief import Atom
from robots.kitchen.household.state import HAND, in_view
from robots.kitchen.rendering.offscreen_renderer import STILL_FORMAT, OffscreenRenderer
from tests.robots.kitchen.conftest import KitchenHarness, Make, make_household

SEEDS = range(10)
SAMPLE = 3  # the seed that every run draws, of every sixteenth still


@dataclass(frozen=True)
class Still:
    name: str
    task: str
    steps: list[str]
    ask: list[list[str]]
    only: str = ""
    fails: int = field(default=0)  # which step goes wrong, counted from 1; 0: the last


STILLS = [Still(**s) for s in tomllib.loads((Path(__file__).parent / "stills.toml").read_text())["still"]]


def played(make: Make, still: Still, seed: int) -> KitchenHarness:
    """The household after the still's steps, of which one goes wrong if it says so."""
    home = make(still.task, seed=seed, only=still.only)
    situations, wrong = home.world._situations, still.fails or len(still.steps)
    for number, text in enumerate(still.steps, 1):
        home.world._situations = (
            situations if still.only and number == wrong else dict.fromkeys(situations, ())
        )
        happening, _ = home.do(home.step(*text.split()))
        assert happening.situation == (still.only if number == wrong else ""), happening.reason
    return home


def answer(home: KitchenHarness, about: str) -> str:
    """yes or no, as the world has it."""
    words = about.split()
    positive = words[0] != "not"
    predicate, *starts = words if positive else words[1:]
    names = [o.name for o in home.task.problem.all_objects]
    args = tuple(next(n for n in names if n.startswith(start)) for start in starts)
    if predicate == "inview":
        args = (home.world.things.agent, *args)
    return "yes" if (Atom(predicate, args) in home.world.truth()) == positive else "no"


def drawn(home: KitchenHarness) -> NDArray[np.uint8]:
    camera = OffscreenRenderer(home.body.built.model, STILL_FORMAT)
    try:
        return camera.colour(home.body.snapshot)
    finally:
        camera.close()


def check(make: Make, still: Still, seed: int) -> None:
    home = played(make, still, seed)
    for question, about, expected in still.ask:
        assert answer(home, about) == expected, question
    picture, masks = drawn(home), home.masks()
    grey = picture.mean(2)
    assert 45 < grey.mean() < 215, "exposure"
    assert (grey < 12).mean() < 0.02 and (picture.min(2) > 250).mean() < 0.02, "too dark or burnt out"
    for name in in_view(home.world.things, home.world.state):
        assert masks[name].sum() > 150, f"{name} is too small to see"
    for name, place in home.world.state.places.items():
        if place == HAND:
            assert masks[name].sum() > 400, f"{name} in the hand is not seen"
    for box in home.body.boxes():
        if box.name in home.world.things.movables:
            rows, columns = np.nonzero(masks[box.name])
            inside = (
                (columns >= box.left - 1)
                & (columns <= box.right)
                & (rows >= box.top - 1)
                & (rows <= box.bottom)
            )
            assert not inside.size or inside.mean() > 0.97, f"the box of {box.name}"  # none: behind glass


@pytest.mark.long
@pytest.mark.gl
@pytest.mark.usefixtures("needs_gl")
@pytest.mark.parametrize("seed", [SAMPLE])
@pytest.mark.parametrize("still", STILLS[::16], ids=lambda s: s.name)
def test_that_a_still_can_be_judged(household: Make, still: Still, seed: int) -> None:
    check(household, still, seed)


@pytest.mark.gl
@pytest.mark.long
@pytest.mark.usefixtures("needs_gl")
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("still", STILLS, ids=lambda s: s.name)
def test_that_the_stills_of_all_ten_seeds_can_be_judged(household: Make, still: Still, seed: int) -> None:
    check(household, still, seed)


def sheets(folder: Path) -> None:
    """One sheet a still: ten seeds, the questions with their answers below."""
    import cv2

    folder.mkdir(parents=True, exist_ok=True)
    for number, still in enumerate(STILLS):
        pictures = [drawn(played(make_household, still, seed)) for seed in SEEDS]
        rows = [np.hstack(pictures[k : k + 5]) for k in (0, 5)]
        foot = np.full((22, rows[0].shape[1], 3), 250, np.uint8)
        text = "   ".join(f"{question} {answer}" for question, _, answer in still.ask)
        cv2.putText(foot, text, (6, 16), cv2.FONT_HERSHEY_SIMPLEX, 0.5, (20, 20, 20), 1, cv2.LINE_AA)
        sheet = np.vstack([*rows, foot])
        cv2.imwrite(str(folder / f"{number:02d} {still.name.replace(',', '')}.png"), sheet[:, :, ::-1])


if __name__ == "__main__":
    sheets(Path(sys.argv[1]))
