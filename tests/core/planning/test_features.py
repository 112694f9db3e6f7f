from __future__ import annotations

import re

import pytest

from core.errors import BadDomain
from core.planning import semantics
from core.planning.pddl.reader import parse_domain, parse_problem
from core.planning.planner import make_planner
from core.planning_model import PlanStatus, Problem
from core.stop_token import StopToken
from tests.core.planning.features import CASES, Case
from tests.core.planning.shared import needs_fast_downward
from tests.sampling import some

PLANNED = [
    name for name, case in CASES.items() if case.answer == "impossible" or isinstance(case.answer, int)
]
PLANS = [
    *(("pyperplan", name) for name in PLANNED),
    *(  # whose translator and search are two processes: a sample, and the rest with the long tests
        pytest.param(
            "fast-downward", name, marks=[needs_fast_downward, *([pytest.mark.long] if n % 3 else [])]
        )
        for n, name in enumerate(PLANNED)
    ),
]


def read(case: Case) -> Problem:
    return parse_problem(case.problem, parse_domain(case.domain, "domain.pddl"), "problem.pddl")


@pytest.mark.parametrize(("engine", "name"), some(PLANS, 3))
def test_that_a_feature_is_planned_with(engine: str, name: str) -> None:
    problem, answer = read(CASES[name]), CASES[name].answer
    planner = make_planner(engine)
    plan = planner.plan(problem, StopToken())
    if answer == "impossible":
        assert plan.status is PlanStatus.IMPOSSIBLE
        return
    assert plan.status is PlanStatus.FOUND and semantics.plan_faults(problem, plan) == ()
    if engine == "pyperplan":  # it leaves the search for the shortest plan to the other one
        assert len(plan.steps) >= answer
        return
    shortest, proven = list(planner.improve(problem, plan, 30, StopToken()))[-1]
    assert proven and len(shortest.steps) == answer


@pytest.mark.parametrize("name", sorted(CASES.keys() - set(PLANNED)))
def test_that_a_feature_is_refused_by_its_name_and_line(name: str) -> None:
    with pytest.raises(BadDomain) as caught:
        read(CASES[name])
    assert str(CASES[name].answer) in str(caught.value)
    assert re.match(r"(domain|problem)\.pddl, line \d+: [^\n]+\.$", str(caught.value))
