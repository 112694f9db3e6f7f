"""`plan`: short, shortest and cheap, and what it says while it looks."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import Result

from app.cli import plan as verb_plan
from core.planning.planner import ImprovingPlanner
from tests.command import call
from tests.core.planning.features import CASES, case
from tests.core.planning.shared import needs_fast_downward

Verb = Callable[..., Result]
DETOUR = {  # one dear step, or two cheap ones
    "sections": "(:functions (total-cost))",
    "eff": "(and (on ?l) (done) (increase (total-cost) 9))",
    "actions": """(:action plug :effect (and (power) (increase (total-cost) 1)))
  (:action glow :precondition (power) :effect (and (done) (increase (total-cost) 1)))""",
    "goal": "(done)",
    "init": "(= (total-cost) 0)",
    "metric": "(:metric minimize (total-cost))",
}


@pytest.fixture
def verb() -> Verb:
    return call


def files(folder: Path, name: str) -> list[object]:
    found = CASES.get(name) or case(1, **(DETOUR if name == "detour" else {**DETOUR, "metric": ""}))
    domain, problem = folder / "domain.pddl", folder / "problem.pddl"
    domain.write_text(found.domain)
    problem.write_text(found.problem)
    return ["--domain-file", domain, "--problem-file", problem]


def last_line(result: Result) -> dict[str, object]:
    return json.loads(result.stdout.splitlines()[-1])


def test_that_the_shortest_plan_is_said_to_be_the_shortest(verb: Verb) -> None:
    said = last_line(verb("plan", "halve_egg", "--optimal", "--json"))
    assert (said["length"], said["optimal"]) == (4, True)
    assert "4 steps, the shortest" in verb("plan", "halve_egg", "--optimal").stdout


@pytest.mark.parametrize("width", [80, 120])
def test_that_each_step_is_on_a_line_of_its_own_with_its_pddl(
    verb: Verb, width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    lines = verb("plan", "halve_egg", "--optimal").stdout.splitlines()
    cut = next(
        i for i, line in enumerate(lines) if line.startswith("  4  cut the egg in half with the knife")
    )
    below = cut + (width == 80)
    assert lines[below].endswith("(cut_into_half agent-n-01_1 carving_knife-n-01_1 hard__boiled_egg-n-01_1)")
    assert max(map(len, lines)) <= width


def test_that_each_plan_is_told_with_the_seconds_until_it(verb: Verb) -> None:
    said = last_line(verb("plan", "boil_water", "--json"))
    first, last = said["plans"][0], said["plans"][-1]
    assert first["length"] >= last["length"] == said["length"] == 12
    assert 0 < first["seconds"] <= last["seconds"] <= said["seconds"]


def test_that_costs_are_left_aside_with_a_note_where_no_metric_is_stated(verb: Verb, tmp_path: Path) -> None:
    said = last_line(verb("plan", *files(tmp_path, "detour without metric"), "--json"))
    assert (said["length"], said["cost"]) == (1, 9.0)
    assert said["notes"] == ["Costs are left aside: the plan is to be short. With --costs it is to be cheap."]


@pytest.mark.parametrize(("name", "option"), [("detour", ()), ("detour without metric", ("--costs",))])
def test_that_a_cheap_plan_is_made_where_the_metric_or_a_person_asks_for_it(
    verb: Verb, tmp_path: Path, name: str, option: tuple[str, ...]
) -> None:
    said = last_line(verb("plan", *files(tmp_path, name), *option, "--json"))
    assert (said["length"], said["cost"], said["optimal"], "notes" in said) == (2, 2.0, True, False)
    assert "2 steps, cost 2, the cheapest, pyperplan" in verb("plan", *files(tmp_path, name), *option).stdout


@needs_fast_downward
def test_that_an_option_of_the_engine_is_obeyed(verb: Verb, tmp_path: Path) -> None:
    words = (*files(tmp_path, "detour without metric"), "--engine", "fast-downward", "-o", "engine.costs=yes")
    assert last_line(verb("plan", *words, "--json"))["cost"] == 2.0


@pytest.mark.parametrize(
    ("option", "said"), [("engine.seconds=0", "seconds"), ("robot.arm=x", "'robot.arm' is of no engine")]
)
def test_that_an_option_out_of_range_or_of_another_part_is_refused(
    verb: Verb, option: str, said: str
) -> None:
    result = verb("plan", "halve_egg", "-o", option)
    assert result.exit_code == 2 and said in result.output


def test_that_the_cost_of_a_plan_is_told_while_it_is_run(verb: Verb, tmp_path: Path) -> None:
    words = (*files(tmp_path, "detour"), "--robot", "symbolic", "--openness", 0, "--no-pictures")
    assert "plan of 2 steps, cost 2: " in verb("run", *words, "--database", tmp_path / "log.db").stdout


def test_that_costs_that_are_not_there_are_told(verb: Verb) -> None:
    result = verb("plan", "halve_egg", "--costs")
    assert result.exit_code == 2 and "gives its actions no costs" in result.output


def test_that_a_plan_is_told_while_a_shorter_one_is_looked_for(
    verb: Verb, monkeypatch: pytest.MonkeyPatch
) -> None:
    def better(self: ImprovingPlanner, problem: object, plan: object, *_: object) -> Iterator[object]:
        yield plan, False
        raise KeyboardInterrupt  # a person has seen enough

    monkeypatch.setattr(ImprovingPlanner, "improve", better)
    result = verb("plan", "halve_egg", "--optimal")
    assert "halve_egg: a plan of 4 steps; looking for a shorter one" in result.stdout
    assert "halve_egg: 4 steps, pyperplan" in result.stdout and result.exit_code == 0
    assert re.search(r"Not proved in \d s; shortest found: 4 steps\.", result.stdout)
    assert verb_plan.IMPROVING < 60


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("or", "the action 'press' needs one of several conditions"),
        ("goal with or", "the goal is one of several conditions"),
        ("derived", "the predicate 'lit' is derived"),
    ],
)
def test_that_what_has_no_single_facts_is_planned_but_not_run(
    verb: Verb, tmp_path: Path, name: str, said: str
) -> None:
    pair = files(tmp_path, name)
    assert verb("plan", *pair).exit_code == 0
    result = verb("run", *pair, "--database", tmp_path / "log.db")
    assert result.exit_code == 2 and said in " ".join(result.output.split())


@pytest.mark.parametrize("name", ["goal with forall", "when or", "when exists", "when forall", "forall"])
def test_that_quantified_conjunctions_and_conditional_effects_are_run(
    verb: Verb, tmp_path: Path, name: str
) -> None:
    words = (*files(tmp_path, name), "--robot", "symbolic", "--openness", 0, "--no-pictures", "--json")
    result = verb("run", *words, "--database", tmp_path / "log.db")
    if name == "forall":  # an "imply" over facts that change
        assert result.exit_code == 2 and "one of several conditions" in " ".join(result.output.split())
    else:
        assert last_line(result)["believed_goal"] is True, result.output
