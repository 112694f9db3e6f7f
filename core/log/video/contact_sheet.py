"""An episode as one picture: what was seen after each step, what was done, and how it ended."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from core import events as ev
from core.pictures import decode_picture, encode_png
from core.planning_model import Step
from core.ports import Frame, StepStatus

_SIDE, _GAP, _LINE = 256, 10, 15  # pixels
_TEXT, _WIDE = 4, 35  # lines below a picture, characters per line
_FINE = 3  # factor by which text is drawn enlarged, then averaged down
_PAPER, _INK, _QUIET = (250, 249, 246), (38, 42, 48), (120, 124, 130)
_WRONG, _REPLANNED, _RIGHT = (176, 72, 10), (24, 92, 160), (30, 110, 60)

Image = NDArray[np.uint8]


@dataclass(frozen=True)
class CaptionLine:
    """A line of text. The colour repeats what its first word says."""

    text: str
    colour: tuple[int, int, int] = _INK


@dataclass(frozen=True)
class SheetPanel:
    """One picture with its text. `picture` is H x W x 3, uint8, or None if there was none."""

    picture: Image | None
    lines: tuple[CaptionLine, ...]


def panels_of(events: Iterable[ev.Event], describe_step: Callable[[Step], str]) -> tuple[SheetPanel, ...]:
    """Return one panel for each picture that the robot took, with the step that led to it."""
    panels: list[SheetPanel] = []
    words: list[CaptionLine] = [CaptionLine("at first")]
    planned = False

    def add(line: CaptionLine) -> None:
        if panels:
            panels[-1] = replace(panels[-1], lines=(*panels[-1].lines, line))

    for event in events:
        match event:
            case ev.StepFinished(_, step, outcome, situation):
                words = [CaptionLine(describe_step(step))]
                if outcome.status is StepStatus.HALTED:
                    words.append(CaptionLine("halted on the way", _WRONG))
                elif situation:
                    words.append(CaptionLine(f"wrong: {situation}", _WRONG))
                elif outcome.status is StepStatus.FAILED:
                    words.append(CaptionLine(f"failed: {outcome.detail}", _WRONG))
            case ev.FrameCaptured(_, frame):
                panels.append(SheetPanel(_image(frame), tuple(words)))
                words = []
            case ev.PlanMade(_, True):
                if planned:
                    add(CaptionLine("plans again", _REPLANNED))
                planned = True
            case ev.EpisodeEnded(result, reason, believed, true):
                add(CaptionLine(_verdict(result, reason, believed, true), _RIGHT if true else _WRONG))
    return tuple(panels)


def _verdict(result: ev.EpisodeResult, reason: str, believed: bool, true: bool | None) -> str:
    if result is not ev.EpisodeResult.SUCCEEDED:
        return f"ends: {reason or result.value}"
    if true is None:
        return "goal believed"
    return "goal reached, confirmed by the simulator" if true else "goal believed, but not reached"


def _image(frame: Frame) -> Image | None:
    if frame.rgb is not None:
        return frame.rgb
    return decode_picture(frame.png) if frame.png else None


def contact_sheet(panels: Sequence[SheetPanel], heading: str = "", columns: int = 6) -> bytes:
    """Return a PNG of all panels in rows, in reading order. Without panels: only the heading."""
    columns = max(1, min(columns, len(panels) or 1))
    words = [_wrapped(panel.lines, number) for number, panel in enumerate(panels)]
    tops = [30 if heading else _GAP]
    for row in range(0, len(panels), columns):
        tops.append(tops[-1] + _SIDE + max(map(len, words[row : row + columns])) * _LINE + 2 * _GAP)
    page = np.full((tops[-1], max(columns * (_SIDE + _GAP) + _GAP, 420), 3), _PAPER, np.uint8)
    texts = [(_GAP, 21, heading, _INK, 0.55)] if heading else []
    for number, panel in enumerate(panels):
        x, y = _GAP + number % columns * (_SIDE + _GAP), tops[number // columns]
        page[y : y + _SIDE, x : x + _SIDE] = _square(panel.picture)
        for k, line in enumerate(words[number]):
            texts.append((x, y + _SIDE + (k + 1) * _LINE, line.text, line.colour, 0.43))
    return encode_png(_written(page, texts))


def _square(picture: Image | None) -> Image:
    import cv2

    if picture is None:
        return np.full((_SIDE, _SIDE, 3), 232, np.uint8)
    if picture.shape[:2] == (_SIDE, _SIDE):
        return picture
    return np.asarray(cv2.resize(picture, (_SIDE, _SIDE), interpolation=cv2.INTER_AREA), np.uint8)


def _wrapped(lines: Sequence[CaptionLine], number: int) -> list[CaptionLine]:
    """Wrap the lines to the picture's width, up to the maximum number; the first has the panel's number."""
    result: list[CaptionLine] = []
    for k, line in enumerate(lines):
        words = f"{number}. {line.text}" if k == 0 else line.text
        while words and len(result) < _TEXT:
            cut = words if len(words) <= _WIDE else (words[:_WIDE].rsplit(" ", 1)[0] or words[:_WIDE])
            result.append(replace(line, text=cut))
            words = words[len(cut) :].strip()
            if k > 0:
                break
    return result


def _written(page: Image, texts: Sequence[tuple[int, int, str, tuple[int, int, int], float]]) -> Image:
    """Return the page with smooth text: drawn enlarged, one band at a time, and averaged down."""
    import cv2

    height, width = page.shape[:2]
    for x, y, text, colour, scale in texts:
        low, high = max(y - 14, 0), min(y + 6, height)
        right = min(x + 20 + round(len(text) * 20 * scale), width)
        band = cv2.resize(page[low:high, x:right], None, fx=_FINE, fy=_FINE, interpolation=cv2.INTER_NEAREST)
        place = (0, (y - low - 2) * _FINE)
        plain = text.encode("ascii", "replace").decode()
        cv2.putText(band, plain, place, cv2.FONT_HERSHEY_SIMPLEX, scale * _FINE, colour, _FINE, cv2.LINE_AA)
        page[low:high, x:right] = cv2.resize(band, (right - x, high - low), interpolation=cv2.INTER_AREA)
    return page
