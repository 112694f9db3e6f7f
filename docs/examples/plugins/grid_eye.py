"""An example answerer, which reads the grid robot's picture. docs/write-an-answerer.md explains it."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from core.belief import Atom, Query
from core.ports import Frame, ModelCall
from core.registry import Entry, Options
from core.stop_token import StopToken
from core.vqa.replies.reply_parser import parse_answers

CELL = 64  # pixels
SWEPT, ROBOT = (150, 200, 150), (40, 90, 200)


class EyeOptions(Options):
    tolerance: int = Field(
        40, ge=0, le=255, description="Largest difference of a colour channel that still counts."
    )


class GridEye:
    """Answers whether the robot is in a cell, or has swept it, by the cell's colours. Loop's thread only."""

    name = "grid-eye"

    def __init__(self, tolerance: int) -> None:
        self._tolerance = tolerance

    def answer(self, frame: Frame, queries: Sequence[Query], turn: int, cancel: StopToken) -> ModelCall:
        cancel.check()
        said = ";".join(self._reply(frame, query) for query in queries)
        return ModelCall(parse_answers(said, queries, turn, frame.id, self.name), said, self.name)

    def _reply(self, frame: Frame, query: Query) -> str:
        """Return the reply to the question's text, which may ask for the negation of its atom."""
        holds = self._sees(frame, query.atom)
        return "skip" if holds is None else "yes" if holds != query.negated else "no"

    def _sees(self, frame: Frame, atom: Atom) -> bool | None:
        """Return whether the picture shows the atom, None if it does not show either."""
        if frame.rgb is None or atom.predicate not in ("at", "swept"):
            return None
        y, x = (int(digit) * CELL for digit in atom.args[0][1:])
        if atom.predicate == "at":
            return self._is(frame.rgb[y + CELL // 2, x + CELL // 2], ROBOT)
        return self._is(frame.rgb[y + 4, x + 4], SWEPT)

    def _is(self, pixel: Sequence[int], colour: tuple[int, int, int]) -> bool:
        return all(abs(int(p) - c) <= self._tolerance for p, c in zip(pixel, colour, strict=True))


ENTRIES = {
    "answerers": [
        Entry(
            "grid-eye",
            "Eye for the grid",
            "An example: reads the grid robot's picture by its colours.",
            lambda options, **_: GridEye(options.tolerance),
            EyeOptions,
        )
    ]
}
