"""What the arm at the table can be asked to do is named by the folder, not by the names of its actions."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

import pytest

from core.domains import DomainSpec, Perception, PredicateSpec, Skill, Task
from core.planning import domain_library
from core.planning_model import Predicate, Step, Typed
from robots.ur5e.arm_setup import EMULATED_SETUP
from robots.ur5e.tabletop import skills
from robots.ur5e.tabletop.task_support import SKILLS, skill_of, unsupported_reasons, untold_reasons

FOLDER, TASK = domain_library.load_task("collect_eggplant")


def test_that_each_skill_has_its_things() -> None:
    assert SKILLS.keys() == skills.SKILLS.keys()


def with_skill(action: str, skill: Skill) -> DomainSpec:
    return replace(FOLDER, skills=MappingProxyType({**FOLDER.skills, action: skill}))


def test_that_the_folder_says_which_skill_a_step_is() -> None:
    step = Step("put_back", ("robot", "toy_eggplant"))
    assert skill_of(FOLDER, TASK.problem, step) == ("put_back", ("toy_eggplant",))
    other = with_skill("put_back", Skill("put_back", "pick"))
    assert skill_of(other, TASK.problem, step) == ("pick", ("toy_eggplant",)), "the agent is no thing"
    assert unsupported_reasons(other, TASK) == ()


@pytest.mark.parametrize("skill", [Skill("put_back", "fly"), Skill("put_back", "place_in", (), (1,))])
def test_that_an_action_without_such_a_skill_is_refused(skill: Skill) -> None:
    reasons = unsupported_reasons(with_skill("put_back", skill), TASK)
    assert reasons == ("The arm at the table has no skill for the action 'put_back'.",)


def with_predicate(perception: Perception) -> tuple[DomainSpec, Task]:
    extra = Predicate("clean", (Typed("?t", "toy"),))
    domain = replace(TASK.problem.domain, predicates=(*TASK.problem.domain.predicates, extra))
    known = {**FOLDER.predicate_specs, "clean": PredicateSpec("Is it clean?", perception=perception)}
    folder = replace(FOLDER, predicate_specs=MappingProxyType(known))
    return folder, replace(TASK, problem=replace(TASK.problem, domain=domain))


def test_that_what_is_seen_has_any_name_where_no_truth_is_told() -> None:
    seen = with_predicate(Perception.VISION)
    assert unsupported_reasons(*seen) == ()
    assert untold_reasons(*seen) == ("The emulated table knows no predicate 'clean' with 1 argument.",)
    (reason,) = unsupported_reasons(*with_predicate(Perception.SENSE))
    assert reason == "The arm at the table knows no predicate 'clean' with 1 argument."


def test_that_an_action_which_puts_into_any_container_is_refused_where_the_arm_wants_the_goal_area() -> None:
    domain = TASK.problem.domain
    actions = tuple(
        replace(a, precondition=a.precondition[:1]) if a.name == "place_in" else a for a in domain.actions
    )
    task = replace(TASK, problem=replace(TASK.problem, domain=replace(domain, actions=actions)))
    (reason,) = unsupported_reasons(FOLDER, task)
    assert "place_in" in reason and "goal area" in reason
    assert not any(
        "goal area" in reason
        for reason in unsupported_reasons(FOLDER, task, replace(EMULATED_SETUP, scene="mug_1"))
    )
