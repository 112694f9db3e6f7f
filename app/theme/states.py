"""States as shape, word and colour; the first two suffice without the third."""

from __future__ import annotations

from dataclasses import dataclass

from core.belief import BeliefSource, Verdict
from core.episode_state import PlanRowState
from core.ports import Embodiment


@dataclass(frozen=True)
class StateStyle:
    icon: str
    word: str
    colour: str = "muted"


VERDICT = {
    Verdict.YES: StateStyle("disc", "Yes", "ink"),
    Verdict.NO: StateStyle("ring", "No", "ink"),
    Verdict.UNKNOWN: StateStyle("dashring", "Unknown"),
}
SOURCE = {
    BeliefSource.MODEL: StateStyle("eye", "model"),
    BeliefSource.SENSOR: StateStyle("pulse", "sensor"),
    BeliefSource.OPERATOR: StateStyle("person", "you", "accent"),
    BeliefSource.PREDICTED: StateStyle("forward", "predicted"),
    BeliefSource.INITIAL: StateStyle("page", "initial"),
    BeliefSource.ASSUMED: StateStyle("dashring", "assumed"),
}
LINE = {
    PlanRowState.TODO: StateStyle("dot", "", "faint"),
    PlanRowState.NEXT: StateStyle("arrow", "next", "accent"),
    PlanRowState.RUNNING: StateStyle("play", "running", "accent"),
    PlanRowState.DONE: StateStyle("check", "done"),
    PlanRowState.FAILED: StateStyle("cross", "failed", "fault"),
    PlanRowState.HALTED: StateStyle("stop", "halted", "ink"),
    PlanRowState.DROPPED: StateStyle("dash", "dropped"),
}
NEW = StateStyle("plus", "new", "accent")
WORLD = {
    Embodiment.SIM: StateStyle("dashsquare", "SIM", "text"),
    Embodiment.EMULATED: StateStyle("twosquares", "EMULATED", "text"),
    Embodiment.REAL: StateStyle("triangle", "REAL", "on_real"),
}
# What is not normal: "doubt" wants a look, "fault" has failed. Told apart by shape first.
LEVEL = {
    "": StateStyle("info", "", "muted"),
    "info": StateStyle("info", "note", "muted"),
    "doubt": StateStyle("diamond", "doubt", "doubt"),
    "fault": StateStyle("fault", "fault", "fault"),
}
CHECK = {
    "ready": StateStyle("check", "ready"),
    "wait": StateStyle("clock", "checking"),
    "doubt": StateStyle("diamond", "not ready", "doubt"),
    "fault": StateStyle("fault", "refused", "fault"),
    "info": StateStyle("info", "note"),
}
