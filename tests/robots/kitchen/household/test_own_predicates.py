"""A predicate that only the domain folder knows, by the page: what it says of itself, the kitchen does."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from core.belief import Atom
from core.config import Settings
from core.planning import domain_library
from robots.kitchen.household.household import unsupported_reasons
from robots.kitchen.motion.animator import Animator
from robots.kitchen.scene.assignment import assign_bodies
from robots.kitchen.scene.builder import build_scene
from robots.kitchen.scene.loader import load_scene
from robots.stop_latch import Latch
from tests.episodes import episode
from tests.robots.conftest import Home

ROOT = Path(__file__).parents[4]
PAGE = ROOT / "docs" / "kitchen.md"
CABINET, MUG, SINK = "cabinet-n-01_1", "mug-n-04_1", "sink-n-01_1"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The household with the predicate of the page, in one variant."""
    copy = shutil.copytree(domain_library.DOMAINS_FOLDER / "household", tmp_path / "household")
    edits = re.findall(r"^- `(\S+)`: `(.+)` becomes\n  `(.+)`$", PAGE.read_text(), re.MULTILINE)
    assert len(edits) == 3 and len({file for file, *_ in edits}) == 1
    for file, old, new in edits:
        in_place(copy / file, old, new)
    (words,) = re.findall(r"```toml\n(\[predicates\.rinsed\]\n.*?)```", PAGE.read_text(), re.DOTALL)
    in_place(copy / "domain.toml", "[predicates.inview]", f"{words}\n[predicates.inview]")
    return copy


def in_place(file: Path, old: str, new: str) -> None:
    text = file.read_text()
    assert text.count(old) == 1, old
    file.write_text(text.replace(old, new))


def home(folder: Path, **options: object) -> Home:
    spec = domain_library.load_domain_spec(folder)
    return Home(spec, spec.tasks["boil_water"], **{"openness": 0.0, **options})


def fill_the_mug(house: Home) -> Home:
    """Do what leads up to it, and fill it."""
    for action, *things in (
        ("find", CABINET), ("openit", CABINET), ("find", MUG), ("graspin", MUG, CABINET), ("find", SINK),
        ("fillsink", SINK), ("fill", MUG, SINK),
    ):  # fmt: skip
        house.do(action, *things)
    assert house.holds("filled", MUG, house.one("liquid"))
    return house


def test_that_the_kitchen_takes_it_from_the_two_files_of_the_page(folder: Path) -> None:
    spec = domain_library.load_domain_spec(folder)
    assert unsupported_reasons(spec, spec.tasks["boil_water"]) == ()
    house = home(folder)
    assert not house.holds("rinsed", MUG)
    assert fill_the_mug(house).holds("rinsed", MUG)
    assert house.world.step_succeeded()


def test_that_each_variant_runs_in_the_kitchen_and_only_one_asks_about_it(folder: Path) -> None:
    asked = {}
    for variant in ("repaired", "printed"):
        where = Settings(
            task="boil_water", robot="kitchen", domain=str(folder), variant=variant, pictures=False
        )
        run = episode(replace(where, openness=0.0))
        asked[variant] = run.asked
        assert run.true
    assert "Is the mug rinsed?" in asked["repaired"] and "Is the mug rinsed?" not in asked["printed"]


def test_that_a_picture_shows_it_of_a_thing_in_view_if_the_folder_says_so(folder: Path) -> None:
    house, fact = home(folder), Atom("rinsed", (MUG,))
    assert not house.world.is_observable(fact)
    assert fill_the_mug(house).world.is_observable(fact)
    in_place(
        folder / "domain.toml", '"Is the {0} rinsed?"\nperception = "vision"', '""\nperception = "sense"'
    )
    felt = home(folder)
    assert felt.world.sensed()[fact] is False
    assert fill_the_mug(felt).world.sensed()[fact] is True and not felt.world.is_observable(fact)


def test_that_a_situation_can_undo_it(folder: Path) -> None:
    dull = '{ name = "the container is not full", rate = 0.05 }'
    soap = '{ name = "soap is left", rate = 0.1, in_addition = true, effects = ["(not (rinsed ?1))"] }'
    in_place(folder / "domain.toml", dull, soap)
    rates = {"soap is left": 1.0, "the container drops nearby": 0.0}
    house = fill_the_mug(home(folder, openness=1.0, rates=rates))
    assert not house.holds("rinsed", MUG)


def test_that_the_picture_draws_it_where_a_part_has_its_look(folder: Path) -> None:
    house, scene = fill_the_mug(home(folder)), load_scene()
    built = build_scene(scene, assign_bodies(scene, house.problem, 0), 0)
    body = Animator(built, house.world.things, Latch(), 0.0)
    body.update_looks(house.world.state)
    assert "rinsed" in body.sim.looks(MUG)
