"""The settings of an episode, and the components that `main.py` makes from them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import TYPE_CHECKING, Protocol

from core.belief import Belief
from core.closing import close_part
from core.domains import DomainSpec, Task
from core.errors import BadValue
from core.knowledge.changes import NO_KNOWLEDGE, Knowledge
from core.loop.repeated_failures import DEFAULT_FAILURE_LIMIT
from core.parameters import check_bounds, setting
from core.pictures import MAX_SIDE, MIN_SIDE
from core.planners import Planner
from core.policy import Policy, RemainingBudget
from core.ports import Answerer, Model, Robot
from core.supervision import WATCH, SupervisionLevels
from core.vqa.budget import Meter, ModelBudget

if TYPE_CHECKING:
    from core.loop.permit_issuer import PermitIssuer
    from core.loop.questioner import ConsistencyCheck

OPENNESS_LIMIT = 1.75  # Table 6's grasp and cut go wrong half the time at 1, and so nearly always here


COMPONENT_KINDS = ("robot", "method", "answerer", "engine")  # with options in an episode's settings


@dataclass(frozen=True)
class Settings:
    """Everything needed to repeat an episode. Raises BadValue for a setting that is out of range.

    What a field says is shown by the command line, the set-up dialog and docs/reference.md. In a text, ""
    stands for what fits.
    """

    task: str = setting(
        "boil_water", "A task (`tasks` lists them); by default boil_water, or the domain's first."
    )
    domain: str = setting("", "A domain folder, shipped or yours, instead of all shipped ones.")
    domain_file: str = setting("", "A PDDL domain instead of a task; needs --problem-file.")
    problem_file: str = setting("", "A PDDL problem; needs --domain-file.")
    variant: str = setting("", "Which of the domain's files: repaired (default) or printed.")
    robot: str = setting("", "By default the one that the task is made for; listed below.")
    answerer: str = setting(
        "",
        "One of those listed below, a file of a profile, a model (PRESET:MODEL), a URL; several joined by + "
        "vote. By default the eye where it was trained on the task's questions, else perfect.",
    )
    model: str = setting("", "The preset's model, if not its own.")
    prompt: str = setting(
        "dkprompt", "The format: dkprompt (the paper's), paper (its tone), structured, or single."
    )
    picture_size: int | None = setting(
        None, "The picture's side for the model, pixels; by default 256.", ge=MIN_SIDE, le=MAX_SIDE
    )
    max_calls: int | None = setting(None, "Limit of calls; at it you are asked.")
    max_dollars: float | None = setting(None, "Limit in US dollars; at it you are asked.")
    max_tokens: int | None = setting(None, "Limit of tokens; at it you are asked.")
    max_seconds: float | None = setting(
        None, "Limit of waiting for the model, in seconds; at it you are asked."
    )
    cache: str = setting("", "A file of cached replies, for experiments.")
    knower: str = setting(
        "",
        "Whom a method such as cowp asks about the domain: a simulated model (perfect, davinci, ada) or a "
        "real one, as --answerer takes it. By default the answerer's own model, else davinci.",
    )
    method: str = setting("dkprompt", "How the model is asked and its answers used; listed below.")
    engine: str = setting("pyperplan", "Who plans; `parts engines` lists them.")
    seed: int = setting(0, "Random seed: same seed, same episode, unless careful learnt.", "Seed", ge=0)
    openness: float = setting(
        1.0,
        "How often things go wrong: 0 never, 1 as in the paper, at most 1.75.",
        "Failures (openness)",
        ge=0,
        le=OPENNESS_LIMIT,
    )
    pace: float = setting(0.0, "0: no delay; 1: real time.", "Pace", ge=0)
    pictures: bool = setting(True, "--no-pictures: same actions and facts, no rendering.")
    live_video: bool = setting(False, "Keep what the cameras show in the log (extra: video).")
    max_steps: int = setting(50, "Limit of actions.", "Step limit", ge=1)
    failure_limit: int = setting(
        DEFAULT_FAILURE_LIMIT,
        "Warn, and wait for you if you are there, when a step fails so often for the same reason; 0: never.",
        "Ask after failures",
        ge=0,
    )
    options: Mapping[str, str] = field(default_factory=dict)  # of the components: "robot.arm"; never a secret

    def __post_init__(self) -> None:
        if "://" in self.answerer and set("@?#") & set(self.answerer):  # logged and saved as it is
            raise BadValue(
                "The model's address holds a user, a password or a query: give the bare address, and the key "
                "in the environment."
            )
        check_bounds(self)
        for name, limit in asdict(self.budget).items():
            if limit is not None and limit <= 0:
                raise BadValue(f"A budget of {limit:g} {name} allows nothing: take more, or leave it out.")
        for name in self.options:
            kind, _, option = name.partition(".")
            if kind not in COMPONENT_KINDS or not option:
                kinds = ", ".join(f"{each}.{option or name}" for each in COMPONENT_KINDS)
                raise BadValue(
                    f"There is no option {name!r}: it begins with the kind of component, as in {kinds}."
                )

    @property
    def task_place(self) -> tuple[str, str, str, str, str]:
        """Return the task and where it is, as `find_task` takes them."""
        return self.task, self.domain, self.domain_file, self.problem_file, self.variant

    @property
    def robot_is_chosen(self) -> bool:
        """Return True if a person chose the robot: only then may it be a real one."""
        return bool(self.robot)

    def options_for(self, kind: str) -> Mapping[str, str]:
        """Return a component's options, for "robot" `{"arm": ...}`, which its registry entry checks."""
        start = f"{kind}."
        return {k.removeprefix(start): v for k, v in self.options.items() if k.startswith(start)}

    @property
    def budget(self) -> ModelBudget:
        """Return the limits on what the model may cost in an episode."""
        return ModelBudget(self.max_calls, self.max_tokens, self.max_dollars, self.max_seconds)

    def as_strings(self) -> Mapping[str, str]:
        """Return all settings as strings, to show and to log with the episode."""
        own = {f.name: str(getattr(self, f.name)) for f in fields(Settings) if f.name != "options"}
        return own | dict(self.options)


