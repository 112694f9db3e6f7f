"""Read forms that earlier versions wrote. Every log and export written so far stays readable."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from core.reason import Cause

Form = dict[str, Any]

# Until November 2026 the log had names of its own for these kinds of records and decisions, ...
OLD_NAMES: Mapping[str, str] = MappingProxyType(
    {
        "Acted": "StepFinished",
        "Acting": "StepStarted",
        "Answered": "AnswersReceived",
        "Asked": "QuestionsAsked",
        "Believed": "BeliefChanged",
        "Consulted": "ModelConsulted",
        "Continue": "Proceed",
        "Decided": "DecisionMade",
        "Dialled": "SupervisionChanged",
        "Ended": "EpisodeEnded",
        "Interrupted": "StopRaised",
        "Noted": "Notice",
        "Observed": "FrameCaptured",
        "Offered": "PlanOffered",
        "Planned": "PlanMade",
        "Proposed": "ActionProposed",
        "Revealed": "GroundTruthRecorded",
        "Reviewed": "AnswersReviewed",
        "Sensed": "SensorsRead",
        "Started": "EpisodeStarted",
        "StopMeasured": "StandstillMeasured",
    }
)
# ... and for these fields, here by their class.
OLD_FIELDS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "Answer": {"said": "raw_reply"},
        "BeliefEntry": {"doubtful": "uncertain", "skipped": "last_unknown_turn"},
        "Contradiction": {"why": "reason"},
        "End": {"why": "reason"},
        "EpisodeEnded": {"why": "reason"},
        "Frame": {"taken": "timestamp"},
        "GroundTruthFact": {"seen": "is_observable"},
        "ModelCall": {"said": "raw_reply"},
        "ModelConsulted": {"read": "interpretation", "said": "raw_reply"},
        "Plan": {"why": "reason"},
        "PlanChange": {"new": "new_plan", "old": "old_steps"},
        "PlanMade": {"revision": "change"},
        "PlanOffered": {"revision": "change"},
        "Proceed": {"up_to": "release_up_to"},
        "Proposal": {"need": "kind", "options": "candidates", "stop": "stop_number", "why": "explanation"},
        "Query": {"about": "topic", "opposite": "negated"},
        "QuestionsAsked": {"to": "addressee"},
        "StepCandidate": {"reason_not": "unavailable_reason"},
        "StepFinished": {"outcome": "result"},
        "StepResult": {"ending": "status"},
        "StopRaised": {"why": "reason"},
        "StopRequested": {"why": "reason"},
    }
)


def current_name(name: object) -> str:
    """Return what a kind of record or decision is called now."""
    return OLD_NAMES.get(name, name) if isinstance(name, str) else ""


def upgrade(kind: type, form: Form) -> Form:
    """Return the form of a value as this version writes it."""
    names = OLD_FIELDS.get(kind.__name__, {})
    if not names.keys().isdisjoint(form):
        form = {names.get(name, name): value for name, value in form.items()}
    match kind.__name__:
        case "EpisodeStarted":  # it did not say that a chain follows: there may be none
            named = {"domain": "household"} if form.get("domain") == "omnigibson" else {}  # until then
            return {"chained": False, **form, **named}
        case "PlanChange" if "reason" not in form and form.keys() & {"causes", "answer", "why"}:
            return _with_reason(form)
    return form


def _with_reason(form: Form) -> Form:
    """Upgrade a plan change: until November 2026 it had causes, an answer and a sentence, and no reason."""
    why, causes = form.get("why", ""), form.get("causes", [])
    known = {
        "the first plan": Cause.FIRST_PLAN,
        "asked for by you": Cause.REQUESTED,
        "": Cause.PLAN_COMPLETED,
    }
    cause = Cause.DISCREPANCY if causes else known.get(why, Cause.OTHER)
    note = why if cause is Cause.OTHER else ""
    reason = {"cause": cause.value, "literals": causes, "answer": form.get("answer"), "note": note}
    kept = {name: value for name, value in form.items() if name not in ("causes", "answer", "why")}
    return {**kept, "reason": reason}
