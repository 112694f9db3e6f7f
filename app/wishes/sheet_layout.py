"""What a sheet consists of: its controls and where they are, over the window's panels."""

from __future__ import annotations

from PySide6.QtCore import Qt

from app.controls.badge import Badge, SegmentedControl
from app.controls.button import Button
from app.controls.header import Header
from app.controls.input_fields import ComboBox
from app.controls.layout import Separator, column, label, row
from app.controls.room import Room
from app.controls.rows import Cell, RowLook, RowsModel, RowsTable
from app.controls.text import NoDragTextEdit, TextField
from app.controls.tooltip import set_tooltip
from app.main_window import MainWindow
from app.theme import styling
from app.theme import tokens as t
from app.theme.states import LEVEL
from app.wishes.table_picture import TablePicture
from core.wishes.desk import TOOLS
from core.wishes.judging import RowWords
from core.wishes.word_sources import SOURCES

K = Qt.Key
COSTS = "1 call, and 1 a place", "free"
CTRL = (K.Key_Z, K.Key_Y, K.Key_Return, K.Key_Enter)  # with Ctrl these are the sheet's
NOT_NOW = {
    "compare": "There is one version alone: what is typed or painted makes another.",
    "take": "Compare first (V): what is compared is taken back.",
    "keep": "There is no Python here to keep: painted places are of this one table.",
    "undo": "Nothing has been changed.",
    "redo": "Nothing has been undone.",
    "play": "Nothing is rehearsed: Enter searches for motions.",
}
VERBS = (
    ("compare", "Compare", "columns", "V", "Beside the version before, and the one before that"),
    ("take", "Take back", "undo", "T", "Make the version that is compared with the latest one"),
    ("keep", "Keep", "bookmark", "K", "Offer the test again, for such things, in this domain"),
    ("add", "Add kept", "plus", "A", "Add the kept test that is offered to this row"),
    ("forget", "Forget", "close", "F", "Offer that kept test no longer; F again keeps it after all"),
    ("undo", "Undo", "undo", "Ctrl+Z", "Take the last change back"),
    ("redo", "Redo", "replan", "Ctrl+Y", "Do again what was taken back"),
    ("play", "Play", "play", "P", "Play the rehearsal over the picture; nothing moves"),
)


def look_of(row: RowWords) -> RowLook:
    icon, level = LEVEL[row.level].icon if row.level else "", row.level or "muted"
    state = Cell(row.state, icon, level, level, "small")
    cells = Cell(f"{row.number + 1}", tone="muted", font="small"), Cell(row.name, font="strong"), state
    spoken = f"Row {row.number + 1}: {row.name}, {row.state}. {row.note}"
    return RowLook(cells, spoken, row.note, row.note, level, ground=row.level and f"{row.level}_soft")


class SheetLayout(Room):
    """Words, rows, code and picture of a wish. GUI thread only."""

    ctrl = CTRL

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window, "Wish", window.set_overlay)
        badge, self.close_button = Badge(), Button("Back to live", "undo", "Ctrl+W", "quiet", t.H_CONTROL)
        badge.show_as("goal", "WISH")
        self.words = TextField("", "Your wish, in your own words")
        self.words.setPlaceholderText("Your wish, such as: put the strawberry right of the can")
        self.by, self.scene = ComboBox("Who writes it", 110), ComboBox("Scene", 110)
        self.cost, self.said = label("", "small", "muted"), label("", "body", "text", wrap=True)
        self.by.currentTextChanged.connect(lambda by: self.cost.setText(COSTS[by in SOURCES]))
        self.primary = Button("Write it down", "arrow", "Enter", "primary")
        self.model = RowsModel(look_of, ("", "Step", ""), lambda words: words.number)
        self.rows = RowsTable(self.model, "Rows of the wish", (26, 0, 220))
        self.code = NoDragTextEdit("", "Tests of the row, in Python")
        self.old = NoDragTextEdit("", "The version that it is compared with")
        self.old.setReadOnly(True)
        for part in (self.rows, self.code):
            part.installEventFilter(self)
        for page in (self.code, self.old):
            page.setFont(styling.font("mono_small"))
            page.setLineWrapMode(NoDragTextEdit.LineWrapMode.NoWrap)  # as Python is not to be broken
        self.lint = label("", "small", "muted", wrap=True)
        tools = tuple(f"{key} {word}" for key, word in enumerate(TOOLS, 1))
        self.picture, self.tools = TablePicture(), SegmentedControl(tools, 0, "Tool")
        b = self.buttons = {
            id: Button(text, icon, key, height=t.H_CONTROL) for id, text, icon, key, _ in VERBS
        }
        wide = (t.M, t.S, t.M, t.S)
        ends = self.scene, self.by, self.cost, self.primary, self.close_button
        head = row(badge, (self.words, 1), *ends, margins=wide)
        verbs = row(b["compare"], b["take"], b["keep"], b["add"], b["forget"], 1, margins=wide)
        told = row((self.lint, 1), b["undo"], b["redo"], margins=wide)
        texts = Header("Tests of this row"), (self.code, 3), (self.old, 2)
        left = column((self.rows, 3), Separator(), *texts, told, verbs)
        self.said.setMinimumHeight(2 * self.said.sizeHint().height())  # so that the picture stays as it is
        above = row(self.tools, 1, b["play"], margins=wide)
        right = column(above, (self.picture, 1), column(self.said, margins=wide))
        body = row((left, 4), Separator(vertical=True), (right, 6), spacing=0)
        self.setLayout(column(head, Separator(), (body, 1)))
        for id, text, *_, tip in VERBS:  # each has a key: Enter is the sheet's own, wherever Tab leads
            b[id].setFocusPolicy(Qt.FocusPolicy.NoFocus)
            set_tooltip(b[id], f"{text}: {tip}")
