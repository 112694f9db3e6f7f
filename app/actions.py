"""The commands as QActions, one each, shared by menu, shortcut, button and tooltip."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from functools import partial
from html import escape

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu, QWidget

from app.commands import BY_ID, COMMANDS, GROUPS, Choice, Command, with_keys
from app.controls.tooltip import set_tooltip
from app.presentation.asked import Asked
from app.presentation.formatting import pending_cards, verdict_text
from app.review.keys import PLAY, REVIEW
from core.episode_state import EpisodeState, Phase
from core.text.plural import plural

NOTHING = Asked()
COLOURS = {"light", "dark", "system"}
ALWAYS_AVAILABLE = COLOURS | {"stop", "quit", "episodes", "lock", "mute", "keys", "about"}
ALWAYS_AVAILABLE |= {"palette", "messages", "draft", "wish", "sound_waits", "sound_doubt", "sound_fault"}
PRESENTED = COLOURS | {"stop", "present", "mute"}  # all that a press does while visitors watch


class Actions(QObject):
    """One QAction for each command. GUI thread only."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._actions = {command.id: self._make_action(command) for command in COMMANDS}
        self._menus: dict[str, QMenu] = {}  # that a command is in
        self._state, self._asked = EpisodeState(), NOTHING
        self._blocked_reason = ""
        self._unblocked: Collection[str] = ALWAYS_AVAILABLE  # whatever lies over the panels
        self._view_reasons: dict[str, str] = {}
        self._shown_reasons: dict[str, str] = {}  # the reasons that the tooltips tell
        self._drafted = False
        self._held: dict[str, bool] = {}

    def __getitem__(self, id: str) -> QAction:
        return self._actions[id]

    def act_on(self, console: QObject) -> None:
        """Let each do what the table says, to this."""
        for command in COMMANDS:
            self._actions[command.id].triggered.connect(partial(command.act, console))

    def display(self, state: EpisodeState, drafted: bool = False, asked: Asked = NOTHING) -> None:
        """Enable and label the actions for this state. `drafted`: the person's answers are unsent."""
        self._state, self._drafted, self._asked = state, drafted, asked
        for command in COMMANDS:
            action = self._actions[command.id]
            blocked = "" if command.id in self._unblocked else self._blocked_reason
            own = "" if drafted and command.id == "undo" else command.disabled_reason(state)
            reason = blocked or own or self._view_reasons.get(command.id, "")
            if action.isEnabled() == bool(reason):
                action.setEnabled(not reason)
            if self._shown_reasons.get(command.id) != reason:
                self._shown_reasons[command.id] = reason
                set_tooltip(action, self._tip(command, reason))
        self.set_text("pause", "Resume" if state.paused else "Pause")
        plan = f"plan {state.plan_count + 1}" if state.phase is Phase.OFFERED else "new plan"
        self.set_text("take", f"Accept {plan}")
        self.set_text("keep", f"Keep plan {state.plan_count}" if state.plan_count else "Keep the old plan")
        self.set_text("use", _accept_text(state, drafted, asked))
        self.set_text("start", "Start again" if state.ended else "Start")

    def set_blocked(self, reason: str, but: Collection[str] = ALWAYS_AVAILABLE) -> None:
        """Disable all commands but these while something covers the panels; "" enables them again."""
        self._blocked_reason, self._unblocked = reason, but
        self.display(self._state, self._drafted, self._asked)

    def set_view_reason(self, id: str, reason: str) -> None:
        """Disable a command for a reason that is the view's, not the episode's; "" enables it again."""
        if self._view_reasons.get(id, "") != reason:
            self._view_reasons[id] = reason
            self.display(self._state, self._drafted, self._asked)

    def require_hold(self, id: str, on: bool) -> None:
        """Take shortcut and menu entry from a command that must be held: one press cannot trigger it then."""
        if self._held.get(id) is on:
            return
        self._held[id] = on
        keys = [] if on or BY_ID[id].needs_hold else BY_ID[id].sequences
        action, menu = self._actions[id], self._menus.get(id)
        if action.shortcuts() != keys:
            action.setShortcuts(keys)
        if menu is not None and (action in menu.actions()) == (not keys):
            menu.removeAction(action) if not keys else menu.insertAction(menu.actions()[0], action)

    def choices(self) -> Iterator[Choice]:
        """Return every command as the palette lists it; what must be held is done with its button alone."""
        for command in COMMANDS:
            reason = self._shown_reasons.get(command.id, "")
            if command.needs_hold or self._held.get(command.id):
                reason = reason or "hold its button, or its key"
            action = self._actions[command.id]
            text = action.text().partition("\t")[0]
            yield Choice(text, command.tooltip, command.key, action.trigger, command.icon, reason)

    def refusal(self, key: QKeySequence) -> str:
        """Return why this key does nothing now, "" if it is no key of a command or does something."""
        named = [command for command in COMMANDS if key in command.sequences]
        reasons = [self._shown_reasons.get(command.id, "") for command in named]
        if not named or not all(reasons):
            return ""
        fresh = next((reason for reason in reasons if "just appeared" in reason), "")
        said = fresh or (reasons[0] if len(set(reasons)) == 1 else "nothing waits for it")
        return f"{named[0].key} does nothing now: {said}."

    def set_text(self, id: str, words: str) -> None:
        if self._actions[id].text() != words:
            self._actions[id].setText(words)

    def _make_action(self, command: Command) -> QAction:
        action = QAction(command.text, self._window)
        action.setObjectName(command.id)
        action.setCheckable(command.checkable)
        set_tooltip(action, self._tip(command, ""))
        if command.id == "stop":  # Esc belongs to the stop key's filter: the menu only shows it
            action.setText(f"{command.text}\t{command.key}")
        elif not command.needs_hold:
            action.setShortcuts(command.sequences)
        action.setAutoRepeat(command.id in ("next", "previous"))
        self._window.addAction(action)
        return action

    @staticmethod
    def _tip(command: Command, reason: str) -> str:
        key = f" ({command.key}{', held' if command.needs_hold else ''})" if command.keys else ""
        return f"{command.tooltip}{key}" + (f"\nNot now: {reason}." if reason else "")

    def menu(self, parent: QWidget) -> QMenu:
        """Return a menu of all commands with a submenu for each group."""
        menu = QMenu(parent)
        for group, commands in GROUPS.items():
            part = menu.addMenu(group)
            part.setToolTipsVisible(True)
            part.setObjectName(group)
            part.addActions([self._actions[command.id] for command in commands if not command.needs_hold])
            self._menus |= {command.id: part for command in commands}
        return menu


