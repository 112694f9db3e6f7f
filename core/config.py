"""The settings of an episode, and the parts that they name. `main.py` makes the one from the other."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Protocol

from core.domains import DomainSpec, Task
from core.errors import BadValue
from core.policy import Policy
from core.policy import RemainingBudget as Left
from core.ports import Answerer, Model, Planner, Robot
from core.questioner import ConsistencyCheck
from core.vqa.budget import Meter, ModelBudget
from core.vqa.resize import check_size

OPENNESS_LIMIT = 1.75  # Table 6's grasp and cut go wrong half the time at 1, and so nearly always here


COMPONENT_KINDS = (
    "robot",
    "method",
    "answerer",
    "engine",
)  # of parts that have options in an episode's settings


@dataclass(frozen=True)
class Settings:
    """Everything that an episode can be repeated by. Raises BadValue for what is out of range."""

    task: str = "boil_water"
    domain: str = ""  # a domain folder by name or path; "": wherever the task is
    domain_file: str = ""  # a pair of PDDL files instead of a shipped task
    problem_file: str = ""
    variant: str = ""  # "": the domain's default
    robot: str = ""  # "": the robot that the domain is at home on
    answerer: str = "perfect"  # a profile, a file, a preset of a model, or a URL
    model: str = ""  # "": the preset's own
    prompt: str = "dkprompt"
    picture_size: int | None = None  # pixels, for the model; None: as the robot sees, 256 x 256
    max_calls: int | None = None  # budgets of a model; used up, a person is asked
    max_dollars: float | None = None
    max_tokens: int | None = None
    max_seconds: float | None = None  # of waiting for the model
    cache: str = ""  # a file of kept replies, for experiments only
    method: str = "dkprompt"
    engine: str = "pyperplan"
    seed: int = 0
    openness: float = 1.0
    pace: float = 0.0  # 1: as long as a robot would take; 0: at once
    pictures: bool = True
    live_video: bool = False  # keep what the cameras show, in short segments beside the log
    max_steps: int = 50
    options: Mapping[str, str] = field(default_factory=dict)  # of the parts: "robot.arm"; never a secret

    def __post_init__(self) -> None:
        if "://" in self.answerer and set("@?#") & set(self.answerer):  # it is logged and remembered as it is
            raise BadValue(
                "The model's address holds a user, a password or a query: give the bare address, and the key "
                "in the environment."
            )
        if not 0 <= self.openness <= OPENNESS_LIMIT:
            raise BadValue(
                f"The openness {self.openness:g} is out of range: take 0 (nothing goes wrong) "
                f"to {OPENNESS_LIMIT:g}; 1 is the paper's Table 6."
            )
        check_size(self.picture_size)
        if self.max_steps < 1:
            raise BadValue(f"A limit of {self.max_steps} steps lets nothing happen: take 1 or more.")
        for name, limit in asdict(self.budget).items():
            if limit is not None and limit <= 0:
                raise BadValue(f"A budget of {limit:g} {name} allows nothing: take more, or leave it out.")
        if self.pace < 0:
            raise BadValue(f"The pace {self.pace:g} is negative: take 0 (at once) or more; 1 is real time.")
        for name in self.options:
            kind, _, option = name.partition(".")
            if kind not in COMPONENT_KINDS or not option:
                raise BadValue(
                    f"There is no option {name!r}: write robot.NAME, or {', '.join(COMPONENT_KINDS[1:])}."
                )

    def options_for(self, kind: str) -> Mapping[str, str]:
        """The options of one part, of "robot" `{"arm": ...}`; its entry checks them."""
        start = f"{kind}."
        return {k.removeprefix(start): v for k, v in self.options.items() if k.startswith(start)}

    @property
    def budget(self) -> ModelBudget:
        """What the model may cost in an episode."""
        return ModelBudget(self.max_calls, self.max_tokens, self.max_dollars, self.max_seconds)

    def as_strings(self) -> Mapping[str, str]:
        """To show, and to log with the episode."""
        own = {f.name: str(getattr(self, f.name)) for f in fields(Settings) if f.name != "options"}
        return own | dict(self.options)


@dataclass(frozen=True)
class EpisodeComponents:
    """What an episode is made of; the robot is new and belongs to the caller, who closes it."""

    settings: Settings
    domain_spec: DomainSpec
    task: Task
    robot: Robot
    answerer: Answerer
    planner: Planner
    method: Policy
    meter: Meter = field(default_factory=Meter)  # what the model has cost, and may
    consistency: ConsistencyCheck | None = None
    model: Model | None = None  # for what a method asks besides questions

    def remaining_budget(self) -> Left:
        """What is left of the model's limits."""
        budget, spent = self.meter.budget, self.meter.usage
        calls = None if budget.calls is None else max(0, budget.calls - spent.calls)
        dollars = None if budget.dollars is None else max(0.0, budget.dollars - spent.dollars)
        return Left(calls=calls, dollars=dollars)

    def close(self) -> None:
        """Let go of the robot and of every process. Idempotent."""
        self.robot.close()
        for part in (self.planner, self.answerer):
            if close := getattr(part, "close", None):
                close()


def ignore(text: str) -> None:
    """Told of every wait, says nothing."""


class ComponentFactory(Protocol):
    def __call__(self, settings: Settings, notify: Callable[[str], None] = ignore) -> EpisodeComponents:
        """The parts that the settings name; `notify` is told of every wait for a model, from any thread.

        Raises ConsoleError.
        """
        ...


def data_folder() -> Path:
    """Where episodes are kept by default: the user's data folder."""
    from platformdirs import user_data_path

    return user_data_path("dkprompt-console")
