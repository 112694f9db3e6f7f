"""What the keys of the review do."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt

from app.review.keys import ANYWHERE, COMMAND_OF
from app.review.replay_bar import JUMPS
from core.belief import Verdict

if TYPE_CHECKING:
    from app.review.review_window import ReviewWindow


class ReviewCommands:
    """Screen's thread only."""

    def __init__(self, room: ReviewWindow) -> None:
        self._room = room
        replay, player = room.replay, room.replay.player
        self._commands: dict[str, Callable[[], object]] = {
            "play": player.toggle,
            "faster": lambda: player.change_speed(1),
            "slower": lambda: player.change_speed(-1),
            "back": lambda: player.step(-1),
            "on": lambda: player.step(1),
            "first": lambda: player.go(1),
            "last": lambda: player.go(len(player.tape)),
            "next": lambda: replay.step_question(1),
            "before": lambda: replay.step_question(-1),
            "yes": lambda: replay.judge(Verdict.YES),
            "no": lambda: replay.judge(Verdict.NO),
            "unknown": lambda: replay.judge(Verdict.UNKNOWN),
            "undo": replay.undo_label,
            "film": replay.toggle_video,
            "blind": replay.review.blind.toggle,
            "queue": room.queue.start,
            "fork": room.forking.open_menu,
            "note": room.episode_actions.note_here,
            "search": room.episode_list.focus_search,
        }

    def do(self, key: int, modifiers: Qt.KeyboardModifier) -> bool:
        """Whether the key does something here."""
        command = COMMAND_OF.get(key)
        if command is None or not (command in ANYWHERE or self._room.replaying):
            return False
        if command in JUMPS:
            self._room.jump(command, bool(modifiers & Qt.KeyboardModifier.ShiftModifier))
        else:
            self._commands[command]()
        return True
