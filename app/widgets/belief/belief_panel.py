"""The belief panel: every atom with its verdict, source and age; a person may set any of them."""

from __future__ import annotations

from collections.abc import Mapping
from operator import is_

from PySide6.QtCore import QSortFilterProxyModel, Qt, Signal
from PySide6.QtGui import QFocusEvent

from app.controls.badge import Chip
from app.controls.button import ToolButton
from app.controls.header import SearchField
from app.controls.layout import Surface, column, label, row
from app.controls.rows import ROW, AnyIndex, Cell, RowLook, RowsModel, RowsTable
from app.controls.text_rows import TextRow, TextRows
from app.presentation.belief_rows import BeliefRow, belief_rows, next_needs
from app.presentation.candidates import atom_candidates, matches
from app.presentation.formatting import age
from app.presentation.hypothesis_rows import (
    SAME,
    GoalProbabilitySeries,
    HypothesisRow,
    goal_probability_series,
    hypothesis_rows,
)
from app.presentation.likelihood import fine_percent, is_doubtful, percent
from app.presentation.what_if import EffectPreview
from app.theme import paint
from app.theme import tokens as t
from app.theme.states import SOURCE, VERDICT
from app.widgets.panel import Panel
from core.belief import Answer, Atom, BeliefSource, Verdict
from core.episode_state import EpisodeState
from core.planning_model import Problem
from core.text.plural import plural
from core.text.untrusted_text import tooltip

COLUMNS = ("Atom", "Verdict", "Sure", "Source", "Age")


class BeliefTableModel(RowsModel[BeliefRow]):
    """`now` is the state time from which ages are told."""

    def __init__(self) -> None:
        super().__init__(self._row_look, COLUMNS, lambda row: row.atom)
        self.now = 0.0
        self.brief = False  # the source is its icon alone

    def _row_look(self, r: BeliefRow) -> RowLook:
        verdict, source = VERDICT[r.verdict], SOURCE[r.source]
        mine, sure = r.source is BeliefSource.OPERATOR, "" if r.sure is None else percent(r.sure)
        quiet, old = r.source is BeliefSource.ASSUMED, age(self.now - r.since)
        ink = "muted" if quiet else verdict.colour
        words = f"{r.words}: {r.verdict.value}, {source.word}"
        parts = (str(r.atom), words, f"{sure} sure" if sure else "", r.note, "Y or N sets it.")
        by = "accent" if mine else "muted" if quiet else "text"
        cells = (
            Cell(r.words, tone="muted" if quiet else "ink"),
            Cell(verdict.word, verdict.icon, ink, ink, "label"),
            Cell(sure, tone="doubt" if is_doubtful(r.sure) else "muted", font="caption", right=True),
            Cell("" if self.brief else source.word, source.icon, by, source.colour, "small"),
            Cell(old, tone="muted", font="small", right=True),
        )
        spoken, tip = f"{words}, {old}. {r.note}".strip(), "\n".join(filter(None, parts))
        ground = "doubt_soft" if r.level else ""
        return RowLook(cells, spoken, tip, r.note, r.level or "muted", r.icon, ground)


class BeliefFilter(QSortFilterProxyModel):
    def __init__(self, model: BeliefTableModel) -> None:
        super().__init__()
        self.query, self.doubtful, self.needed = "", False, False
        self.belief_model = model
        self.setSourceModel(model)

    def filterAcceptsRow(self, row: int, parent: AnyIndex) -> bool:
        r = self.belief_model.rows[row]
        if (self.doubtful and not r.doubtful) or (self.needed and not r.needed):
            return False
        return matches(self.query, r.text)


class BeliefTable(RowsTable):
    def __init__(self, model: BeliefFilter) -> None:
        self._atoms = model.belief_model
        super().__init__(model, "Atoms", (0, 60, -1, 104, 48))

    def fit(self) -> None:
        """Fit the columns to their longest texts, and the rows to their words."""
        atoms, narrow = self._atoms, self.width() < 400
        unknown = any(r.verdict is Verdict.UNKNOWN for r in atoms.rows)
        sure = any(r.sure is not None for r in atoms.rows)
        brief = (narrow and sure) or self.width() < 280
        if brief is not atoms.brief:
            atoms.brief = brief
            atoms.heads = tuple("" if brief and head == "Source" else head for head in COLUMNS)
            atoms.show_rows(atoms.rows, True)
        oldest = round(paint.width(age(atoms.now), "small")) + t.M
        source = 30 if brief else 86 if narrow else 104
        self.set_widths((0, 88 if unknown else 56, 46 if sure else -1, source, max(44, oldest)))
        super().fit()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        by_mouse = event.reason() is Qt.FocusReason.MouseFocusReason  # the click selects
        if not by_mouse and not self.selectionModel().hasSelection() and self.model().rowCount():
            self.selectRow(max(0, self.currentIndex().row()))


