"""States in shape, word and colour: the first two are enough without the third."""

from __future__ import annotations

from dataclasses import dataclass

from core.facts import Source, Verdict
from core.ports import World
from core.story import LineState


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
    Source.MODEL: State("eye", "model"),
    Source.SENSOR: State("pulse", "sensor"),
    Source.OPERATOR: State("person", "you", "accent"),
    Source.PREDICTED: State("forward", "predicted"),
    Source.GIVEN: State("page", "given"),
    Source.ASSUMED: State("dashring", "assumed"),
}
LINE = {
    LineState.TODO: State("dot", "", "faint"),
    LineState.NEXT: State("arrow", "next", "accent"),
    LineState.RUNNING: State("play", "running", "accent"),
    LineState.DONE: State("check", "done"),
    LineState.FAILED: State("cross", "failed", "fault"),
    LineState.HALTED: State("stop", "halted", "ink"),
    LineState.DROPPED: State("dash", "dropped"),
}
NEW = State("plus", "new", "accent")
WORLD = {
    World.SIM: State("dashsquare", "SIM", "text"),
    World.EMULATED: State("twosquares", "EMULATED", "text"),
    World.REAL: State("triangle", "REAL", "on_real"),
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
