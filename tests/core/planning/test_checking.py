"""What a domain folder lacks is found, each thing with its place and its cost."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.belief import Atom
from core.errors import UnknownName
from core.methods.careful.asking import as_question
from core.planning import domain_library
from core.planning.domain_check import DomainFinding, Severity, check_folder, whole_state_findings
from core.registry import Entry
from robots.registry import ROBOTS
from tests.sampling import some

DOMAIN = """(define (domain lamps)
  (:requirements :strips :typing :negative-preconditions)
  (:types lamp)
  (:predicates (lit ?l - lamp) (broken ?l - lamp))
  (:action switch_on :parameters (?l - lamp)
    :precondition (and (not (lit ?l)) (not (broken ?l))) :effect (lit ?l))
  (:action mend :parameters (?l - lamp) :precondition (broken ?l) :effect (not (broken ?l))))
"""
PROBLEM = """(define (problem evening) (:domain lamps)
  (:objects left right - lamp) (:init (lit left)) (:goal (lit right)))
"""
TOML = """
description = "Lamps."
[variants]
domain = "domain.pddl"
[tasks.evening]
file = "evening.pddl"
plan_length = 1
[names]
left = "left lamp"
right = "right lamp"
[verbs]
switch_on = "switch on the {0}"
mend = "mend the {0}"
[predicates.lit]
perception = "vision"
question = "Is the {0} lit?"
statement = "the {0} is lit"
[predicates.broken]
perception = "sense"
statement = "the {0} is broken"
[world]
[skills.switch_on]
skill = "press"
situations = [{ name = "it slips", rate = 0.1 }]
[skills.mend]
skill = "mend"
situations = []
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "lamps"
    path.mkdir()
    (path / "domain.pddl").write_text(DOMAIN)
    (path / "evening.pddl").write_text(PROBLEM.replace("(lit left)", "(lit left) (broken right)", 1))
    (path / "domain.toml").write_text(TOML.replace("plan_length = 1", "plan_length = 2"))
    return path


def change(folder: Path, file: str, old: str, new: str) -> None:
    text = (folder / file).read_text()
    assert old in text
    (folder / file).write_text(text.replace(old, new))


def found(folder: Path | str) -> dict[str, DomainFinding]:
    return {f.subject: f for f in check_folder(str(folder)) if f.severity is not Severity.NOTE}


@pytest.mark.parametrize("name", some(domain_library.domain_names(), 2))
def test_that_the_shipped_domains_are_clean(name: str) -> None:
    found = [f for f in check_folder(name, ROBOTS) if f.severity is not Severity.NOTE]
    if name == "tabletop-wishes":  # what its facts mean is for each wish's own tests to say
        found = [f for f in found if f.severity is not Severity.GAP]
    assert found == []


def test_that_a_whole_folder_is_clean(folder: Path) -> None:
    assert check_folder(str(folder)) == ()


@pytest.mark.parametrize(
    ("old", "new", "about", "lack"),
    [
        ('statement = "the {0} is lit"', "", "predicate lit", "no statement"),
        ('perception = "sense"\n', "", "predicate broken", "no perception"),
        (
            TOML[TOML.index("[predicates.broken]") : TOML.index("[skills.switch_on]")],
            "",
            "predicate broken",
            "no [predicates.broken]",
        ),
        ('mend = "mend the {0}"', "", "action mend", "no verb"),
        ("situations = []", "", "skill mend", "no situations"),
        ("rate = 0.1", "rate = 0", "skill switch_on, 'it slips'", "its rate is 0"),
        ("plan_length = 2", "plan_length = 3", "task evening", "plan_length says 3, and the plan has 2"),
        ('description = "Lamps."', 'robot = "butler"', "robot", "there is no robot 'butler'"),
    ],
)
def test_that_each_lack_is_found_with_its_place(
    folder: Path, old: str, new: str, about: str, lack: str
) -> None:
    change(folder, "domain.toml", old, new)
    robots = ROBOTS if about == "robot" else ()
    (finding,) = (f for f in check_folder(str(folder), robots) if f.severity is not Severity.NOTE)
    assert (finding.subject, finding.problem) == (about, lack) and finding.consequence


def test_that_names_that_are_left_out_are_told(folder: Path) -> None:
    change(folder, "domain.toml", 'left = "left lamp"', "")
    (finding,) = check_folder(str(folder))
    assert finding.severity is Severity.NOTE and "left" in finding.problem


