"""How accurate a simulated answerer is: error rates per predicate, as data files."""

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
    """How often an answer says that an atom holds, when it does (and is visible) and when it does not.

    `basis` says whether the rates were measured on a real model or are our own default; `note` gives the
    source. They are about the ATOM: P(says closed | closed), even if the text asks "is it open?".
    """

    yes_if_true: UnitInterval
    yes_if_false: UnitInterval
    basis: Literal["measured", "ours"]
    note: str = ""

    __pydantic_config__: ClassVar = {"extra": "forbid"}


@dataclass(frozen=True)
class Profile:
    """`resources/profiles/NAME.toml`.

    `skip` and `skip_unseen` are the rates of skipped questions about what the picture shows and does not
    show. `persistence` is how often an answer is repeated, right or wrong, while viewpoint and truth stay the
    same; otherwise it is drawn afresh. A wrong answer is thus wrong again with p + (1 - p) * error. With
    `sees_all` it also knows what the picture does not show. Questions about steps have rates of their own, as
    the predicates `worked` and `possible`. `planner` names the simulated model that plans if a method asks
    one (`resources/planners`).
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
    """Return the names of the shipped profiles."""
    return available_names("profiles")


def load_profile(name: str | Path) -> Profile:
    """Load a profile by name or path. Raises UnknownName, BadFile."""
    return load_toml(find_file("profile", "profiles", name), Profile)