def _accept_text(state: EpisodeState, drafted: bool, asked: Asked) -> str:
    """Return what confirming would apply; a single answer is named, so that nobody accepts the wrong one."""
    cards = pending_cards(state)
    if asked.card is not None and not asked.card.pending:
        return f"Accept the {plural(len(cards), 'waiting answer')}"
    if len(cards) != 1 or (model := cards[0].model) is None:
        return "Accept all"
    if cards[0].error:
        return "Use my answer" if drafted else "Keep old value"
    verdict = cards[0].query.text_verdict(model.verdict)
    return "Use my answer" if drafted else f"Accept “{verdict_text(verdict)}”"


def help_page(here: Iterable[Choice] = ()) -> str:
    """Return an HTML page with every key and what it does, first of what lies over the panels `here`; the
    palette has the commands without one.
    """
    groups = {"Here": [(c.key, c.text, c.tip) for c in here if c.key]}
    for name, group in {**GROUPS, "Review": (*PLAY, *REVIEW)}.items():
        keys = with_keys(group)
        groups[name] = [(f"{c.key}{' held' if c.needs_hold else ''}", c.text, c.tooltip) for c in keys]
    return "".join(_help_table(name, rows) for name, rows in groups.items() if rows)


def _help_table(name: str, rows: Iterable[tuple[str, str, str]]) -> str:
    cells = "".join(
        f"<tr><td width='90'><b>{escape(key)}</b></td>"
        f"<td width='180'>{escape(text, quote=False)}</td><td>{escape(tip, quote=False)}.</td></tr>"
        for key, text, tip in rows
    )
    return f"<h3>{name}</h3><table cellspacing='4'>{cells}</table>"