def test_that_a_world_without_laws_is_told(folder: Path) -> None:
    change(folder, "domain.toml", "[world]", "")
    (finding,) = check_folder(str(folder))
    assert (finding.severity, finding.subject) == (
        Severity.NOTE,
        "world",
    ) and "PDDL alone" in finding.consequence


def test_that_what_drops_in_a_world_that_does_not_say_what_ends_then_is_told(folder: Path) -> None:
    change(folder, "domain.toml", "rate = 0.1", 'rate = 0.1, drops = "?0"')
    finding = found(folder)["skill switch_on, 'it slips'"]
    assert finding.severity is Severity.GAP and "[[world.mutexes]]" in finding.problem
    law = '[[world.mutexes]]\nreason = "x"\nforall = "?l - lamp"\nof = ["(lit ?l)", "(broken ?l)"]\n'
    change(folder, "domain.toml", "[world]\n", law)
    assert check_folder(str(folder)) == ()


def test_that_a_goal_out_of_reach_is_found(folder: Path) -> None:
    change(folder, "evening.pddl", "(:goal (lit right))", "(:goal (not (lit left)))")
    assert found(folder)["task evening"].problem.startswith("no plan (impossible)")


def test_that_an_action_that_no_task_can_do_is_found_with_its_situations(folder: Path) -> None:
    change(folder, "evening.pddl", "(broken right)", "")
    change(folder, "domain.toml", "plan_length = 2", "plan_length = 1")
    rate = 'situations = [{ name = "it breaks", rate = 0.1 }]'
    change(folder, "domain.toml", "situations = []", rate)
    told = found(folder)
    assert told["action mend"].problem == "can be done in no task"
    assert told["skill mend, 'it breaks'"].consequence == "it never happens"


def test_that_every_fault_of_the_files_is_told_at_once(folder: Path) -> None:
    change(folder, "evening.pddl", "(lit right)", "(glows right)")
    change(folder, "domain.toml", "[verbs]", "[verbz]")
    told = [f for f in check_folder(str(folder)) if f.severity is Severity.FAULT]
    assert any("glows" in f.problem for f in told)
    change(folder, "evening.pddl", "(glows right)", "(lit right)")
    (finding,) = check_folder(str(folder))
    assert "verbz" in finding.problem and finding.subject == "files"


def test_that_a_folder_without_words_is_told_what_that_costs(folder: Path) -> None:
    (folder / "domain.toml").unlink()
    (folder / "evening.pddl").rename(folder / "problem.pddl")
    (finding,) = check_folder(str(folder))
    assert (finding.subject, finding.problem) == ("words", "no domain.toml")


def test_that_it_is_told_what_a_method_with_whole_states_lacks(folder: Path) -> None:
    lacks = [f.problem for f in whole_state_findings(str(folder))]
    assert "no [[visibility]]" in lacks and "no skill has detects" in lacks and "no situations" not in lacks
    assert not list(whole_state_findings("household"))


def test_that_each_robot_says_what_it_does_not_understand(folder: Path) -> None:
    picky = Entry(
        "picky", "Picky", "", lambda **_: None, incompatibilities=lambda folder, task: ("It knows no lamp.",)
    )
    (finding,) = check_folder(str(folder), [picky, ROBOTS["symbolic"]])
    assert (finding.severity, finding.subject, finding.problem) == (
        Severity.NOTE,
        "robot picky",
        "It knows no lamp",
    )
    change(folder, "domain.toml", 'description = "Lamps."', 'robot = "picky"')
    assert check_folder(str(folder), [picky])[0].severity is Severity.FAULT


def test_that_a_folder_that_is_not_there_is_no_finding(tmp_path: Path) -> None:
    with pytest.raises(UnknownName):
        check_folder(str(tmp_path / "nowhere"))


@pytest.mark.parametrize("name", domain_library.domain_names())
def test_that_a_fact_is_never_said_otherwise_than_its_question_asks(name: str) -> None:
    """A door that stands ajar is not "wide open", and nobody may read "closed" beside its picture."""
    spec = domain_library.load_domain_spec(name)
    for predicate, wording in spec.predicate_specs.items():
        if wording.negated and wording.statement:
            atom = Atom(predicate, ("it",))
            assert as_question(spec.describe_atom(atom, holds=False)) == wording.question.format("it")
            assert "closed" not in spec.describe_atom(atom) or "ajar" in spec.describe_atom(atom)
