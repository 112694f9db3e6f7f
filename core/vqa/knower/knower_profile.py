"""Read how a simulated language model replies about a household: `resources/knowers/NAME.toml`."""

from __future__ import annotations

from dataclasses import field
from pathlib import Path

from pydantic.dataclasses import dataclass

from core.data_file import FILE, UnitInterval, load_toml
from core.vqa.data_files import available_names, find_file


@dataclass(frozen=True, config=FILE)
class ProgramRates:
    """How often a written plan has a fault, and how often it handles a solvable situation."""

    faults: UnitInterval
    handles: UnitInterval


@dataclass(frozen=True, config=FILE)
class KnowerProfile:
    """Rates of the replies. `source` says where they come from."""

    name: str
    about: str
    source: str
    says_no_when_blocked: UnitInterval  # to an action that the situation makes unsuitable
    says_no_when_touched: UnitInterval  # to one that has the object, and is not hindered
    unclear: UnitInterval  # replies about actions that are no answer
    accepts_good: UnitInterval  # a substitute that a person would accept
    accepts_bad: UnitInterval
    repairs_good: UnitInterval  # says that a device helps, which it does
    repairs_bad: UnitInterval
    names_none: UnitInterval  # of the things to choose from
    names_several: UnitInterval
    chooses_good: UnitInterval  # where one of them is good
    misnames: UnitInterval  # predicates with another meaning
    accepts_bad_for: dict[str, UnitInterval] = field(default_factory=dict)  # by role
    programs: dict[str, ProgramRates] = field(default_factory=dict)  # by the kind of prompt


def knower_names() -> tuple[str, ...]:
    return available_names("knowers")


def load_knower_profile(name: str | Path) -> KnowerProfile:
    """Load a profile by name or path. Raises UnknownName, BadFile."""
    return load_toml(find_file("knower", "knowers", name), KnowerProfile)
