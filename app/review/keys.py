"""The keys of the review: one table that its dispatch and the help read. They act while it has the focus."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Qt

K = Qt.Key


@dataclass(frozen=True)
class Row:
    """A line of the help (printed keys, name, what they do), and each key's deed in `app/review/deeds.py`."""

    printed: str
    words: str
    tip: str
    deeds: tuple[tuple[Qt.Key, str], ...]


ROWS = (
    Row("Ctrl+L", "Episodes", "Open the review; back to the live panels", ()),
    Row("Space", "Play", "Play and pause", ((K.Key_Space, "play"),)),
    Row(
        "+ -",
        "Speed",
        "Play faster or slower, 1/20 to 60 times",
        ((K.Key_Plus, "faster"), (K.Key_Equal, "faster"), (K.Key_Minus, "slower")),
    ),
    Row(
        ", .",
        "A record",
        "One record back or on, also with Left and Right",
        ((K.Key_Comma, "back"), (K.Key_Left, "back"), (K.Key_Period, "on"), (K.Key_Right, "on")),
    ),
    Row("Home End", "Ends", "The beginning and the end", ((K.Key_Home, "first"), (K.Key_End, "last"))),
    Row(
        "O D X H R",
        "Next moment",
        "Override, contradiction, failed step, stop, re-plan; with Shift the one before",
        (
            (K.Key_O, "override"),
            (K.Key_D, "contradiction"),
            (K.Key_X, "failure"),
            (K.Key_H, "stop"),
            (K.Key_R, "re-plan"),
        ),
    ),
    Row(
        "J K",
        "Question",
        "The next question, the one before; Enter is J",
        ((K.Key_J, "next"), (K.Key_K, "before"), (K.Key_Return, "next"), (K.Key_Enter, "next")),
    ),
    Row(
        "Y N U",
        "Your answer",
        "Yes, no, cannot tell, to the question on the card; it is kept as your label",
        ((K.Key_Y, "yes"), (K.Key_N, "no"), (K.Key_U, "unknown")),
    ),
    Row(
        "Backspace",
        "Undo",
        "Back to the question that you answered last; your last word counts",
        ((K.Key_Backspace, "undo"),),
    ),
    Row("V", "Film", "Play the live video from this moment, where it was kept", ((K.Key_V, "film"),)),
    Row("B", "Blind review", "Answer before you see model, operator and belief", ((K.Key_B, "blind"),)),
    Row(
        "Q",
        "All in the list",
        "Blind review of all that you have not answered, in the listed or selected episodes",
        ((K.Key_Q, "queue"),),
    ),
    Row(
        "F",
        "Fork",
        "Run on from here in the simulator, as it was or with an answer changed",
        ((K.Key_F, "fork"),),
    ),
    Row("M", "Note", "A note at this moment", ((K.Key_M, "note"),)),
    Row("/", "Search", "Search the list", ((K.Key_Slash, "search"),)),
)
KEYS = tuple((row.printed, row.words, row.tip) for row in ROWS)  # for the page of all keys
DEED_OF = {int(key): deed for row in ROWS for key, deed in row.deeds}
ANYWHERE = {"search", "queue"}  # not only in the replay
