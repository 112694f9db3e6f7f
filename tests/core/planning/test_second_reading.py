"""tarski reads the same files, and a difference between the two readings is told."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from core.planning import domain_library
from core.planning.domain_check import Severity, check_folder
from core.planning.pddl.second_reading import Unread, differences
from core.planning_model import Action, Problem
from tests.core.planning.shared import FIXTURES
from tests.sampling import some

SPEC = domain_library.load_domain_spec("household")
TASK = SPEC.tasks["boil_water"]
FILES = domain_library.pddl_files(SPEC, "boil_water")


def with_action(problem: Problem, changed: Action) -> Problem:
    actions = tuple(changed if a.name == changed.name else a for a in problem.domain.actions)
    return replace(problem, domain=replace(problem.domain, actions=actions))


@pytest.mark.long
@pytest.mark.parametrize("name", some(domain_library.domain_names(), 3))
def test_that_both_read_the_shipped_domains_alike(name: str) -> None:
    spec = domain_library.load_domain_spec(name)
    for task in spec.tasks.values():
        assert list(differences(*domain_library.pddl_files(spec, task.name), task.problem)) == []


def test_that_a_condition_read_wrongly_is_told_by_its_words_and_its_meaning() -> None:
    find = TASK.problem.domain.action("find")
    less = replace(find, precondition=find.precondition[:1])
    told = list(differences(*FILES, with_action(TASK.problem, less)))
    assert "the action find" in told
    assert any(text.startswith("whether (find ") and text.endswith("in the initial state") for text in told)


def test_that_a_lost_effect_fact_object_and_goal_are_told() -> None:
    problem = TASK.problem
    find = problem.domain.action("find")
    assert list(differences(*FILES, with_action(problem, replace(find, effects=find.effects[1:])))) == [
        "the action find"
    ]
    fact = max(problem.state, key=str)
    told = list(differences(*FILES, replace(problem, state=problem.state - {fact}, goal=())))
    assert f"the fact {fact}" in told and f"the goal {problem.goal[0]}" in told


def test_that_what_tarski_cannot_read_is_a_note() -> None:
    ferry = FIXTURES / "ferry"
    files = ferry / "domain.pddl", ferry / "problem.pddl"
    problem = domain_library.load_pddl_pair(*files).tasks["two_cars"].problem
    with pytest.raises(Unread, match="line 4:3"):
        list(differences(*files, problem))
    (note,) = (f for f in check_folder(str(ferry)) if f.subject == "second reader")
    assert note.severity is Severity.NOTE and "tarski cannot read it (line 4:3" in note.problem


def test_that_a_large_file_is_not_read_twice(tmp_path: Path) -> None:
    (tmp_path / "big.pddl").write_text(";" * 200_001)
    with pytest.raises(Unread, match="more than 200 kB"):
        list(differences(tmp_path / "big.pddl", FILES[1], TASK.problem))
