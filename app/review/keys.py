"""The commands of the review, in tables like the window's. They act while the review has the focus.

Those of `PLAY` act on the bar of any replay, which the drafting room has as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QKeySequence

from app.commands import Command
from core.belief import Verdict

# Kind of moment: its key, its glyph, what it is called.
KINDS = {
    "override": ("O", "hexagon", "override"),
    "contradiction": ("D", "diamond", "contradiction"),
    "failure": ("X", "cross", "failed step"),
    "stop": ("H", "stop", "stop"),
    "re-plan": ("R", "replan", "re-plan"),
}


def opened(review: Any) -> str:
    return "" if review.replaying else "open an episode first"


def _jump(kind: str, back: bool) -> Command:
    key, icon, name = KINDS[kind]
    text, keys, tip = f"Next {name}", key, "Shift: backwards"
    if back:
        text, keys, tip = f"Last {name}", f"Shift+{key}", f"Back to the last {name}"
    return Command(text, text, tip, lambda bar: bar.jump(kind, back), keys, icon)


JUMPS = tuple(_jump(kind, back) for kind in KINDS for back in (False, True))
PLAY = (
    Command("play", "Play", "Or pause", lambda bar: bar.player.toggle(), "Space"),
    Command("faster", "Faster", "Up to 60 times", lambda bar: bar.player.change_speed(1), "+ ="),
    Command("slower", "Slower", "Down to 1/20", lambda bar: bar.player.change_speed(-1), "-"),
    Command("back", "Previous record", "Also with Left", lambda bar: bar.player.step(-1), ", Left", "back"),
    Command("on", "Next record", "Also with Right", lambda bar: bar.player.step(1), ". Right", "step"),
    Command("first", "Beginning", "Go there", lambda bar: bar.player.go(1), "Home"),
    Command("last", "End", "Go there", lambda bar: bar.player.go(len(bar.player.replay)), "End"),
    *JUMPS,
)  # fmt: skip
REVIEW = (
    Command("next", "Next question", "Also with Enter",
            lambda r: r.replay.step_question(1), "J Return Enter", "", opened),
    Command("before", "Previous question", "One back", lambda r: r.replay.step_question(-1), "K", "", opened),
    Command("yes", "Yes", "Label it so", lambda r: r.replay.judge(Verdict.YES), "Y", "disc", opened),
    Command("no", "No", "Label it so", lambda r: r.replay.judge(Verdict.NO), "N", "ring", opened),
    Command("unknown", "Unknown", "Label it so",
            lambda r: r.replay.judge(Verdict.UNKNOWN), "U", "dashring", opened),
    Command("undo", "Undo", "Back to the question labelled last, or in a blind review seen last",
            lambda r: r.replay.undo_label(), "Backspace", "undo", opened),
    Command("gaze", "Where it looked", "Light up what counted for an eye's answer",
            lambda r: r.replay.questions.gaze.toggle(), "W", "gaze", opened),
    Command("video", "Video", "Play the live video from this moment, if it was recorded",
            lambda r: r.replay.toggle_video(), "V", "", opened),
    Command("blind", "Blind review", "Answer before you see model, operator and belief",
            lambda r: r.replay.review.blind.toggle(), "B", "", opened),
    Command("queue", "All in the list",
            "Blind review of what you have not answered, in the listed episodes or several selected ones",
            lambda r: r.queue.start(), "Q", "lock"),
    Command("fork", "Fork", "Continue from here in the simulator, unchanged or with another answer",
            lambda r: r.fork_controller.open_menu(), "F", "fork", opened),
    Command("wish", "The wish", "The tests behind each placement, and if it was so then",
            lambda r: r.show_wish(), "T", "goal", opened),
    Command("plot", "Plot", "A signal of the log on the timeline's axis",
            lambda r: r.bar.choose_signal(), "P", "pulse", opened),
    Command("reask", "Ask again", "Another model or wording; its reply becomes a note",
            lambda r: r.episode_actions.ask_again(), "A", "eye", opened),
    Command("note", "Note", "A note at this moment",
            lambda r: r.episode_actions.note_here(), "M", "bookmark", opened),
    Command("search", "Search", "Search the list", lambda r: r.episode_list.focus_search(), "/", "search"),
)  # fmt: skip


_TYPING = Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.KeypadModifier


def press(commands: Sequence[Command], on: Any, event: QKeyEvent) -> bool:
    """Carry out the command of a key, which may take Shift to type. Return False if there is none now."""
    of = {keys: command for command in commands for keys in command.sequences}
    found = of.get(QKeySequence(event.keyCombination()))
    if found is None and not event.modifiers() & ~_TYPING:
        found = of.get(QKeySequence(event.key()))
    if found is None or found.disabled_reason(on):
        return False
    found.act(on)
    return True
