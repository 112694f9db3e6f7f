"""States in shape, word and colour: the first two are enough without the third."""

from __future__ import annotations

from dataclasses import dataclass

from core.belief import BeliefSource, Verdict
from core.episode_state import PlanRowState
from core.ports import Embodiment


@dataclass(frozen=True)
class State:
    glyph: str
    word: str
    colour: str = "muted"


VERDICT = {
    Verdict.YES: State("disc", "Yes", "ink"),
    Verdict.NO: State("ring", "No", "ink"),
    Verdict.UNKNOWN: State("dashring", "Unknown"),
}
SOURCE = {
    BeliefSource.MODEL: State("eye", "model"),
    BeliefSource.SENSOR: State("pulse", "sensor"),
    BeliefSource.OPERATOR: State("person", "you", "accent"),
    BeliefSource.PREDICTED: State("forward", "predicted"),
    BeliefSource.INITIAL: State("page", "given"),
    BeliefSource.ASSUMED: State("dashring", "assumed"),
}
LINE = {
    PlanRowState.TODO: State("dot", "", "faint"),
    PlanRowState.NEXT: State("arrow", "next", "accent"),
    PlanRowState.RUNNING: State("play", "running", "accent"),
    PlanRowState.DONE: State("check", "done"),
    PlanRowState.FAILED: State("cross", "failed", "fault"),
    PlanRowState.HALTED: State("stop", "halted", "ink"),
    PlanRowState.DROPPED: State("dash", "dropped"),
}
NEW = State("plus", "new", "accent")
WORLD = {
    Embodiment.SIM: State("dashsquare", "SIM", "text"),
    Embodiment.EMULATED: State("twosquares", "EMULATED", "text"),
    Embodiment.REAL: State("triangle", "REAL", "on_real"),
}
# What is not normal: "doubt" wants a look, "fault" has failed. Told apart by shape first.
LEVEL = {
    "": State("info", "", "muted"),
    "info": State("info", "note", "muted"),
    "doubt": State("diamond", "doubt", "doubt"),
    "fault": State("fault", "fault", "fault"),
}
CHECK = {
    "ready": State("check", "ready"),
    "wait": State("clock", "checking"),
    "doubt": State("diamond", "not ready", "doubt"),
    "fault": State("fault", "refused", "fault"),
    "info": State("info", "note"),
}
