"""The decision bar: the next action, its reason, doubts, and the buttons."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.actions import Actions
from app.commands import BY_ID
from app.controls.badge import Icon
from app.controls.button import Button
from app.controls.layout import ElidedLabel, PlainLabel, Separator, Surface, column, label, row, wrap_layout
from app.controls.tooltip import set_tooltip
from app.presentation.asked import Asked
from app.presentation.decision_section import DecisionSection, DecisionSummary
from app.presentation.decision_summary import decision_summary
from app.presentation.formatting import not_understood, pending_cards, waits_for_person
from app.presentation.robot_words import RobotWords, with_robot
from app.presentation.suggestions import waiting_suggestion
from app.theme import paint, styling
from app.theme import tokens as t
from app.theme.states import LEVEL
from core.arm.arm_capabilities import PreflightCheck
from core.belief import Verdict
from core.episode_state import EpisodeState, Phase
from core.ports import Embodiment
from core.text.vocabulary import Vocabulary

SETTLED = 0.12  # seconds: what waits for nobody passes sooner, and is not worth a flicker

# The primary command of a phase, and up to three others, as near and as big.
PHASE_BUTTONS: dict[Phase, tuple[str, tuple[str, ...]]] = {
    Phase.IDLE: ("start", ("setup", "goal")),
    Phase.ENDED: ("start", ("episodes", "setup", "goal")),
    Phase.WAITING: ("approve", ("choose", "correct", "replan")),
    Phase.HELP_NEEDED: ("correct", ("choose", "replan", "end")),
    Phase.OFFERED: ("take", ("keep", "correct", "end")),
    Phase.STOPPED: ("go_on", ("correct", "end")),
}
REFUSED = ("setup", ("start", "goal"))  # it cannot start: another set-up is the way out
STARTING = ("start", ("cancel_start", "setup", "goal"))  # and it may take minutes
MINE = ("undo", ("correct", "choose", "end"))  # no plan since a person set something
TOLD = ("tell", ("replan", "end"))  # a situation that is of no use
SUGGESTED = ("accept_change", ("edit_change", "refuse_change", "end"))
BUSY = ("pause", ("step", "correct", "end"))
REVIEW = ("", ("use", "undo", "end"))  # below the three answers
CONTESTED = ("", ("take", "keep"))  # an offer, below the answers to the question that caused it
ANSWERS = ("yes", "no", "unknown")
VERDICTS = (Verdict.YES, Verdict.NO, Verdict.UNKNOWN)
USUAL_WORDS, NO_WORDS = tuple(BY_ID[id].text for id in ANSWERS), ("", "", "")
NOTHING = Asked()
SHORT = {
    "cancel_start": "Cancel",
    "setup": "Set up…",
    "episodes": "Review…",
    "goal": "Goal…",
    "end": "End",
    "refuse_change": "Refuse",
}


class WholeLines(PlainLabel):
    """Shows as many of its lines as there is room for, and that some are left out; the tooltip has all."""

    _lines: tuple[str, ...] = ()

    def show_lines(self, lines: tuple[str, ...]) -> None:
        self._lines = lines
        room = self.height() // max(1, self.fontMetrics().lineSpacing())
        rows = [row for line in lines for row in paint.lines(line, "small", self.width(), room)]
        self.setText("\n".join(rows[:room]) + (" …" if 0 < room < len(rows) else ""))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.show_lines(self._lines)


class DecisionSectionView(QWidget):
    """The section NEXT, BECAUSE or DOUBT."""

    def __init__(self, display: bool = False) -> None:
        super().__init__()
        self._display = display
        self.reason = DecisionSection("", "")
        self._word, self._icon = ElidedLabel("micro", "muted"), Icon(size=20 if display else 15)
        first_line = t.TYPE["display" if display else "title"].line
        self._icon.setFixedHeight(first_line)
        self._head, self._lines = label("", "title", "ink", wrap=True), WholeLines()
        self._lines.setFont(styling.font("small"))
        self._lines.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)  # what is left
        top = Qt.AlignmentFlag.AlignTop
        self._lines.setAlignment(top)
        head = row(self._icon, (self._head, 1), spacing=t.S)
        head.setAlignment(self._icon, top)
        words = column(self._word, head, (self._lines, 1), spacing=2)
        words.setContentsMargins(0, 10, 0, t.XS)
        self.setLayout(words)
        self.setMinimumWidth(120)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)

    def show_reason(self, reason: DecisionSection) -> None:
        self.reason = reason
        level = reason.level if reason.level in ("doubt", "fault") else ""
        self._word.say(reason.word, level or "muted")
        self._head.say(reason.head, "ink" if self._display else level or "ink")
        self._icon.setVisible(self._display or bool(level))
        icon = reason.icon if self._display else LEVEL[level].icon
        self._icon.show_as(icon, "accent" if icon == "arrow" else f"{level}_fill" if level else "text")
        lines = tuple(filter(None, reason.lines))
        self._lines.show_lines(lines)
        self.setAccessibleName(". ".join(filter(None, (reason.word, reason.head, *lines))))
        set_tooltip(self, "\n".join((reason.head, *lines)))
        self._fit_head()

    def _fit_head(self) -> None:
        """Show the next action in large type, unless it would take more than one line of it."""
        large = self._display and paint.width(self.reason.head, "display") <= self.width() - 28
        self._head.setFont(styling.font("display" if large else "title"))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_head()


class DecisionBar(Surface):
    """The bar; its accent edge means that the program waits for a person.

    `asked` is what it shows, which the keys answer; its own buttons answer nothing else.
    """

    judged = Signal(object)  # Verdict about the text of the question that is shown

    def __init__(self, actions: Actions) -> None:
        super().__init__("surface", "b")
        self._actions = actions
        self.vocabulary = Vocabulary()
        self.breakpoints: frozenset[str] = frozenset()
        self.refused = self.starting = False
        self.failed_checks: tuple[PreflightCheck, ...] = ()  # of an arm's checks
        self.robot: RobotWords | None = None  # what the robot does, by its own data
        self._world = Embodiment.SIM
        self._face: tuple[str, tuple[str, ...]] = ("", ())
        self._words: tuple[str, ...] = ()  # of the three answers, "" for one that is not offered
        self.asked, self.keys_elsewhere = Asked(), False
        self.views = (DecisionSectionView(display=True), DecisionSectionView(), DecisionSectionView())
        self.primary, self.others = Button(kind="primary"), tuple(Button() for _ in range(3))
        self.answers = tuple(Button(height=t.H_BUTTON + t.S) for _ in ANSWERS)
        self._answers = wrap_layout(row(*((button, 1) for button in self.answers)))
        self._answers.hide()
        buttons = column(1, self._answers, self.primary, row(*self.others), 1, spacing=t.S)
        self._buttons = wrap_layout(buttons)
        self._leads_back = label("Esc stops the motion.\nF11 leads back to the buttons.", "small", "muted")
        self._leads_back.hide()
        first, second, third = self.views
        self._doubt = wrap_layout(row(Separator(vertical=True), (third, 1), spacing=t.M))
        parts = ((first, 10), Separator(vertical=True), (second, 10), (self._doubt, 11))
        self._row = row(*parts, self._buttons, self._leads_back, spacing=t.M, margins=(t.L, 0, t.M, 0))
        self.setLayout(self._row)
        self.setFixedHeight(t.H_DECISION)
        self.show_bar("surface")
        self._show_face(PHASE_BUTTONS[Phase.IDLE])
        self._show_answers(NO_WORDS)

    def present(self, on: bool) -> None:
        """Show visitors what is asked, without a button that answers it."""
        self._buttons.setVisible(not on)
        self._leads_back.setVisible(on)

    def show_summary(self, reasons: DecisionSummary, asks: bool = False, reviewing: bool = False) -> None:
        """Show the three sections; a question, which is the first or with an offer the second, takes the room
        of the third.
        """
        reasons = with_robot(reasons, self.robot)
        first, second, _ = self.views
        for view, reason in zip(self.views, (reasons.next, reasons.because, reasons.doubt), strict=True):
            view.show_reason(reason)
        urgent = self.robot is not None and bool(self.robot.level)
        self._doubt.setVisible(not asks or urgent)
        self._row.setStretchFactor(first, 20 if asks and reviewing else 10)
        self._row.setStretchFactor(second, 20 if asks and not reviewing else 10)

    def display(self, state: EpisodeState, asked: Asked = NOTHING) -> None:
        """Show what is asked now."""
        if state.started is None:
            self.asked = asked
            self._show_face(self._face_of(state))
            self.show_bar("surface")
            return
        if waits_for_person(state) and state.now - state.since < SETTLED:
            return
        self._world, self.asked = Embodiment(state.embodiment), asked
        reviewing = bool(pending_cards(state))
        on_strip = reviewing or state.phase is Phase.OFFERED  # else the question is on its card alone
        card = asked.card if on_strip else None
        summary = decision_summary(state, self.vocabulary, self.breakpoints, self.failed_checks, card)
        self.show_summary(summary, card is not None, reviewing)
        self._show_answers(self._words_of(asked, state.phase))
        self._show_face(self._face_of(state, card is not None))
        self.show_bar("accent" if waits_for_person(state) else "surface")

    def _words_of(self, asked: Asked, phase: Phase) -> tuple[str, ...]:
        """Return the words of each answer, "" for one that would not count; beside an offer with its object,
        so that nobody takes it for an answer about the plan.
        """
        card = asked.card
        if card is None:
            return NO_WORDS
        if phase is not Phase.OFFERED:
            usual = zip(VERDICTS, USUAL_WORDS, strict=True)
            return tuple(words if verdict in asked.effective else "" for verdict, words in usual)
        facts = {v: card.query.atom_verdict(v) is Verdict.YES for v in asked.effective}
        said = {v: self.vocabulary.describe_literal(card.query.atom, holds) for v, holds in facts.items()}
        return tuple(f"Overrule: {said[v]}" if v in said else "" for v in VERDICTS)

    def _show_answers(self, words: tuple[str, ...]) -> None:
        now = (*words, str(self.keys_elsewhere))
        if now == self._words:
            return
        self._words = now
        for button, id, verdict, said in zip(self.answers, ANSWERS, VERDICTS, words, strict=True):
            key = "" if self.keys_elsewhere else BY_ID[id].key
            do = partial(self.judged.emit, verdict)
            button.bind_action(self._actions[id], key, BY_ID[id].icon, said, do)
            button.setVisible(bool(said))

    def _face_of(self, state: EpisodeState, asks: bool = False) -> tuple[str, tuple[str, ...]]:
        """Return the buttons of this moment; `asks`: the strip shows a question that they answer."""
        match state.phase:
            case Phase.IDLE if self.refused:
                return REFUSED
            case Phase.IDLE if self.starting:
                return STARTING
            case Phase.OFFERED if asks:
                return CONTESTED
            case Phase.HELP_NEEDED if state.undo_count:
                return MINE
            case Phase.HELP_NEEDED if not_understood(state):
                return TOLD
            case Phase.WAITING if waiting_suggestion(state):
                return SUGGESTED
        return REVIEW if pending_cards(state) else PHASE_BUTTONS.get(state.phase, BUSY)

    def _show_face(self, face: tuple[str, tuple[str, ...]]) -> None:
        if face == self._face:
            return
        self._face = face
        first, rest = face
        self.primary.kind = "plain" if face is BUSY else "primary"
        self.primary.cancel_hold()
        self.primary.setVisible(bool(first))
        self._answers.setVisible(not first)
        self.others[0].kind = "primary" if face is CONTESTED else "plain"
        self.primary.hold = False
        if first:
            command = BY_ID[first]
            held = command.needs_hold or (first == "approve" and self._world is Embodiment.REAL)
            self.primary.hold = held
            self.primary.bind_action(self._actions[first], command.key, command.icon, SHORT.get(first, ""))
        for i, button in enumerate(self.others):
            button.setVisible(i < len(rest))
            if i < len(rest):
                again = face is REFUSED and rest[i] == "start"
                self._set_button(button, rest[i], "Try again" if again else "")

    def _set_button(self, button: Button, id: str, words: str = "") -> None:
        icon = BY_ID[id].icon if self._buttons.width() > 300 and id != "use" else ""
        key = BY_ID[id].key
        shown = key if len(key) == 1 or id in ("use", "take") else ""
        button.bind_action(self._actions[id], shown, icon, words or SHORT.get(id, ""))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        wide = self.width() >= t.COMPACT
        self._buttons.setFixedWidth(352 if wide else 276)
        for button, id in zip(self.others, self._face[1], strict=False):
            button.relabel(button.text(), BY_ID[id].icon if wide and id != "use" else "")
