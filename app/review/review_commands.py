"""The commands of the review's keys."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt

from app.review.blind_queue import BlindReviewQueue
from app.review.episode_actions import EpisodeActions
from app.review.episode_list.episode_list_panel import EpisodeListPanel
from app.review.fork_controller import ForkController
from app.review.keys import ANYWHERE, COMMAND_OF
from app.review.replay_bar import JUMPS, ReplayBar
from app.review.replay_page import ReplayPage
from core.belief import Verdict


class ReviewCommands:
    """Carries out the commands of the table in `keys`. GUI thread only."""

    def __init__(
        self,
        replay: ReplayPage,
        bar: ReplayBar,
        episode_list: EpisodeListPanel,
        actions: EpisodeActions,
        fork_controller: ForkController,
        queue: BlindReviewQueue,
    ) -> None:
        self._player, self._bar = replay.player, bar
        player = replay.player
        self._commands: dict[str, Callable[[], object]] = {
            "play": player.toggle,
            "faster": lambda: player.change_speed(1),
            "slower": lambda: player.change_speed(-1),
            "back": lambda: player.step(-1),
            "on": lambda: player.step(1),
            "first": lambda: player.go(1),
            "last": lambda: player.go(len(player.replay)),
            "next": lambda: replay.step_question(1),
            "before": lambda: replay.step_question(-1),
            "yes": lambda: replay.judge(Verdict.YES),
            "no": lambda: replay.judge(Verdict.NO),
            "unknown": lambda: replay.judge(Verdict.UNKNOWN),
            "undo": replay.undo_label,
            "video": replay.toggle_video,
            "gaze": replay.questions.gaze.toggle,
            "blind": replay.review.blind.toggle,
            "queue": queue.start,
            "fork": fork_controller.open_menu,
            "note": actions.note_here,
            "search": episode_list.focus_search,
        }

    def do(self, key: int, modifiers: Qt.KeyboardModifier, replaying: bool) -> bool:
        """Carry out the key's command; `replaying` says whether the replay page is shown.

        Return False if the key does nothing here.
        """
        command = COMMAND_OF.get(key)
        if command is None or not (command in ANYWHERE or replaying):
            return False
        if command in JUMPS:
            self.jump(command, bool(modifiers & Qt.KeyboardModifier.ShiftModifier))
        else:
            self._commands[command]()
        return True

    def jump(self, kind: str, back: bool = False) -> None:
        """Go to the next moment of this kind, or the previous one, or say that there is none."""
        if not self._player.jump((kind,), back):
            self._bar.header.note.set_note(f"no {kind} {'before' if back else 'after'} this")
