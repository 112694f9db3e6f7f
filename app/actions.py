"""The table of deeds as QActions: one each, for menu, shortcut, button and tooltip alike."""

from __future__ import annotations

from collections.abc import Callable
from html import escape

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu, QWidget

from app.deeds import ANSWER, BY_ID, DECIDE, DEEDS, EPISODE, HELP, VIEW, Deed, key_of
from app.parts.tip import set_tooltip
from app.review.keys import KEYS
from core.episode_state import EpisodeState, Phase

UNCOVERED = {"stop", "quit", "episodes", "light", "dark", "system", "lock", "mute", "keys", "about"}


class Actions(QObject):
    """Screen's thread only. `do` binds a deed to a bound method; unbound deeds are off."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._actions = {deed.id: self._made(deed) for deed in DEEDS}
        self._menus: dict[str, QMenu] = {}
        self._story = EpisodeState()
        self._cover = ""

    def __getitem__(self, id: str) -> QAction:
        return self._actions[id]

    def do(self, id: str, method: Callable[[], None]) -> None:
        self._actions[id].triggered.connect(method)

    def display(self, story: EpisodeState) -> None:
        self._story = story
        for deed in DEEDS:
            action = self._actions[deed.id]
            why = deed.why_not(story) or (self._cover if deed.id not in UNCOVERED else "")
            if action.isEnabled() == bool(why):
                action.setEnabled(not why)
            set_tooltip(action, self._tip(deed, why))
        self._say("pause", "Resume" if story.paused else "Pause")
        self._say(
            "take",
            f"Take plan {story.plan_count + 1}" if story.phase is Phase.OFFERED else "Take the new plan",
        )
        self._say(
            "keep", f"Keep plan {story.plan_count}" if story.phase is Phase.OFFERED else "Keep the old plan"
        )
        self._say("start", "Start again" if story.ended else "Start")

    def cover(self, why: str) -> None:
        """While something lies over the panels nothing is done to what nobody sees; "" takes it away."""
        self._cover = why
        self.display(self._story)

    def hold(self, id: str, on: bool) -> None:
        """A deed that is done by holding has neither shortcut nor menu entry: one press may not do it."""
        keys = [] if on or BY_ID[id].hold else _sequences(BY_ID[id])
        action, menu = self._actions[id], self._menus.get(BY_ID[id].group)
        if action.shortcuts() != keys:
            action.setShortcuts(keys)
        if menu is not None and (action in menu.actions()) == (not keys):
            menu.removeAction(action) if not keys else menu.insertAction(menu.actions()[0], action)

    def _say(self, id: str, words: str) -> None:
        if self._actions[id].text() != words:
            self._actions[id].setText(words)

    def _made(self, deed: Deed) -> QAction:
        action = QAction(deed.words, self._window)
        action.setObjectName(deed.id)
        action.setCheckable(deed.checkable)
        set_tooltip(action, self._tip(deed, ""))
        if not deed.hold and deed.id != "stop":  # Esc belongs to the stop key's filter
            action.setShortcuts(_sequences(deed))
        action.setAutoRepeat(deed.id in ("next", "previous"))
        self._window.addAction(action)
        return action

    @staticmethod
    def _tip(deed: Deed, why: str) -> str:
        key = key_of(deed.id)
        held = ", held" if deed.hold else ""
        return f"{deed.tip}{f' ({key}{held})' if key else ''}" + (f"\nNot now: {why}." if why else "")

    def menu(self, parent: QWidget) -> QMenu:
        """All deeds, a submenu a group."""
        menu = QMenu(parent)
        for group in (EPISODE, DECIDE, ANSWER, VIEW, HELP):
            part = menu.addMenu(group)
            part.setToolTipsVisible(True)
            part.setObjectName(group)
            part.addActions([self._actions[d.id] for d in DEEDS if d.group == group and not d.hold])
            self._menus[group] = part
        return menu


def _sequences(deed: Deed) -> list[QKeySequence]:
    keys = [*deed.keys, *(["Enter"] if "Return" in deed.keys else [])]
    return [QKeySequence(key) for key in keys]


def help_page() -> str:
    """Every deed with its key and what it does, as HTML."""
    parts = []
    for group in (EPISODE, DECIDE, ANSWER, VIEW, HELP):
        rows = "".join(
            f"<tr><td width='90'><b>{escape(key_of(d.id)) or '—'}</b>{' held' if d.hold else ''}</td>"
            f"<td width='180'>{escape(d.words)}</td><td>{escape(d.tip)}.</td></tr>"
            for d in DEEDS
            if d.group == group
        )
        parts.append(f"<h3>{group}</h3><table cellspacing='4'>{rows}</table>")
    rows = "".join(
        f"<tr><td width='90'><b>{escape(key)}</b></td><td width='180'>{words}</td><td>{tip}.</td></tr>"
        for key, words, tip in KEYS
    )
    return "".join((*parts, f"<h3>Review</h3><table cellspacing='4'>{rows}</table>"))
