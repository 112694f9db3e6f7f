"""The table of the belief: how a row looks, its filter, and the widths of its columns."""

from __future__ import annotations

from PySide6.QtCore import QSortFilterProxyModel, Qt
from PySide6.QtGui import QFocusEvent

from app.controls.rows import AnyIndex, Cell, RowLook, RowsModel, RowsTable
from app.presentation.belief_rows import BeliefRow
from app.presentation.formatting import age
from app.presentation.likelihood import is_doubtful, percent
from app.theme import paint
from app.theme import tokens as t
from app.theme.states import SOURCE, VERDICT
from core.belief import BeliefSource, Verdict

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
        quiet, old = r.never_asked, age(self.now - r.since)
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
        return all(word in r.text.lower() for word in self.query.lower().split())


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
