"""How well a simulated answerer sees: error rates per predicate, as data files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, ClassVar, Literal

from annotated_types import Interval

from core.vqa.data_files import available_names, find_file, load_toml

UnitInterval = Annotated[float, Interval(ge=0, le=1)]


@dataclass(frozen=True)
class Rates:
    """How often an answer says that an atom holds: when it does and shows, and when it does not.

    `basis` says whether the figures were measured on a real model or are our own default; `note` from
    where. They are about the ATOM: P(says closed | closed), also where the text asks "is it open?".
    """

    yes_if_true: UnitInterval
    yes_if_false: UnitInterval
    basis: Literal["measured", "ours"]
    note: str = ""

    __pydantic_config__: ClassVar = {"extra": "forbid"}


@dataclass(frozen=True)
class Profile:
    """`resources/profiles/NAME.toml`.

    `skip` and `skip_unseen` are the shares of skipped questions about what the picture shows and does not
    show. `persistence` is how often an answer is repeated, right or wrong, while viewpoint and truth stay
    the same; otherwise it is drawn afresh. So a wrong answer is wrong again with p + (1 - p) * error.
    `sees_all`: also what the picture does not show. Questions about steps have rates of their own, as the
    predicates `worked` and `possible`. `planner` names the simulated model that plans where a method asks one
    (`resources/planners`).
    """

    name: str
    about: str
    source: str
    skip: UnitInterval
    skip_unseen: UnitInterval
    persistence: UnitInterval
    default: Rates  # for predicates without figures
    predicates: Mapping[str, Rates] = field(default_factory=dict)
    sees_all: bool = False
    planner: str = "paper"

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    def rates_for(self, predicate: str) -> Rates:
        return self.predicates.get(predicate, self.default)


def profile_names() -> tuple[str, ...]:
    """The names of the shipped profiles."""
    return available_names("profiles")


def load_profile(name: str | Path) -> Profile:
    """A shipped profile by its name, or any by its path. Raises UnknownName, BadFile."""
    return load_toml(find_file("profile", "profiles", name), Profile)
