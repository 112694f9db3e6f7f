"""Say in a sentence why there is no plan: the step, where its samples failed, and what would free it."""

from __future__ import annotations

from collections.abc import Mapping

from core.motion.search import Stuck
from core.planning_model import Step
from core.text.plural import plural

_CHECKS = {
    "test": "did not pass its tests",
    "reach": "are out of the arm's reach",
    "collision": "touch something",
    "way": "have no free way to them",
}


def why_stuck(step: Step, stuck: Stuck) -> str:
    """Return why no sample of this step held, and what would help."""
    if not stuck.draws:
        return f"There is no way to {_of(step)}: nothing was tried, as the search was cut short."
    counts = [
        f"{n} {_CHECKS[check]}" for check, n in sorted(stuck.checks.items(), key=lambda item: -item[1]) if n
    ]
    touched = _most(stuck.touched)
    if touched:
        counts = [c.replace("something", touched) for c in counts]
    tried = f"Of {plural(stuck.draws, 'sample')} for {_of(step)}, {', '.join(counts)}"
    return f"{tried}. {_remedy(stuck, touched)}"


def _remedy(stuck: Stuck, touched: str) -> str:
    if stuck.blocker:
        return f"Moving {stuck.blocker} away would free it."
    geometry = {check: n for check, n in stuck.checks.items() if check != "test"}
    worst = max(geometry, key=lambda check: geometry[check], default="test")
    if worst in ("collision", "way") and touched:
        return f"More room around {touched} would free it."
    if worst == "test":
        return "A test that allows more places would free it."
    return "Bringing it nearer to the arm would free it."


def _most(touched: Mapping[str, int]) -> str:
    return max(touched, key=lambda name: touched[name], default="")


def _of(step: Step) -> str:
    return f"{step.name}({', '.join(step.args)})"
