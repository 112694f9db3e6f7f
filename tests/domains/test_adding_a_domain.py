"""`docs/domains.md` is followed to the letter, with no code: its example and its predicate work."""

from __future__ import annotations

import re
import shutil
from dataclasses import fields, is_dataclass
from pathlib import Path

import pytest

from core.belief import Atom, Purpose, Verdict
from core.config import Settings
from core.planning import domain_library, domain_tables, domain_toml, semantics
from core.planning.domain_check import Severity, check_folder
from core.planning.planner import make_planner
from core.planning_model import PlanStatus
from core.stop_token import StopToken
from tests.episodes import episode

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "domains.md"


@pytest.fixture
def added(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A shelf with the folder that the page has its reader copy."""
    shutil.copytree(ROOT / "docs" / "examples" / "kitchenette", tmp_path / "kitchenette")
    monkeypatch.setattr(domain_library, "DOMAINS_FOLDER", tmp_path)
    return tmp_path


def test_that_the_folder_of_the_page_is_listed_and_planned(added: Path) -> None:
    assert [(t.name, t.domain) for t in domain_library.all_tasks()] == [("make_tea", "kitchenette")]
    folder, task = domain_library.load_task("make_tea")
    plan = make_planner().plan(task.problem, StopToken())
    assert plan.status is PlanStatus.FOUND and len(plan.steps) == task.plan_length == 3
    assert [folder.describe_step(step) for step in plan.steps] == [
        "boil the water in the kettle",
        "take the kettle from the shelf",
        "pour from the kettle into the cup",
    ]
    assert semantics.plan_faults(task.problem, plan) == ()
    assert folder.skills["take"].skill == "take"  # a skill that is not named is of the action's name


def test_that_the_page_leaves_nothing_to_mend(added: Path) -> None:
    found = check_folder(str(added / "kitchenette"))
    assert [f for f in found if f.severity is not Severity.NOTE] == []


def test_that_the_page_shows_what_is_in_the_folder(added: Path) -> None:
    (shown,) = re.findall(r"```toml\n(description.*?)```", PAGE.read_text(), re.DOTALL)
    whole = (added / "kitchenette" / "domain.toml").read_text()
    assert [part for part in shown.strip().split("\n") if part not in whole] == []


@pytest.mark.long
def test_that_a_predicate_of_ones_own_is_asked_about(added: Path) -> None:
    add_upright(shutil.copytree(ROOT / "domains" / "tabletop", added / "tabletop"))
    run = episode(Settings(task="collect_eggplant", domain=str(added / "tabletop"), pictures=False))
    assert run.true and "Is the blue container standing upright?" in run.asked


def add_upright(copy: Path) -> None:
    """Add the predicate of the page in the places that it names."""
    (words,) = re.findall(r"```toml\n(\[predicates\.upright\]\n.*?)```", PAGE.read_text(), re.DOTALL)
    in_place(copy / "tabletop.pddl", "(:predicates", "(:predicates (upright ?c - container)")
    in_place(copy / "tabletop.pddl", "(ingoal ?c))\n", "(ingoal ?c) (upright ?c))\n")
    in_place(copy / "tasks" / "collect_eggplant.pddl", "(:init", "(:init (upright container_blue)")
    in_place(copy / "domain.toml", 'robot = "ur5e"', 'robot = "symbolic"')
    in_place(copy / "domain.toml", "[predicates.inview]", f"{words}\n[predicates.inview]")


def in_place(file: Path, old: str, new: str) -> None:
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new, 1))


def test_that_its_words_are_used(added: Path) -> None:
    folder, _ = domain_library.load_task("make_tea")
    query = folder.query(Atom("at", ("cup_1", "shelf_1")), Purpose.CHECK, Verdict.YES)
    assert query and query.text == "Is the cup on the shelf?"
    assert folder.query(Atom("full", ("kettle_1",)), Purpose.CHECK, Verdict.YES) is None


def test_that_without_its_words_the_folder_still_works(added: Path) -> None:
    (added / "kitchenette" / "domain.toml").unlink()
    folder, task = domain_library.load_task("make_tea")
    assert make_planner().plan(task.problem, StopToken()).status is PlanStatus.FOUND
    query = folder.query(Atom("hot", ("kettle_1",)), Purpose.CHECK, Verdict.YES)
    assert query and query.text == "Is this so: kettle 1 is hot?"


def test_that_every_key_of_the_format_is_on_the_page() -> None:
    modules = (domain_toml, domain_tables)
    tables = [t for m in modules for t in vars(m).values() if getattr(t, "__module__", "") == m.__name__]
    keys = {f.name for table in filter(is_dataclass, tables) for f in fields(table)} - {"body"}
    assert len(keys) > 20
    assert [key for key in sorted(keys) if key not in PAGE.read_text()] == []


@pytest.mark.parametrize("openness", [0.0, 1.0])
def test_that_it_runs_on_the_symbolic_robot(added: Path, openness: float) -> None:
    runs = [
        episode(Settings(task="make_tea", robot="symbolic", pictures=False, seed=seed, openness=openness))
        for seed in range(10)
    ]
    assert all(run.true for run in runs)
    assert all(run.steps == 3 for run in runs) is (openness == 0)
