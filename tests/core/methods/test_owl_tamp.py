from __future__ import annotations

from dataclasses import replace

from core.belief import Answer, Atom, BeliefSource, Verdict
from core.methods.owl_tamp import LOOPS, OwlTamp, OwlTampOptions
from core.planning.domain_library import load_domain_spec, load_task
from core.planning.planner import make_planner
from core.planning_model import Plan, PlanStatus, Step
from core.policy import (
    AskModel,
    ClaimGoal,
    Context,
    DoSteps,
    GiveUp,
    GotPlan,
    GotReply,
    GotScene,
    GotSenses,
    MakePlan,
    PlanRequested,
    StepDone,
    advance,
)
from core.ports import StepResult, StepStatus
from core.reason import FIRST_PLAN
from core.scene import Scene, SceneThing

SPEC = load_domain_spec("tabletop-wishes")
PROBLEM = SPEC.tasks["berry_1"].problem
PLACE = Step("place_ontop", ("strawberry", "light_grey_region"))
STEP = Step("pick", ("strawberry",), {"moves": (("wait", 0.1),)})


def begun(loop: str = "ours") -> tuple[OwlTamp, Context]:
    policy = OwlTamp(SPEC, PROBLEM, OwlTampOptions(loop=loop), make_planner())
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
    seen = SceneThing("strawberry", (0.5, 0, 0.02, 0, 0, 0), (0.02, 0.02, 0.02), "ball")
    for thing, source in (
        (seen, BeliefSource.SENSOR),
        (replace(seen, source="hidden"), BeliefSource.PREDICTED),
    ):
        over = told(policy, context, GotScene(Scene((thing,), "")), got())
        assert isinstance(policy.act(over), ClaimGoal) and PROBLEM.is_goal(over.belief.state)
        assert {over.belief.source(goal.atom) for goal in PROBLEM.goal} == {source}


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


def test_that_where_poses_are_unsure_a_second_look_comes_before_it_gives_up() -> None:
    policy, start = begun()
    for spread, looks in ((0.005, True), (0.0, False)):
        thing = SceneThing("strawberry", (0.5, 0, 0.02, 0, 0, 0), (0.02, 0.02, 0.02), "ball", spread=spread)
        none = GotScene(Scene((thing,), "")), got(status=PlanStatus.TIMEOUT, reason="It is out of reach.")
        once = told(policy, start, *none)
        assert isinstance(policy.act(once), MakePlan if looks else GiveUp)
        ends = policy.act(told(policy, once, *none))
        assert isinstance(ends, GiveUp) and "out of reach" in ends.reason.note


def test_that_it_gives_up_after_so_many_plans() -> None:
    for loop, most in (("ours", 8), ("no-rehearsal", 3)):
        policy, context = begun(loop)
        for _ in range(most):
            context = told(policy, context, got(STEP, STEP), done(), got(STEP), PlanRequested())
            context = replace(context, plan_count=context.plan_count - 1)
        last = policy.act(context)
        assert isinstance(last, GiveUp) and f"After {most} plans" in last.reason.note


def test_that_a_failed_step_with_an_empty_hand_is_planned_again_where_it_is_watched() -> None:
    for loop, kind in (("ours", MakePlan), ("no-rehearsal", GiveUp)):
        policy, context = begun(loop)
        felt = tuple(
            Answer(Atom(*atom), verdict, BeliefSource.SENSOR)
            for atom, verdict in (
                (("handempty",), Verdict.YES),
                (("holding", ("strawberry",)), Verdict.NO),
            )
        )
        context = told(policy, context, got(STEP, PLACE), done(StepStatus.FAILED), GotSenses(felt))
        again = policy.act(context)
        assert isinstance(again, kind)
        assert "the hand is empty" in (again.reason.note if again.reason else "")


def test_that_a_model_writes_the_wish_about_the_scene_that_the_robot_tells() -> None:
    policy = OwlTamp(SPEC, PROBLEM, OwlTampOptions(words="put it there"), make_planner(), asks=True)
    assert policy.has_own_goal and not begun()[0].has_own_goal, "which a simulator judges"
    context = Context(PROBLEM, policy.begin(PROBLEM))
    assert isinstance(none := policy.act(context), GiveUp) and "tells no scene" in none.reason.note
    context = told(policy, context, GotScene(Scene((), "")))
    asked = policy.act(context)
    assert isinstance(asked, AskModel) and asked.with_picture and '"put it there"' in asked.messages[0].text
    broken = policy.act(told(policy, context, GotReply(asked.purpose, "", "The model is gone.")))
    assert isinstance(broken, GiveUp) and broken.reason.note == "The model is gone."
    refused = policy.act(told(policy, context, GotReply(asked.purpose, "Not possible: no.")))
    assert isinstance(refused, GiveUp) and "not possible" in refused.reason.note
    plan = GotReply(asked.purpose, "Plan:\npick(strawberry); it is in the hand")
    assert policy.interpret_reply(plan) == "pick(strawberry), it is in the hand"
    assert (
        policy.interpret_reply(GotReply("wish goal", "def goal_check0():\n    return True")) == "goal_check0"
    )
    assert policy.interpret_reply(GotReply(asked.purpose, "prose")) == ""


def test_that_a_task_without_a_wish_is_planned_as_the_classical_planner_does() -> None:
    folder, task = load_task("boil_water")
    policy = OwlTamp(folder, task.problem, OwlTampOptions(), make_planner(), asks=True)
    first = policy.act(Context(task.problem, policy.begin(task.problem)))
    assert not isinstance(first, MakePlan) or first.wish is None
