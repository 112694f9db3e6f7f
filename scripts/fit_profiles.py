"""Fits the profiles paper-gpt4, paper-gemini and paper-claude to the paper's DKPROMPT, and to it alone.

Run: `PYTHONPATH=. .venv/bin/python scripts/fit_profiles.py [NAME ...]`. Writes
`resources/profiles/NAME.toml`.

The structure is GPT-4.1's, as it was measured on checks in a household: for each predicate, how often an
answer says yes of what is not so, and no of what is. One factor multiplies all of these error rates, so that
their ratios stay; what would be above `MAX_ERROR` is that. The factor is found by bisection: dkprompt's mean
over the paper's five tasks (kitchen, no pictures, openness 1) has to be the paper's. The seeds are 1000 to
1099; reports use 0 to 99.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

from core.config import Settings
from core.evaluation import paper
from core.evaluation.bench import run_design
from core.evaluation.comparison import comparison_rows
from core.evaluation.executor import TrialRunner
from core.evaluation.trial import Design
from core.evaluation.trial_store import TrialStore
from core.evaluation.workers import LocalProcesses
from core.vqa.answerers.profiles import Profile, Rates, load_profile
from main import make_components

BASE = "gpt-4.1-household-checks"
ABOUT = {"paper-gpt4": "GPT-4 Turbo", "paper-gemini": "Gemini 1.5 Pro", "paper-claude": "Claude 3 Opus"}
FOLDER = Path(__file__).resolve().parents[1] / "resources" / "profiles"
FIRST_SEED, SEEDS, WORKERS = 1000, 100, 2
CLOSE, MOST = 0.0075, 9  # of the rate; evaluations
LOW, HIGH = 0.5, 2.5  # of the factor
MAX_ERROR = 0.95


def scaled(profile: Profile, factor: float) -> Profile:
    """The profile with all its errors so many times as frequent."""
    rates = {name: _rates(r, factor) for name, r in profile.predicates.items()}
    return replace(profile, default=_rates(profile.default, factor), predicates=rates)


def _rates(rates: Rates, factor: float) -> Rates:
    false_no = min(MAX_ERROR, factor * (1 - rates.yes_if_true))
    false_yes = min(MAX_ERROR, factor * rates.yes_if_false)
    note = f"scaled: {rates.basis} there{rates.note and ', '}{rates.note}"
    return Rates(round(1 - false_no, 4), round(false_yes, 4), "ours", note)


def as_toml(profile: Profile, comment: str) -> str:
    """As the shipped files are written."""
    head = ("name", "about", "source", "skip", "skip_unseen", "persistence")
    values = ((key, getattr(profile, key)) for key in head)
    body = [f"# {comment}", *(f"{key} = {_value(value)}" for key, value in values)]
    body += _table("default", profile.default)
    for name, rates in profile.predicates.items():
        body += _table(f"predicates.{name}", rates)
    return "\n".join([*body, ""])


def _table(name: str, rates: Rates) -> Iterator[str]:
    yield from ("", f"[{name}]", f"yes_if_true = {rates.yes_if_true}", f"yes_if_false = {rates.yes_if_false}")
    yield from (f'basis = "{rates.basis}"', f'note = "{rates.note}"')


def _value(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value)


@cache
def rate(factor: float) -> float:
    """What dkprompt comes to with it."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "fitted.toml"
        file.write_text(as_toml(scaled(load_profile(BASE), factor), "on trial"))
        base = Settings(robot="kitchen", pictures=False)
        design = Design(("dkprompt",), paper.TASKS, (str(file),), (1.0,), SEEDS, FIRST_SEED, base)
        with TrialStore(Path(folder) / "trials.db") as store:
            found = comparison_rows(
                run_design(design, TrialRunner(make_components), store, LocalProcesses(WORKERS))
            )[0].rate
    print(f"  factor {factor:.4f}: dkprompt {100 * found:.1f} %", flush=True)
    return found


def fit(target: float) -> tuple[float, float]:
    """The factor, and what dkprompt comes to with it. The rate falls as the factor grows."""
    low, high, tried = LOW, HIGH, []
    for _ in range(MOST):
        middle = (low + high) / 2
        tried.append((abs(rate(middle) - target), middle))
        if tried[-1][0] <= CLOSE:
            break
        low, high = (middle, high) if rate(middle) > target else (low, middle)
    best = min(tried)[1]
    return best, rate(best)


def main(names: list[str]) -> None:
    for name in names:
        target = paper.AVERAGES["dkprompt", name] / 100
        factor, reached = fit(target)
        write(name, factor, reached)
        print(f"{name}: factor {factor:.4f}, dkprompt {100 * reached:.1f} %, wanted {100 * target:.1f} %")


def write(name: str, factor: float, reached: float) -> None:
    """The profile with this factor; `reached` is what dkprompt comes to with it."""
    profile = replace(
        scaled(load_profile(BASE), factor),
        name=name,
        about=f"errs so often that dkprompt does as well as the paper's with {ABOUT[name]}",
        source=f"fitted: {BASE}, every error rate times {factor}; dkprompt {100 * reached:.1f} % on "
        f"seeds {FIRST_SEED} to {FIRST_SEED + SEEDS - 1}, paper {paper.AVERAGES['dkprompt', name]:.1f} %",
    )
    (FOLDER / f"{name}.toml").write_text(as_toml(profile, "Made by scripts/fit_profiles.py."))


if __name__ == "__main__":
    main(sys.argv[1:] or list(ABOUT))
