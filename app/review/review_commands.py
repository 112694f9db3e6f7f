"""The commands of the review's keys."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt

from app.review.blind_queue import BlindReviewQueue
from app.review.episode_actions import EpisodeActions
from app.review.episode_list.episode_list_panel import EpisodeListPanel
from app.review.fork_controller import ForkController
from app.review.keys import ANYWHERE, COMMAND_OF
from app.review.replay_bar import ReplayBar
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
        wish: Callable[[], object],
    ) -> None:
        self._bar = bar
        self._commands: dict[str, Callable[[], object]] = {
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
            "reask": actions.ask_again,
            "wish": wish,
            "search": episode_list.focus_search,
        }

    def do(self, key: int, modifiers: Qt.KeyboardModifier, replaying: bool) -> bool:
        """Carry out the key's command; `replaying` says whether the replay page is shown.

        Return False if the key does nothing here.
        """
        command = COMMAND_OF.get(key)
        if command is None or not (command in ANYWHERE or replaying):
            return False
        if not self._bar.carry_out(command, bool(modifiers & Qt.KeyboardModifier.ShiftModifier)):
            self._commands[command]()
        return True