MOST = 300  # facts that the search finds


class BeliefPanel(Panel):
    EMPTY = ("eye", "Nothing is believed yet", "What the problem file states comes first.")
    corrected = Signal(object)  # tuple[Answer, ...]

    def __init__(self) -> None:
        self.undo = ToolButton("undo", "Undo")
        super().__init__("Belief", self.undo)
        self.by = ""
        self.draft: Mapping[Atom, Verdict] = {}  # what a person said of pending answers
        self.problem: Problem | None = None  # whose facts the search finds, mentioned so far or not
        self.effect_preview: EffectPreview | None = None
        self._found: tuple[Atom, ...] = ()
        self._state = EpisodeState()
        self._atoms = BeliefTableModel()
        self._filter = BeliefFilter(self._atoms)
        self.table = BeliefTable(self._filter)
        self._search = SearchField("Find any fact")
        self._search.textChanged.connect(self._find)
        self._search.returnPressed.connect(self._take_first)
        self._doubt, self._needed = Chip("in doubt 0"), Chip("needed 0")
        self._doubt.toggled.connect(self._filtered)
        self._needed.toggled.connect(self._filtered)
        self.header.noted.connect(self._doubt.toggle)
        tools = row((self._search, 1), self._doubt, self._needed, spacing=6, margins=(t.M, 6, t.M, 4))
        self.hypotheses = HypothesesStrip()
        self._shown_inputs: tuple[object, ...] = (None,) * 5  # of the hypotheses shown last
        self._effect = label("", "small", "accent", wrap=True)  # of setting the selected fact otherwise
        self._effect.setContentsMargins(t.M, 2, t.M, 4)
        self._effect.hide()
        self.table.selectionModel().currentChanged.connect(self._show_effect)
        self.set_body(self.hypotheses, tools, self.table, self._effect)
        self.clear()

    def clear(self) -> None:
        self._state = EpisodeState()
        self._search.clear()  # else it hides rows of the next episode
        super().clear()
        self.hypotheses.clear()

    def display(self, state: EpisodeState) -> None:
        self._state = state
        if state.started is None:
            if not self.has_placeholder:
                self.clear()
            return
        self.hide_placeholder()
        self._show_hypotheses(state)
        needs = next_needs(state, self.vocabulary)
        shown = belief_rows(state, self.vocabulary, needs, self.draft, self._found)
        digits = len(age(state.now)) != len(age(self._atoms.now))  # ages take another width
        changed = shown != self._atoms.rows
        aged, self._atoms.now = int(state.now) != int(self._atoms.now), state.now
        self._atoms.show_rows(shown, aged)
        if digits or changed:
            self.table.fit()
            self._needed.rename(f"needed {sum(r.needed for r in shown)}")
        doubts = sum(r.doubtful for r in shown)
        self._doubt.rename(f"in doubt {doubts}")
        free = " · you may set any" if state.is_running else ""
        note = f"{plural(doubts, 'atom')} in doubt" if doubts else plural(len(shown), "atom") + free
        self.header.note.set_note(note, "doubt" if doubts else "")

    def _show_hypotheses(self, state: EpisodeState) -> None:
        of = state.episode, state.belief, state.goal_probabilities, self.vocabulary, state.ended
        if all(map(is_, of, self._shown_inputs)):
            return
        if self._shown_inputs[0] != state.episode:
            self.hypotheses.clear()
        self._shown_inputs = of
        curve, rows = goal_probability_series(state), hypothesis_rows(state, self.vocabulary)
        self.hypotheses.show_hypotheses(curve, rows, state.ended is not None)

    def _find(self) -> None:
        """Show, among what is believed, any fact of the problem that the search means."""
        words, belief = self._search.text().strip(), self._state.belief
        self._found = ()
        if words and self.problem is not None:
            self._found = atom_candidates(self.problem, belief, words, self.vocabulary, MOST)
        self.display(self._state)
        self._filtered()

    def _take_first(self) -> None:
        """Go from the search to what it found, which the keys set."""
        self.table.setFocus()
        self.select_relative(0)

    def _show_effect(self) -> None:
        """Show what it would change to set the selected fact to the opposite."""
        atom, preview, effect = self.selected, self.effect_preview, ""
        if atom is not None and preview is not None and self._state.is_running:
            other = Verdict.from_bool(self._state.belief.verdict(atom) is not Verdict.YES)
            effect = preview((self.operator_answer(atom, other),))
            effect = f"{other.value}: {effect}" if effect else ""
        self._effect.setText(effect)
        self._effect.setVisible(bool(effect))

    def _filtered(self) -> None:
        self._filter.query = self._search.text()
        self._filter.doubtful, self._filter.needed = self._doubt.isChecked(), self._needed.isChecked()
        self._filter.invalidate()
        self.table.fit()

    @property
    def selected(self) -> Atom | None:
        index = self.table.currentIndex()
        return index.data(ROW).atom if index.isValid() else None

    def select(self, atom: Atom) -> None:
        """Select the row of this atom, if the filter shows it."""
        rows = (self._filter.index(i, 0) for i in range(self._filter.rowCount()))
        found = next((row for row in rows if row.data(ROW).atom == atom), None)
        if found is not None:
            self.table.selectRow(found.row())

    def judge(self, verdict: Verdict) -> str:
        """Set the selected atom; return why not, "" if it is done. UNKNOWN would keep the old value."""
        atom = self.selected
        if atom is None:
            return "no row of the belief is selected"
        if verdict is Verdict.UNKNOWN:
            return "a row of the belief is set to yes or no"
        self.corrected.emit((self.operator_answer(atom, verdict),))
        return ""

    def operator_answer(self, atom: Atom, verdict: Verdict) -> Answer:
        frame = self._state.frame.id if self._state.frame else ""
        return Answer(atom, verdict, BeliefSource.OPERATOR, "set by hand", self._state.turn, frame, self.by)

    def enter(self) -> None:
        self.table.setFocus()

    def focus_search(self) -> None:
        self._search.setFocus()
        self._search.selectAll()

    def select_relative(self, by: int) -> bool:
        last = self._filter.rowCount() - 1
        if last >= 0:
            self.table.selectRow(max(0, min(last, self.table.currentIndex().row() + by)))
        return last >= 0