@dataclass(frozen=True)
class EpisodeComponents:
    """The components of an episode. The robot is new and belongs to the caller, who closes it.

    `permits` is the only source of permits for its motions.
    """

    settings: Settings
    domain_spec: DomainSpec
    task: Task
    robot: Robot
    answerer: Answerer
    planner: Planner
    method: Policy
    permits: PermitIssuer
    meter: Meter = field(default_factory=Meter)  # what the model has cost and may cost
    consistency: ConsistencyCheck | None = None
    model: Model | None = None  # for a method's requests other than queries
    knowledge: Knowledge = NO_KNOWLEDGE  # learnt about the domain before; the task's problem has it already
    first_belief: Belief | None = None  # to begin with, in place of the method's own

    def remaining_budget(self) -> RemainingBudget:
        """Return what is left of the model's limits."""
        left = self.meter.budget.less(self.meter.usage)
        return RemainingBudget(calls=left.calls, dollars=left.dollars)

    def close(self) -> None:
        """Release the robot and every process. Idempotent."""
        self.permits.close()
        self.robot.close()
        for part in (self.planner, self.answerer):
            close_part(part)


def ignore(text: str) -> None:
    """Discard a message."""


class ComponentFactory(Protocol):
    def __call__(
        self,
        settings: Settings,
        notify: Callable[[str], None] = ignore,
        supervision: SupervisionLevels = WATCH,
    ) -> EpisodeComponents:
        """Make the components that the settings name. Raises ConsoleError.

        `notify` receives a message about every wait for a model, from any thread. The episode begins with
        these supervision levels, restricted to those that the robot allows.
        """
