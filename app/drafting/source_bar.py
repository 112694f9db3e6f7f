"""Choose what to draft from: a game, a map, a picture, and who drafts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from app.controls.input_fields import ComboBox
from app.controls.layout import column, row
from app.controls.text import TextField
from app.controls.tooltip import set_tooltip
from app.theme import tokens as t
from core.drafting.source import DraftingTools, DraftSource
from core.vqa.grid_reader.grid_reader import SIZES
from core.vqa.registry import answerer_names, asks_model

SIMULATED = "simulated drafter"


class SourceBar(QWidget):
    """`opened` sends what was chosen, on Enter in a field or when a choice is made."""

    opened = Signal(object)  # DraftSource

    def __init__(self, tools: DraftingTools) -> None:
        super().__init__()
        self.source = DraftSource()
        self.maps, self.picture = ComboBox("Game", 120), TextField("", "Picture file")
        self.map = TextField(self.source.map, "Map")
        self.drafter, self.cells = ComboBox("Who drafts", 150), ComboBox("Cells a side", 64)
        self.cells.addItems(["cells", *map(str, SIZES)])
        set_tooltip(self.cells, "Cells a side of the picture; by itself it finds them")
        self.maps.addItems(sorted(tools.games()))
        self.drafter.addItems([SIMULATED, *filter(asks_model, answerer_names())])
        self.picture.setPlaceholderText("picture, or painted")
        set_tooltip(self.map, "GAME-SIZE-SEED; Enter opens it")
        set_tooltip(self.picture, "A file with the picture that a model is shown; empty: painted")
        for field in (self.map, self.picture):
            field.returnPressed.connect(self._open)
        self.maps.textActivated.connect(lambda game: self._open_game(game, tools))
        for box in (self.drafter, self.cells):
            box.textActivated.connect(lambda _: self._open())
        first = row(self.maps, (self.map, 1), spacing=t.XS)
        second = row((self.picture, 1), self.cells, spacing=t.XS)
        self.setLayout(column(first, self.drafter, second, spacing=t.XS, margins=(t.S, t.S, t.S, t.S)))

    def show_source(self, source: DraftSource) -> None:
        self.source = source
        self.maps.setCurrentText(source.map.split("-", 1)[0])
        self.map.setText(source.map)
        self.picture.setText(str(source.picture or ""))
        self.drafter.setCurrentText(source.answerer or SIMULATED)
        self.cells.setCurrentText(str(source.size or "cells"))

    def _open_game(self, game: str, tools: DraftingTools) -> None:
        self.map.setText(f"{game}-{min(tools.games()[game].sizes)}-0")
        self._open()

    def _open(self) -> None:
        drafter, picture, cells = (
            self.drafter.currentText(),
            self.picture.text().strip(),
            self.cells.currentText(),
        )
        chosen = replace(
            self.source,
            map=self.map.text().strip(),
            answerer="" if drafter == SIMULATED else drafter,
            picture=Path(picture).expanduser() if picture else None,
            size=int(cells) if cells.isdigit() else 0,
        )
        self.opened.emit(chosen)
