from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import pytest

from core.belief import Answer, Atom, Belief, BeliefEntry, BeliefSource, Query, Verdict
from core.config import Settings
from core.events import EpisodeEnded, PlanMade, StepFinished
from core.loop.episode_loop import run_episode
from core.loop.gate import AutoOperator
from core.methods.registry import make_method
from core.planning import domain_library
from core.planning.default_rules import RuleSet
from core.planning.planner import make_planner
from core.planning_model import Problem, Step
from core.ports import Frame, GroundTruth, ModelCall
from core.stop_token import StopToken
from core.vqa.registry import make_answerer
from robots.registry import make_robot
from robots.ur5e.scene_file import read_scene
from robots.ur5e.tabletop.ground_truth import ThingPose, possible, true_atoms, worked
from tests.episodes import episode

SCENE = read_scene("tabletop")
KEPT = frozenset({"found"})  # the planner's bookkeeping
PLACES = {
    "container_blue": ThingPose(0.5, 0.02, 0.035, 1.0),
    "container_cyan": ThingPose(0.4, 0.3, 0.035, 1.0),
    "toy_eggplant": ThingPose(0.51, 0.01, 0.021, 0.9),
    "toy_carrot": ThingPose(0.6, 0.2, 0.014, 1.0),
    "toy_block": ThingPose(0.3, 0.0, 0.2, 1.0),
}


@pytest.mark.parametrize("task", ["collect_eggplant", "collect_toys"])
def test_that_the_first_plan_is_as_long_as_the_folder_says(task: str) -> None:
    _, found = domain_library.load_task(task)
    plan = make_planner("pyperplan").plan(found.problem, StopToken())
    assert len(plan.steps) == found.plan_length
    assert [s.name for s in plan.steps][:6] == ["find", "pick", "place_goal", "find", "pick", "place_in"]


def test_that_everything_in_a_task_is_in_the_scene() -> None:
    things = set(SCENE.things)
    for task in domain_library.load_domain_spec("tabletop").tasks.values():
        assert set(task.problem.of_type("movable")) <= things


@pytest.mark.parametrize("seed", range(4))
def test_that_the_method_collects_the_toys_on_the_symbolic_robot(seed: int) -> None:
    folder, task = domain_library.load_task("collect_toys")
    robot = make_robot("symbolic", domain_spec=folder, task=task, seed=seed, openness=1.0, pictures=False)
    method, planner = make_method("dkprompt", folder, task.problem), make_planner("pyperplan")
    answerer = make_answerer("perfect", truth=robot, seed=seed)  # type: ignore[arg-type]
    events = list(
        run_episode(
            task.name,
            task.problem,
            robot,
            answerer,
            planner,
            method,
            AutoOperator(),
            StopToken(),
            max_steps=50,
        )
    )
    assert any(isinstance(e, StepFinished) for e in events) and any(isinstance(e, PlanMade) for e in events)
    ended = events[-1]
    assert isinstance(ended, EpisodeEnded)
    assert ended.believed_goal == ended.true_goal


class OneWrong:
    """Answers as it is, but for one answer about one atom, the first time that `when` holds of the truth."""

    name = "one wrong"

    def __init__(self, robot: GroundTruth, wrong: Atom, when: Callable[[frozenset[Atom]], bool]) -> None:
        self.robot, self.wrong, self.when, self.times = robot, wrong, when, 1

    def answer(self, frame: Frame, queries: Sequence[Query], turn: int, cancel: StopToken) -> ModelCall:
        return ModelCall(tuple(self._answer(q, turn) for q in queries), by=self.name)

    def _answer(self, query: Query, turn: int) -> Answer:
        truth = self.robot.truth()
        holds = query.atom in truth
        if query.atom == self.wrong and self.times and self.when(truth):
            self.times -= 1
            holds = not holds
        return Answer(query.atom, Verdict.from_bool(holds), BeliefSource.MODEL, turn=turn)


HELD = Atom("inhand", ("robot", "toy_block"))


@pytest.mark.parametrize(
    ("wrong", "when"),
    [
        (Atom("ingoal", ("container_blue",)), lambda truth: HELD in truth),
        (HELD, lambda truth: HELD in truth),
        (HELD, lambda truth: HELD not in truth),
        (Atom("collected", ("toy_block",)), lambda truth: Atom("collected", ("toy_block",)) in truth),
        (Atom("ontable", ("container_blue",)), lambda truth: True),
    ],
    ids=["goal area while holding", "hand while holding", "hand while empty", "collected", "container"],
)
def test_that_no_single_wrong_answer_is_final(wrong: Atom, when: Callable[[frozenset[Atom]], bool]) -> None:
    folder, task = domain_library.load_task("collect_toys")
    robot = make_robot("symbolic", domain_spec=folder, task=task, openness=0.0, pictures=False)
    assert isinstance(robot, GroundTruth)
    answerer = OneWrong(robot, wrong, when)
    method, planner = make_method("dkprompt", folder, task.problem), make_planner("pyperplan")
    happened = run_episode(
        task.name, task.problem, robot, answerer, planner, method, AutoOperator(), StopToken(), max_steps=50
    )
    *events, ended = happened
    assert isinstance(ended, EpisodeEnded)
    assert ended.true_goal, ended.reason
    done = {e.step.name for e in events if isinstance(e, StepFinished)}
    assert ("put_back" in done) == (wrong.predicate == "ingoal")


