"""Language models that are asked about a domain, by name: a simulated one, or a model behind an address."""

from __future__ import annotations

from collections.abc import Callable

from core.belief import Atom
from core.domains import DomainSpec, Task
from core.errors import BadValue
from core.open_world.world_file import load_open_world
from core.planners import Planner
from core.ports import GroundTruth, JudgesGoal, Model, NoticesSituations, Robot
from core.scene import ProvidesScene
from core.stock import KnowsStock
from core.vqa.budget import Meter
from core.vqa.knower.commonsense import Commonsense
from core.vqa.knower.knower_profile import knower_names, load_knower_profile
from core.vqa.knower.simulated_knower import SimulatedKnower
from core.vqa.knower.simulated_programs import SimulatedPrograms
from core.vqa.registry import ModelSettings, language_model
from core.wishes.authoring import Brief
from core.wishes.word_sources import is_source, word_source

DEFAULT_KNOWER = "davinci"


def default_knower(method: str, words: str) -> str:
    """Return who is asked where nobody is named: of a wish in other words than a task's, the grammar."""
    if method == "owl-tamp":
        return "grammar" if words else ""
    return DEFAULT_KNOWER


def make_knower(
    name: str,
    domain_spec: DomainSpec,
    task: Task,
    robot: Robot | None,
    planner: Planner,
    seed: int,
    asking: ModelSettings,
    meter: Meter,
) -> Model:
    """Return the language model; without a robot, a simulated one writes no plans and sees nothing.

    Raises UnknownName, BadFile, BadValue, and AnswererError for a missing key.
    """
    if is_source(name):
        if not isinstance(robot, ProvidesScene):
            raise BadValue(f"The source {name} writes wishes, for a robot that tells a scene: take another.")
        return word_source(name, Brief(task.description, domain_spec, task.problem, robot.scene()), seed)
    if not is_simulated_knower(name):
        return language_model(name, asking, meter)
    profile = load_knower_profile(name)
    sense = Commonsense(domain_spec, task, load_open_world(domain_spec))
    stock = robot.stock() if isinstance(robot, KnowsStock) else ()
    state = _state_of(robot)
    programs = SimulatedPrograms(profile, sense, stock, state, planner, seed) if state else None
    sees = robot.situations if isinstance(robot, NoticesSituations) else tuple
    return SimulatedKnower(profile, sense, stock, programs, seed, sees)


def is_simulated_knower(name: str) -> bool:
    """Return True if a profile of ours or of the user's answers under this name, and no model."""
    return name in knower_names() or is_source(name) or name.endswith(".toml")


def _state_of(robot: Robot | None) -> Callable[[], frozenset[Atom]] | None:
    """Return what a simulator's true state is read with; None without a simulator.

    A model that took the judged truth for it would reach the same goal again and again.
    """
    if isinstance(robot, JudgesGoal):
        return lambda: robot.true_state
    return robot.truth if isinstance(robot, GroundTruth) else None
