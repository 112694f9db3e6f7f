"""What a method may expect a picture to show."""

from __future__ import annotations

from core.belief import Atom
from core.planning import domain_library
from core.planning.visibility import Visibility

A, MUG, CABINET = "agent-n-01_1", "mug-n-04_1", "cabinet-n-01_1"
SINK, WATER, MICROWAVE = "sink-n-01_1", "water-n-06_1", "microwave-n-02_1"


def seen(*atoms: Atom, predicate: str = "") -> dict[str, float]:
    folder, task = domain_library.load_task("boil_water")
    return dict(Visibility(folder, task.problem).objects(frozenset(atoms), predicate))


def test_that_a_door_hides_what_is_behind_it_and_an_open_one_does_not() -> None:
    cabinet, inside = Atom("inview", (A, CABINET)), Atom("inside", (MUG, CABINET))
    assert seen(cabinet, inside) == {CABINET: 1, MUG: 0.95}
    assert seen(cabinet, inside, Atom("closed", (CABINET,))) == {CABINET: 1}


def test_that_the_microwaves_window_shows_the_mug_and_the_water() -> None:
    microwave = Atom("inview", (A, MICROWAVE)), Atom("closed", (MICROWAVE,))
    found = seen(*microwave, Atom("inside", (MUG, MICROWAVE)), Atom("filled", (MUG, WATER)))
    assert found == {MICROWAVE: 1, MUG: 0.95, WATER: 0.95}


def test_that_how_full_the_mug_is_shows_in_an_open_microwave_but_not_through_its_window_or_on_a_shelf() -> (
    None
):
    there = Atom("inview", (A, MICROWAVE)), Atom("inside", (MUG, MICROWAVE))
    closed, shelf = (
        Atom("closed", (MICROWAVE,)),
        (Atom("inview", (A, CABINET)), Atom("inside", (MUG, CABINET))),
    )
    assert seen(*there, predicate="filled") == {MUG: 0.95}
    assert seen(*there, closed, predicate="inside") == {MICROWAVE: 1, MUG: 0.95}
    assert seen(*there, closed, predicate="filled") == seen(*shelf, predicate="filled") == {}


def test_that_the_place_of_a_thing_is_seen_less_surely() -> None:
    assert seen(Atom("inview", (A, MUG)), Atom("inside", (MUG, CABINET)))[CABINET] == 0.5


def test_that_what_is_held_is_seen_and_nothing_else_of_nothing() -> None:
    assert seen(Atom("inhand", (A, MUG))) == {MUG: 1}
    assert seen() == {}


def test_that_a_folder_without_sight_has_pictures_that_show_everything() -> None:
    folder, task = domain_library.load_task("collect_toys")
    assert set(Visibility(folder, task.problem).objects(frozenset()).values()) == {1}