@pytest.mark.long
def test_that_one_answer_in_ten_may_be_wrong_and_the_toys_are_collected() -> None:
    reached = sum(
        episode(
            Settings(
                domain="tabletop",
                task="collect_toys",
                robot="symbolic",
                pictures=False,
                seed=seed,
                answerer="symmetric-10",
            )
        ).true
        for seed in range(100)
    )
    assert reached >= 90


def test_that_the_truth_is_read_from_where_things_are() -> None:
    _, task = domain_library.load_task("collect_toys")
    truth = true_atoms(task.problem, SCENE, PLACES, {"toy_block"}, {"toy_carrot": 500, "toy_block": 3})
    assert truth == {
        Atom("inview", ("robot", "toy_carrot")),
        Atom("inhand", ("robot", "toy_block")),
        Atom("ontable", ("container_blue",)),
        Atom("ingoal", ("container_blue",)),
        Atom("ontable", ("container_cyan",)),
        Atom("inside", ("toy_eggplant", "container_blue")),
        Atom("collected", ("toy_eggplant",)),
        Atom("ontable", ("toy_carrot",)),
    }


def test_that_what_fell_to_the_ground_is_nowhere() -> None:
    _, task = domain_library.load_task("collect_toys")
    fallen = {**PLACES, "container_cyan": ThingPose(0.5, 0.8, -0.68, 1.0)}
    assert not {a for a in true_atoms(task.problem, SCENE, fallen, (), {}) if "container_cyan" in a.args}


def test_that_the_fingers_touching_a_thing_on_the_table_do_not_hold_it_yet() -> None:
    _, task = domain_library.load_task("collect_toys")
    truth = true_atoms(task.problem, SCENE, PLACES, {"toy_carrot"}, {})
    assert Atom("handempty", ("robot",)) in truth
    assert Atom("ontable", ("toy_carrot",)) in truth


PICK, PLACE = Step("pick", ("robot", "toy_carrot")), Step("place_goal", ("robot", "container_blue"))


@pytest.fixture
def problem() -> Problem:
    return domain_library.load_task("collect_toys")[1].problem


def table(
    problem: Problem, pixels: Mapping[str, int], pinched: str = "", **moved: ThingPose
) -> frozenset[Atom]:
    return true_atoms(problem, SCENE, {**PLACES, **moved}, (pinched,), pixels)


def test_that_a_pick_worked_where_the_thing_is_in_the_hand_whatever_is_in_view(problem: Problem) -> None:
    everything = dict.fromkeys(PLACES, 500)
    before = table(problem, everything)
    held = table(problem, everything, "toy_carrot", toy_carrot=ThingPose(0.5, 0, 0.5, 1.0))
    assert Atom("inview", ("robot", "toy_carrot")) in held
    assert worked(problem, before, held, PICK, KEPT)
    assert not worked(problem, before, before, PICK, KEPT)


def test_that_a_find_worked_where_the_picture_shows_the_thing(problem: Problem) -> None:
    find = Step("find", ("robot", "toy_carrot"))
    assert worked(problem, table(problem, {}), table(problem, {"toy_carrot": 500}), find, KEPT)
    assert not worked(problem, table(problem, {}), table(problem, {"toy_block": 500}), find, KEPT)


def test_that_a_container_that_fell_over_in_the_goal_area_was_not_placed_there(problem: Problem) -> None:
    held = table(problem, {}, "container_blue", container_blue=ThingPose(0.5, 0, 0.5, 1.0))
    assert worked(problem, held, table(problem, {}), PLACE, KEPT)
    x, y, z, _ = (getattr(PLACES["container_blue"], name) for name in ("x", "y", "z", "upright"))
    assert not worked(problem, held, table(problem, {}, container_blue=ThingPose(x, y, z, 0.2)), PLACE, KEPT)


def test_that_a_step_is_possible_where_its_preconditions_are_so(problem: Problem) -> None:
    seen = {"toy_carrot": 500}
    assert possible(problem, table(problem, seen), PICK, KEPT)
    assert not possible(problem, table(problem, {}), PICK, KEPT)
    other = table(problem, seen, "toy_block", toy_block=ThingPose(0.5, 0, 0.5, 1.0))
    assert not possible(problem, other, PICK, KEPT)


def test_that_a_step_of_no_action_neither_worked_nor_is_possible(problem: Problem) -> None:
    now, nonsense = table(problem, {}), Step("fly", ("robot",))
    assert not possible(problem, now, nonsense, KEPT) and not worked(problem, now, now, nonsense, KEPT)


@pytest.mark.parametrize(
    ("source", "kept"),
    [(BeliefSource.SENSOR, True), (BeliefSource.OPERATOR, True), (BeliefSource.MODEL, False)],
)
def test_that_a_hand_that_is_felt_to_be_full_is_not_assumed_to_be_empty(
    problem: Problem, source: BeliefSource, kept: bool
) -> None:
    empty, spec = Atom("handempty", ("robot",)), domain_library.load_domain_spec("tabletop")
    full = Belief.from_init(problem.state - {empty}).with_entries([BeliefEntry(empty, Verdict.NO, source, 3)])
    assumed = RuleSet(spec, problem).apply(full, 3)
    assert (assumed.verdict(empty) is Verdict.NO) is kept
