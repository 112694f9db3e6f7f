"""Which answerer is the default: the eye wherever it was trained on all that may be asked."""

from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from core.data_file import write_toml
from core.planning import domain_library
from core.vqa.data_files import user_dir
from core.vqa.eye import eye_file
from core.vqa.eye.coverage import default_answerer, folders_for, shown_atoms, vision_atoms
from core.vqa.eye.eye_file import EyeCard, PredicateFigures
from core.vqa.eye.questions import question_key
from tests.core.vqa.eye.kit import CARD

FOLDER, TASK = domain_library.load_task("halve_egg")
ASKED = tuple(question_key(atom) for atom in vision_atoms(FOLDER, TASK.problem))
WORDS = sorted({word for question in ASKED for word in question.split(", ")[1:]})
KITCHEN_EYE = replace(
    CARD,
    predicates=tuple(sorted({question.split(", ")[0] for question in ASKED})),
    objects=("", *WORDS),
    questions=ASKED,
    robots=("kitchen",),
    figures={"closed": PredicateFigures(2000, 0.98, 0.01, 0, 0)},
)


@pytest.fixture(autouse=True)
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where eyes are shipped, with none in it nor in the user's folder."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "own"))
    monkeypatch.setattr(eye_file, "RESOURCES", tmp_path / "shipped")
    yield tmp_path / "shipped" / "eye"


def put(card: EyeCard, place: Path, name: str = "one") -> Path:
    (place / name).mkdir(parents=True)
    write_toml(place / name / "eye.toml", asdict(card))
    return place / name


def default(
    robot: str = "kitchen", pictures: bool = True, real: bool = False, method: str = "dkprompt"
) -> str:
    return default_answerer(FOLDER, TASK.problem, robot, pictures=pictures, real=real, method=method)


def test_that_without_an_eye_the_truth_answers() -> None:
    assert default() == "perfect"


def test_that_an_eye_answers_what_it_was_trained_on(places: Path) -> None:
    put(KITCHEN_EYE, places)
    assert default() == "eye"
    assert default(robot="symbolic") == default(pictures=False) == "perfect"
    assert default(method="suc-qa") == "perfect", "it asks about steps"


def test_that_an_eye_that_lacks_a_question_or_errs_too_often_is_not_the_default(places: Path) -> None:
    put(replace(KITCHEN_EYE, questions=ASKED[1:]), places)
    assert default() == "perfect"
    put(KITCHEN_EYE, places, "two")
    assert default() == "eye"
    put(replace(KITCHEN_EYE, version="2", drawn=True), user_dir("eye"))
    assert default() == "perfect", "of two the user's own would be asked"


def test_that_only_an_eye_of_ones_own_is_the_default_at_a_real_arm(places: Path) -> None:
    put(KITCHEN_EYE, places)
    assert default(real=True) == "perfect"
    put(KITCHEN_EYE, user_dir("eye"))
    assert default(real=True) == "eye"


def test_that_only_eyes_that_know_the_tasks_things_are_asked(places: Path) -> None:
    table = put(replace(KITCHEN_EYE, objects=("", "toy", "bin")), places, "table")
    assert folders_for(TASK.problem) == (table,), "one that says what it was not trained on"
    kitchen = put(KITCHEN_EYE, places, "kitchen")
    assert folders_for(TASK.problem) == (kitchen,) and folders_for(None) == (kitchen, table)


def test_that_an_eye_learns_also_what_is_on_demand_but_does_not_need_it() -> None:
    folder, task = domain_library.load_task("boil_water")
    asked, learnt = (set(atoms(folder, task.problem)) for atoms in (vision_atoms, shown_atoms))
    assert asked < learnt
    assert {atom.predicate for atom in learnt - asked} == {"filled", "filledsink"}
