"""Find what hides a part of a picture: cells unlike those of known pictures, and the seam of two pictures.

A sticker, a hand or a black square changes some cells only, so each is judged: by its colours and an early
layer of the trunk, which sees little beyond it, beside those around it and those of the whole picture.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from core.vqa.eye.eye_file import CELL_FEATURES, Arrays

Floats = NDArray[np.float32]
LAYER = "half_more_both"  # of the trunk
_LOOKED = 0.005  # share of what counted for an answer that may lie on covered cells
_AROUND = np.ones((5, 5), np.uint8)  # cells: what is hidden has evidence around it
_MOST = 8.0  # a cell's score counts for no more
_STEP, _BESIDE, _EDGE = 3, 3, 31  # of 255; pixels; pixels at the sides, where pictures have such lines
_LEVEL, _LASTING = 5, 16  # pixels on either side of a line: across a joint of tiles it looks the same there
_SHARP, _TIMES = 12, 4  # of 255; as much as beside it
_ONE_WAY = 0.4  # taken away where none of the rows becomes brighter, or none darker


def cell_features(pixels: Floats, layer: Floats, features: Floats) -> Floats:
    """Return cells x CELL_FEATURES: mean and deviation of a layer (channels x height x width) and of the
    pixels (side x side x 3) in each, the mean of those around it, the trunk's features, the picture's mean.

    Raises ValueError if the trunk has other layers.
    """
    cells, channels = len(features), len(layer)
    grid, below = round(cells**0.5), layer.reshape(-1, layer.shape[2])  # its channels below each other
    of_layer = [part.reshape(channels, -1).T for part in _moments(below, grid, channels * grid)]
    own = np.concatenate([*of_layer, *(part.reshape(cells, 3) for part in _moments(pixels, grid, grid))], 1)
    around = cv2.blur(own.reshape(grid, grid, -1), (3, 3), borderType=cv2.BORDER_REPLICATE)
    mean = np.broadcast_to(own.mean(0), own.shape)
    found = np.concatenate([own, around.reshape(own.shape), features, mean], 1)
    return found.reshape(cells, CELL_FEATURES)


def _moments(plane: Floats, columns: int, rows: int) -> tuple[Floats, Floats]:
    """Return mean and deviation of each of columns x rows equal parts."""
    mean, squares = (cv2.resize(x, (columns, rows), interpolation=cv2.INTER_AREA) for x in (plane, plane**2))
    return np.asarray(mean, np.float32), np.sqrt(np.maximum(squares - mean**2, 0), dtype=np.float32)


def cover_scores(h: Arrays, cells: Floats) -> Floats:
    """Return how much something foreign lies on each cell and those around it (logits)."""
    units = np.maximum(cells @ h["cover_layer"] + h["cover_layer_bias"], 0)
    each, grid = units @ h["cover"] + h["cover_bias"][0], round(len(cells) ** 0.5)
    return np.asarray(cv2.blur(np.clip(each, -_MOST, _MOST).reshape(grid, grid), (5, 5)), np.float32).ravel()


def hidden(covered: NDArray[np.bool_], attention: Floats, said_yes: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which answers do not count: a no, as a cover may hide what says yes, and a yes from near one.

    `attention`: answers x cells.
    """
    if not covered.any():
        return np.zeros(len(attention), bool)
    grid = round(len(covered) ** 0.5)
    near = cv2.dilate(covered.reshape(grid, grid).astype(np.float32), _AROUND).ravel()
    return ~said_yes | (attention @ near > _LOOKED)


def seam(square: NDArray[np.uint8]) -> float:
    """Return the share of the rows that change abruptly at one upright line, of the line with most; less
    where all become brighter there, or darker, as at the edge of a door.

    The halves of two pictures side by side look known, each for itself; all that tells is where they meet.
    """
    if len(square) <= 2 * _EDGE:
        return 0.0
    change, level = (cv2.absdiff(square[:, 2 * n :], square[:, : -2 * n]).max(2) for n in (1, 1 + _LEVEL))
    beside = np.maximum(change[:, : -2 * _BESIDE], change[:, 2 * _BESIDE :])
    change, level = change[:, _EDGE:-_EDGE], level[:, _EDGE - _LEVEL : _LEVEL - _EDGE]
    sudden = cv2.subtract(change, beside[:, _EDGE - _BESIDE : _BESIDE - _EDGE]) > _STEP
    abrupt = sudden & (level > change // _LASTING)
    line = int(abrupt.mean(0).argmax())
    rows, left = abrupt[:, line], line + _EDGE
    ways = square[rows, left + 2].sum(1) > square[rows, left].sum(1)
    return float(rows.mean()) - (0 if ways.any() and not ways.all() else _ONE_WAY)


def join(square: NDArray[np.uint8]) -> float:
    """Return the share of the rows that change at one upright line from one pixel to the next, and hardly
    beside it, or of the columns at a level one; of the line with most.
    """
    most = 0.0
    for way in (square, square.transpose(1, 0, 2)):
        red, green, blue = cv2.split(cv2.absdiff(way[:, 1:], way[:, :-1]))  # quicker than numpy
        change = cv2.max(cv2.max(red, green), blue)
        beside = cv2.max(change[:, :-2], change[:, 2:])
        sharp = change[:, 1:-1] > np.maximum(cv2.convertScaleAbs(beside, alpha=_TIMES), _SHARP)
        most = max(most, float(sharp.mean(0)[_EDGE:-_EDGE].max(initial=0.0)))
    return most


def halves(square: NDArray[np.uint8]) -> float:
    """Return the share of the rows that change at the upright line in the middle from one pixel to the next,
    and hardly beside it: halves of two pictures, all of one camera, may differ in a few rows only.
    """
    middle = square[:, len(square) // 2 - 2 :][:, :4].astype(np.int16)
    change = np.abs(np.diff(middle, axis=1)).max(2)
    return float((change[:, 1] > np.maximum(_SHARP, _TIMES * change[:, ::2].max(1))).mean())
