"""The model of the belief table, and its filter."""

from __future__ import annotations

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QSortFilterProxyModel, Qt

from app.controls.rows import ROW, AnyIndex
from app.presentation.belief_rows import BeliefRow
from app.presentation.formatting import age
from app.presentation.likelihood import percent
from app.theme import paint
from app.theme.states import SOURCE
from core.text.untrusted_text import tooltip

COLUMNS = ("Atom", "Verdict", "Sure", "Source", "Age")
AGE = 4


class BeliefTableModel(QAbstractTableModel):
    """A model of `belief_rows`. Reordering is a layout change, so that the selection is kept."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: tuple[BeliefRow, ...] = ()
        self.now = 0.0
        self.brief = False  # the source is its icon alone

    def show_rows(self, rows: tuple[BeliefRow, ...], now: float) -> None:
        aged = int(now) != int(self.now)
        self.now = now
        if rows == self.rows:
            if aged and self.rows:
                self.dataChanged.emit(self.index(0, AGE), self.index(len(self.rows) - 1, AGE))
            return
        old = [r.atom for r in self.rows]
        if len(rows) != len(old):
            self.beginResetModel()
            self.rows = rows
            self.endResetModel()
            return
        changed = [i for i, (new, shown) in enumerate(zip(rows, self.rows, strict=True)) if new != shown]
        if [r.atom for r in rows] != old:
            self.layoutAboutToBeChanged.emit()
            places = {r.atom: i for i, r in enumerate(rows)}
            held = self.persistentIndexList()
            moved = [self.index(places.get(old[i.row()], -1), i.column()) for i in held]
            self.rows = rows
            self.changePersistentIndexList(held, moved)
            self.layoutChanged.emit()
        else:
            self.rows = rows
        self.dataChanged.emit(self.index(changed[0], 0), self.index(changed[-1], AGE))

    def rowCount(self, parent: AnyIndex = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: AnyIndex = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(COLUMNS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = 0) -> object:
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return "" if self.brief and COLUMNS[section] == "Source" else COLUMNS[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return {"Sure": paint.CENTRE, "Age": paint.RIGHT}.get(COLUMNS[section])
        return None

    def data(self, index: AnyIndex, role: int = 0) -> object:
        row = self.rows[index.row()]
        if role == ROW:
            return row
        text = f"{row.predicate} {row.args}: {row.verdict.value}, {SOURCE[row.source].word}"
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{text}, {age(self.now - row.since)}. {row.note}".strip()
        if role == Qt.ItemDataRole.ToolTipRole:
            sure = f"\n{percent(row.sure)} sure" if row.sure is not None else ""
            note = f"\n{row.note}" if row.note else ""
            return tooltip(f"{row.atom}\n{text}{sure}{note}\nY or N sets it.")
        return None


class BeliefFilter(QSortFilterProxyModel):
    def __init__(self) -> None:
        super().__init__()
        self.query, self.doubtful, self.needed = "", False, False

    @property
    def belief_model(self) -> BeliefTableModel:
        model = self.sourceModel()
        assert isinstance(model, BeliefTableModel)
        return model

    def filterAcceptsRow(self, row: int, parent: AnyIndex) -> bool:
        r = self.belief_model.rows[row]
        if self.doubtful and not r.doubtful:
            return False
        if self.needed and not r.needed:
            return False
        return all(word in r.text.lower() for word in self.query.lower().split())
