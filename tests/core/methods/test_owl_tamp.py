from __future__ import annotations

from core.methods.owl_tamp import LOOPS, OwlTamp, OwlTampOptions
from core.planning.domain_library import load_domain_spec, load_task
from core.planning_model import Plan, PlanStatus, Step
from core.policy import ClaimGoal, Context, DoSteps, GiveUp, GotPlan, MakePlan, StepDone, advance
from core.ports import StepResult, StepStatus
from core.reason import FIRST_PLAN

SPEC = load_domain_spec("tabletop-wishes")
PROBLEM = SPEC.tasks["berry_1"].problem
STEP = Step("pick", ("strawberry",), {"moves": (("wait", 0.1),)})


def begun(loop: str = "ours") -> tuple[OwlTamp, Context]:
    policy = OwlTamp(SPEC, PROBLEM, OwlTampOptions(loop=loop))
    return policy, Context(PROBLEM, policy.begin(PROBLEM))


def told(policy: OwlTamp, context: Context, *observations: object) -> Context:
    for seen in observations:
        context = advance(context, seen, policy.update(context, seen))  # type: ignore[arg-type]
    return context


def got(*steps: Step, status: PlanStatus = PlanStatus.FOUND, reason: str = "") -> GotPlan:
    return GotPlan(Plan(status, steps, reason=reason), reason=FIRST_PLAN)


def done(status: StepStatus = StepStatus.DONE) -> StepDone:
    return StepDone(STEP, StepResult(status, "the hand is empty"))


def test_that_it_plans_the_wish_does_its_steps_and_looks_before_it_claims() -> None:
    policy, context = begun()
    first = policy.act(context)
    assert isinstance(first, MakePlan) and first.wish is not None and first.options == LOOPS["ours"]
    assert first.wish.words.startswith("Put the strawberry")
    context = told(policy, context, got(STEP))
    assert isinstance(policy.act(context), DoSteps)
    context = told(policy, context, done())
    assert isinstance(policy.act(context), MakePlan)  # which ends at once if the tests of the goal pass
    context = told(policy, context, got())
    assert isinstance(policy.act(context), ClaimGoal)
    assert PROBLEM.is_goal(context.belief.state)


def test_that_the_papers_loop_claims_without_a_look() -> None:
    policy, context = begun("paper")
    assert isinstance(policy.act(told(policy, context, got(STEP), done())), ClaimGoal)


def test_that_a_failed_step_and_a_missing_plan_end_with_their_reason() -> None:
    policy, context = begun()
    failed = policy.act(told(policy, context, got(STEP, STEP), done(StepStatus.FAILED)))
    assert isinstance(failed, GiveUp)
    assert failed.reason.note == "pick up the strawberry failed: the hand is empty."
    stuck = policy.act(told(policy, context, got(status=PlanStatus.TIMEOUT, reason="Nothing is in reach.")))
    assert isinstance(stuck, GiveUp) and stuck.reason.note == "Nothing is in reach."


def test_that_it_gives_up_after_three_plans() -> None:
    policy, context = begun()
    for _ in range(3):
        context = told(policy, context, got(STEP), done())
    assert isinstance(last := policy.act(context), GiveUp) and "After 3 plans" in last.reason.note


def test_that_a_task_without_a_wish_is_planned_as_the_classical_planner_does() -> None:
    folder, task = load_task("boil_water")
    policy = OwlTamp(folder, task.problem, OwlTampOptions())
    first = policy.act(Context(task.problem, policy.begin(task.problem)))
    assert not isinstance(first, MakePlan) or first.wish is None
