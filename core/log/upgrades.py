"""Read forms that earlier versions wrote. Every log written so far stays readable."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from core.events import EpisodeStarted
from core.operator import PlanChange
from core.reason import Cause

Form = dict[str, Any]


def _revision(form: Form) -> Form:
    """Upgrade a revision: until November 2026 it had causes, an answer and a sentence instead of a reason."""
    if "reason" in form or not form.keys() & {"causes", "answer", "why"}:
        return form
    new = {name: value for name, value in form.items() if name not in ("causes", "answer", "why")}
    why, causes = form.get("why", ""), form.get("causes", [])
    known = {
        "the first plan": Cause.FIRST_PLAN,
        "asked for by you": Cause.REQUESTED,
        "": Cause.PLAN_COMPLETED,
    }
    cause = Cause.DISCREPANCY if causes else known.get(why, Cause.OTHER)
    note = why if cause is Cause.OTHER else ""
    reason = {"cause": cause.value, "literals": causes, "answer": form.get("answer"), "note": note}
    return {**new, "reason": reason}


def _started(form: Form) -> Form:
    """Upgrade the beginning of an episode, which did not say that a chain follows: there may be none."""
    return {"chained": False, **form}


UPGRADES: Mapping[type, Callable[[Form], Form]] = MappingProxyType(
    {EpisodeStarted: _started, PlanChange: _revision}
)
