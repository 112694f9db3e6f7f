"""The keys of the review in one table, for the commands and the help. They act while the review has the
focus.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence

K = Qt.Key


@dataclass(frozen=True)
class KeyRow:
    """A line of the help (printed keys, name, effect), and the command of each key, bound by the review."""

    printed: str
    text: str
    tip: str
    commands: Mapping[Qt.Key, str]


ROWS = (
    KeyRow("Ctrl+L", "Episodes", "Open the review, or go back to the live panels", {}),
    KeyRow("Space", "Play", "Play and pause", {K.Key_Space: "play"}),
    KeyRow(
        "+ -",
        "Speed",
        "Play faster or slower, 1/20 to 60 times",
        {K.Key_Plus: "faster", K.Key_Equal: "faster", K.Key_Minus: "slower"},
    ),
    KeyRow(
        ", .",
        "A record",
        "The previous or next record, also with Left and Right",
        {K.Key_Comma: "back", K.Key_Left: "back", K.Key_Period: "on", K.Key_Right: "on"},
    ),
    KeyRow("Home End", "Ends", "The beginning and the end", {K.Key_Home: "first", K.Key_End: "last"}),
    KeyRow(
        "O D X H R",
        "Next moment",
        "Override, contradiction, failed step, stop, re-plan; with Shift the one before",
        {
            K.Key_O: "override",
            K.Key_D: "contradiction",
            K.Key_X: "failure",
            K.Key_H: "stop",
            K.Key_R: "re-plan",
        },
    ),
    KeyRow(
        "J K",
        "Question",
        "The next question, the one before; Enter is J",
        {K.Key_J: "next", K.Key_K: "before", K.Key_Return: "next", K.Key_Enter: "next"},
    ),
    KeyRow(
        "Y N U",
        "Your answer",
        "Label the question on the card yes, no or unknown",
        {K.Key_Y: "yes", K.Key_N: "no", K.Key_U: "unknown"},
    ),
    KeyRow(
        "Backspace",
        "Undo",
        "Back to the question that you labelled last; the last label counts",
        {K.Key_Backspace: "undo"},
    ),
    KeyRow("W", "Where it looked", "Light up what counted for an eye's answer", {K.Key_W: "gaze"}),
    KeyRow("V", "Video", "Play the live video from this moment, if it was recorded", {K.Key_V: "video"}),
    KeyRow("B", "Blind review", "Answer before you see model, operator and belief", {K.Key_B: "blind"}),
    KeyRow(
        "Q",
        "All in the list",
        "Blind review of all that you have not answered, in the listed or selected episodes",
        {K.Key_Q: "queue"},
    ),
    KeyRow(
        "F",
        "Fork",
        "Continue from here in the simulator, unchanged or with another answer",
        {K.Key_F: "fork"},
    ),
    KeyRow("T", "The wish", "The tests behind each placement, and if it was so then", {K.Key_T: "wish"}),
    KeyRow("P", "Plot", "A signal of the log on the timeline's axis", {K.Key_P: "plot"}),
    KeyRow("A", "Ask again", "Another model or wording; its reply becomes a note", {K.Key_A: "reask"}),
    KeyRow("M", "Note", "A note at this moment", {K.Key_M: "note"}),
    KeyRow("/", "Search", "Search the list", {K.Key_Slash: "search"}),
)
KEYS = tuple((row.printed, row.text, row.tip) for row in ROWS)  # for the page of all keys
# Of each command once: its name, what it does, its key in print, and the key.
NAMED = tuple(
    (
        row.text if len(set(row.commands.values())) == 1 else f"{row.text}: {command}",
        row.tip,
        QKeySequence(key).toString(),
        int(key),
    )
    for row in ROWS
    for command, key in {command: key for key, command in list(row.commands.items())[::-1]}.items()
)
COMMAND_OF = {int(key): command for row in ROWS for key, command in row.commands.items()}
ANYWHERE = {"search", "queue"}  # not only in the replay