SHARE = 6  # of the window's height, a kept height takes at most
FIGURE = 40  # px of a row's probability
LINE = "below it, the goal is claimed once making sure costs more than the doubt"


class HypothesesStrip(Surface):
    """Shown for methods that keep several hypotheses. While an episode runs it grows with its hypotheses and
    never shrinks, so that the table below stays where it is.
    """

    def __init__(self) -> None:
        super().__init__("surface", "b")
        self._text, self._figure = label("", "strong", "ink", wrap=True), label("", "caption", "text")
        self._rows = TextRows("Hypotheses", FIGURE, "small")
        head = column(row(label("Goal", "caption", "muted"), (self._text, 1)), self._figure, spacing=1)
        head.setContentsMargins(t.M, 6, t.M, 0)
        self.setLayout(column(head, self._rows))
        self.setAccessibleName("The goal, and the likeliest hypotheses")
        self.hide()

    def clear(self) -> None:
        self.setMinimumHeight(0)
        self.hide()

    def show_hypotheses(
        self, curve: GoalProbabilitySeries | None, hypotheses: tuple[HypothesisRow, ...], ended: bool = False
    ) -> None:
        self.setVisible(curve is not None and bool(hypotheses))
        if curve is None:
            return
        self._text.setText(curve.text)
        self._figure.setText(", ".join(filter(None, (curve.figure, _claims(curve)))))
        self._rows.show_rows([_row(h, i == 0, len(hypotheses)) for i, h in enumerate(hypotheses)])
        least = max(self.minimumHeight(), self.sizeHint().height())
        self.setMinimumHeight(0 if ended else min(least, self.window().height() // SHARE))
        lines = [_spoken(one) for one in hypotheses]
        lines.insert(0, f"The goal is {curve.text}: {curve.figure}")
        if curve.line:
            lines.insert(1, f"{_claims(curve)[:1].upper()}{_claims(curve)[1:]}: {LINE}")
        self.setAccessibleDescription(". ".join(lines))
        self.setToolTip(tooltip("\n".join(lines)))


def _row(one: HypothesisRow, first: bool, of: int) -> TextRow:
    words = one.brief if of > 1 else "as listed below: no other hypothesis is likely"
    return TextRow(words, percent(one.probability), tone="ink" if first else "text", note=one.cost)


def _spoken(row: HypothesisRow) -> str:
    differences = ", ".join(row.differences) or SAME
    return ": ".join(filter(None, (percent(row.probability), differences, row.cost)))


def _claims(curve: GoalProbabilitySeries) -> str:
    return f"always claimed at {fine_percent(curve.line)} or more" if curve.line else ""
