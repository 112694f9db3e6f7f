"""What the keys of the review do."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt

from app.review.bar import JUMPS
from app.review.keys import ANYWHERE, DEED_OF
from core.belief import Verdict

if TYPE_CHECKING:
    from app.review.room import Review


class Deeds:
    """Screen's thread only."""

    def __init__(self, room: Review) -> None:
        self._room = room
        replay, player = room.replay, room.replay.player
        self._deeds: dict[str, Callable[[], object]] = {
            "play": player.toggle,
            "faster": lambda: player.hurry(1),
            "slower": lambda: player.hurry(-1),
            "back": lambda: player.step(-1),
            "on": lambda: player.step(1),
            "first": lambda: player.go(1),
            "last": lambda: player.go(len(player.tape)),
            "next": lambda: replay.turn_to(1),
            "before": lambda: replay.turn_to(-1),
            "yes": lambda: replay.judge(Verdict.YES),
            "no": lambda: replay.judge(Verdict.NO),
            "unknown": lambda: replay.judge(Verdict.UNKNOWN),
            "undo": replay.back,
            "film": replay.toggle_film,
            "blind": replay.review.blind.toggle,
            "queue": room.queue.start,
            "fork": room.forking.open_menu,
            "note": room.shelving.note_here,
            "search": room.list.search,
        }

    def do(self, key: int, modifiers: Qt.KeyboardModifier) -> bool:
        """Whether the key does something here."""
        deed = DEED_OF.get(key)
        if deed is None or not (deed in ANYWHERE or self._room.replaying):
            return False
        if deed in JUMPS:
            self._room.jump(deed, bool(modifiers & Qt.KeyboardModifier.ShiftModifier))
        else:
            self._deeds[deed]()
        return True
