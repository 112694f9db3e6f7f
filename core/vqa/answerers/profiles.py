"""Read the error rates per predicate of simulated answerers from data files."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field, replace
from enum import Enum
from pathlib import Path
from typing import Literal

from pydantic.dataclasses import dataclass

from core.data_file import FILE, UnitInterval, load_toml
from core.errors import BadValue
from core.vqa.data_files import available_names, find_file

UNSTATED = (0.7, 0.25)  # P(yes | it holds), P(yes | it does not), of an answerer that states no rates


@dataclass(frozen=True, config=FILE)
class Rates:
    """How often an answer says that an atom holds, when it does (and is visible) and when it does not.

    `basis` says whether the rates were measured on a real model, rest on too few of its answers, or are our
    own default; `note` gives the source. They are about the ATOM: P(says closed | closed), even if the text
    asks "is it open?".
    """

    yes_if_true: UnitInterval
    yes_if_false: UnitInterval
    basis: Literal["measured", "few", "ours"]
    note: str = ""


class Manner(Enum):
    """How a simulated answerer errs besides what its rates say; it states the rates all the same."""

    RATES = "rates"
    AGREES = "agrees"  # says what the method expects
    ONE_OBJECT = "one object"  # about one thing of the goal it is wrong by the rate `astray`
    ONE_PREDICATE = "one predicate"  # of one kind of the goal's facts it says yes by the rate `astray`
    DRIFTS = "drifts"  # the errors grow from `otherwise` to `astray` over 50 turns
    FIRST = "first"  # repeats its first answer for ever


@dataclass(frozen=True, config=FILE)
class Profile:
    """`resources/profiles/NAME.toml`.

    `skip` and `skip_unseen` are the rates of skipped questions about what the picture shows and does not
    show. `persistence` is how often an answer is repeated, right or wrong, while viewpoint and truth stay the
    same; otherwise it is drawn afresh. A wrong answer is thus wrong again with p + (1 - p) * error. With
    `sees_all` it also knows what the picture does not show. Questions about steps have rates of their own, as
    the predicates `worked` and `possible`. `planner` names the simulated model that plans if a method asks
    one (`resources/planners`).

    The adversaries have a `manner`; `otherwise` is their share of errors elsewhere, or at first.
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
    manner: Manner = Manner.RATES
    astray: UnitInterval = 0.9
    otherwise: UnitInterval = 0.05

    @property
    def rests_on_few(self) -> bool:
        """Return True if too few answers were judged to measure its rates."""
        return self.default.basis == "few"

    def rates_for(self, predicate: str) -> Rates:
        return self.predicates.get(predicate, self.default)

    def error_rates(self, predicate: str) -> tuple[float, float]:
        """Return P(yes) of what holds and of what does not (`core.ports.StatesErrorRates`)."""
        rates = self.rates_for(predicate)
        return rates.yes_if_true, rates.yes_if_false


def profile_names() -> tuple[str, ...]:
    """Return the names of the shipped profiles."""
    return available_names("profiles")


def is_profile(name: str) -> bool:
    """Return True for a shipped profile's name, and for one of the family `symmetric-N`."""
    return name in profile_names() or symmetric_error(name) is not None


def symmetric_error(name: str) -> float | None:
    """Return the share of wrong answers that a name of the family `symmetric-N` stands for: N per cent."""
    found = re.fullmatch(r"symmetric-(\d{1,2}(?:\.\d{1,2})?|100)", name)
    return float(found[1]) / 100 if found else None


def symmetric_name(accuracy: float) -> str:
    """Return the name of a profile whose answers are right so often. Raises BadValue outside of 0 to 1."""
    if not 0 <= accuracy <= 1:
        raise BadValue(f"The accuracy {accuracy:g} is out of range: take 0 to 1.")
    return f"symmetric-{round(100 * (1 - accuracy), 2):g}"


def load_profile(name: str | Path) -> Profile:
    """Load a profile by name or path; any `symmetric-N` has a name. Raises UnknownName, BadFile."""
    error = symmetric_error(str(name))
    if error is not None and str(name) not in profile_names():
        model = load_profile("symmetric-10")
        rates = {key: _symmetric(r, error) for key, r in model.predicates.items()}
        about = f"wrong about {100 * error:g} % of what it sees, whatever is asked"
        default = _symmetric(model.default, error)
        return replace(model, name=str(name), about=about, default=default, predicates=rates)
    return load_toml(find_file("profile", "profiles", name), Profile)


def _symmetric(rates: Rates, error: float) -> Rates:
    return replace(rates, yes_if_true=1 - error, yes_if_false=error)
