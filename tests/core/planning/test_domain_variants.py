"""A variant of a domain may have more than the others, and none of them suffers."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from core.belief import Atom
from core.config import Settings
from core.errors import BadDomain, BadFile, UnknownName
from core.planning import domain_library
from core.planning.domain_check import Severity, check_folder
from tests.core.planning.shared import FIXTURES
from tests.episodes import episode

POLISH = "(:action polish :parameters (?x - block) :precondition (holding ?x) :effect (shiny ?x))"
VARIANTS = '[variants]\nplain = "domain.pddl"\npolished = "polished.pddl"\n\n[tasks.turn_around]'
WORDS = """
polish = "polish the {0}"

[predicates.shiny]
question = "Is the {0} shiny?"
perception = "vision"

[skills.polish]
situations = [{ name = "it stays dull", rate = 0.1, effects = ["(not (shiny ?0))"] }]

[skills.unstack]
situations = [
  { name = "it is scratched", rate = 0.1, effects = ["(not (shiny ?0))"] },
  { name = "it stays", rate = 0.1 },
]

[[rules]]
reason = "what is clear and no dust is shiny"
forall = "?b - block"
unless = ["(shiny ?b)"]
then = ["(shiny ?b)"]

[[mutexes]]
reason = "what is held is neither on another block nor shiny"
forall = "?b - block"
of = ["(holding ?b)", "(on ?b ?x)", "(shiny ?b)"]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Blocks in two variants: in the second, which is not the default, blocks can be polished."""
    path = shutil.copytree(FIXTURES / "blocks", tmp_path / "blocks")
    plain = (path / "domain.pddl").read_text().rstrip()
    polished = plain.removesuffix(")").replace("(:predicates", "(:predicates (shiny ?x - block)")
    (path / "polished.pddl").write_text(f"{polished}{POLISH})")
    toml = (path / "domain.toml").read_text().replace("[tasks.turn_around]", VARIANTS)
    (path / "domain.toml").write_text(toml.replace("[verbs]", f"[verbs]{WORDS}\n[more]"))
    in_place(path / "domain.toml", '[more]\nstack = "stack the {0} on the {1}"\n', "")
    in_place(path / "tasks" / "turn_around.pddl", "(:init", "(:init (shiny a)")
    return path


def in_place(file: Path, old: str, new: str) -> None:
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new, 1))


def test_that_the_variant_that_has_a_predicate_has_all_its_words(folder: Path) -> None:
    spec = domain_library.load_domain_spec(folder, "polished")
    assert Atom("shiny", ("a",)) in spec.tasks["turn_around"].problem.state
    assert "shiny" in spec.predicate_specs and "polish" in spec.verbs
    assert [s.name for s in spec.situations_of("unstack")] == ["it is scratched", "it stays"]
    assert spec.rules[0].then and len(spec.mutexes[0].literals) == 3


def test_that_the_other_variant_goes_without_it(folder: Path) -> None:
    spec = domain_library.load_domain_spec(folder)
    assert list(spec.tasks) == ["turn_around", "tower_of_three"]
    assert all(a.predicate != "shiny" for task in spec.tasks.values() for a in task.problem.state)
    assert not {"shiny", "polish"} & {*spec.predicate_specs, *spec.verbs, *spec.skills}
    assert [s.name for s in spec.situations_of("unstack")] == ["it stays"]
    assert spec.rules[0].then == () and [m.predicate for m in spec.mutexes[0].literals] == ["holding", "on"]
    assert [f for f in check_folder(str(folder)) if f.severity is Severity.FAULT] == []


@pytest.mark.parametrize("variant", ["plain", "polished"])
def test_that_an_episode_runs_in_each_variant(folder: Path, variant: str) -> None:
    where = Settings(task="turn_around", domain=str(folder), variant=variant, pictures=False, openness=0)
    assert episode(where).true


def test_that_a_task_whose_goal_a_variant_cannot_tell_is_not_in_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_place(folder / "tasks" / "turn_around.pddl", "(:goal (on b a))", "(:goal (and (on b a) (shiny b)))")
    assert list(domain_library.load_domain_spec(folder).tasks) == ["tower_of_three"]
    assert list(domain_library.load_domain_spec(folder, "polished").tasks) == [
        "turn_around",
        "tower_of_three",
    ]
    notes = [(f.subject, f.problem) for f in check_folder(str(folder)) if f.severity is Severity.NOTE]
    assert ("variant plain", "has no task turn_around") in notes
    monkeypatch.setattr(domain_library, "DOMAINS_FOLDER", folder.parent)
    with pytest.raises(UnknownName, match="no task of the variant plain named 'turn_around'"):
        domain_library.load_task("turn_around", "plain")


def test_that_what_no_variant_has_is_told_as_before(folder: Path) -> None:
    in_place(folder / "tasks" / "turn_around.pddl", "(shiny a)", "(shy a)")
    with pytest.raises(BadDomain, match=r"turn_around\.pddl, line \d+: the predicate 'shy' is not declared"):
        domain_library.load_domain_spec(folder)
    in_place(folder / "tasks" / "turn_around.pddl", "(shy a)", "")
    in_place(folder / "domain.toml", "[predicates.shiny]", "[predicates.shinny]")
    with pytest.raises(BadFile, match="there is no predicate named 'shinny' \\(did you mean 'shiny'"):
        domain_library.load_domain_spec(folder)


def test_that_a_broken_variant_breaks_no_other(folder: Path) -> None:
    in_place(folder / "domain.toml", WORDS, "\n")
    in_place(folder / "tasks" / "turn_around.pddl", "(shiny a)", "")
    in_place(folder / "polished.pddl", "(shiny ?x))", "(shiny ?x")
    assert domain_library.load_domain_spec(folder).tasks
    (fault,) = [f for f in check_folder(str(folder)) if f.severity is Severity.FAULT]
    assert (fault.subject, fault.consequence) == ("variant polished", "it cannot be chosen")
