"""Find the grid of a picture and what is in its cells. Uses no network.

Of a look that nobody named, the size is the one with the fewest groups of like cells; groups are cut at the
widest gap between the cells' distances. Each group is named once, by a person or a model that sees one cell
of it. Pictures of the same look are then read by these names: the size, the light and each cell's name are
those that explain the colours best. What fits no name is asked about, never guessed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.errors import BadValue
from core.ports import RgbImage

Floats = NDArray[np.float64]
Look = Mapping[str, Floats]  # each name that is known with the mean colours of its cells
SIZES = range(3, 9)
MOST_GROUPS = 10
UNKNOWN: Look = MappingProxyType({})
PARTS = 8  # numbers a row of a cell, as it is compared
_NOISE, _APART = (0.3, 1.2), 12.0  # Lab distances below which, by the noise, cells are alike; from which not
_SEAMS = 0.5  # how much seams between cells count against one group more
_GAIN, _SHIFT = 0.15, 10.0  # how light usually differs: times 1 +- and plus 0 +-
_GAINS = 0.6, 1.6
_FEW, _TURNS = 2, 4  # of naming the cells in a light, and finding the light by the names: to try, at last
_ROUGH = 8.0  # levels of 255 by which cells miss their names before the light is known
_LEAST, _OF_NOISE, _OF_CONTRAST, _MOST = 3.0, 1.5, 0.25, 20.0  # levels by which they may, and what edges add
_SURE = 0.5  # a cell must miss its name by less than this share of the next
_LARGE = 480  # pixels a side, of which more tell nothing
_FITS = 0.5  # of the cells must have a name, or the look is another


@dataclass(frozen=True)
class Grid:
    """A picture as a grid of size x size cells; `groups` has for each cell, row by row, its group.

    `means` has the colours of each group, in the light of the known look, and `names` what is known of it:
    None is to be asked.
    """

    size: int
    groups: tuple[int, ...]
    means: Floats
    names: tuple[str | None, ...]

    @property
    def examples(self) -> tuple[tuple[int, int], ...]:
        """Return the first cell of each group, row and column from 1."""
        places = map(self.groups.index, range(len(self.means)))
        return tuple((at // self.size + 1, at % self.size + 1) for at in places)

    def cells(self, names: Sequence[str]) -> dict[tuple[int, int], str]:
        """Return the name of each cell, row and column from 1."""
        return {(n // self.size + 1, n % self.size + 1): names[group] for n, group in enumerate(self.groups)}

    def named(self, names: Sequence[str | None]) -> dict[str, Floats]:
        """Return what these names of the groups add to what is known of the look."""
        new = zip(names, self.names, self.means, strict=True)
        return {name: mean for name, old, mean in new if name and old is None}


def read_grid(rgb: RgbImage, sizes: Sequence[int] = SIZES, known: Look = UNKNOWN) -> Grid:
    """Return the grid of a picture, H x W x 3, uint8. Raises BadValue for one that shows no grid."""
    if min(rgb.shape[:2]) < 8 * min(sizes) or not 0.8 < rgb.shape[0] / rgb.shape[1] < 1.25:
        raise BadValue("This picture is no square of cells: cut it to the grid. `draft` reads scenes in 3-D.")
    if (share := _LARGE / min(rgb.shape[:2])) < 1:
        import cv2

        rgb = np.asarray(cv2.resize(rgb, None, fx=share, fy=share, interpolation=cv2.INTER_AREA))
    return _by_names(rgb, sizes, known) or _by_groups(rgb, sizes)


def _by_names(rgb: RgbImage, sizes: Sequence[int], known: Look) -> Grid | None:
    """Return the grid as a known look explains it best; None: it has another look."""
    if len(known) < 2:
        return None
    wanted = np.stack(list(known.values()))
    tries = ((*_explained(wanted, _colours(rgb, size)), size) for size in sizes)
    _, missed, cells, size = min(tries, key=lambda one: one[0])
    best, (least, next_) = missed.argmin(1), np.sort(missed, 1)[:, :2].T
    contrasts = wanted.reshape(len(wanted), -1, 3).std(1)
    limit = _LEAST + _OF_NOISE * np.median(least) + _OF_CONTRAST * np.sqrt((contrasts**2).mean(1))[best]
    sure = (least < np.minimum(limit, _MOST)) & (least < _SURE * next_)
    if sure.mean() < _FITS:
        return None
    names, unknown = list(known), _groups(_distances(cells))
    kinds = [names[name] if ok else group for name, ok, group in zip(best, sure, unknown, strict=True)]
    return _grid(size, cells, kinds)


def _explained(wanted: Floats, cells: Floats) -> tuple[float, Floats, Floats]:
    """Return what becomes of all cells in the best light: the cost, by how many levels each cell misses each
    name, and the cells in the light of the look. The commonest cell may have any name.
    """
    common = cells[[np.argmin(_apart(cells, cells).sum(1))]]
    first = min(wanted, key=lambda one: _lit(wanted, cells, one[None], common, _FEW)[0])
    return _lit(wanted, cells, first[None], common, _TURNS)


def _lit(
    wanted: Floats, cells: Floats, some: Floats, seen: Floats, turns: int
) -> tuple[float, Floats, Floats]:
    """Explain the cells, beginning in the light in which `some` are `seen` so."""
    for _ in range(turns):
        gain, shift = _light(some.reshape(-1, 3), seen.reshape(-1, 3))
        lit = np.clip(wanted.reshape(-1, 3) * gain + shift, 0, 255).reshape(wanted.shape)
        missed = _apart(cells, lit)
        best, (least, next_) = missed.argmin(1), np.sort(missed, 1)[:, :2].T
        near = (least <= max(_MOST, float(np.median(least)))) | (least < _SURE * next_)
        found = np.unique(best[near])
        some, seen = wanted[found], np.stack([cells[near & (best == name)].mean(0) for name in found])
    cost = float(np.minimum(missed.min(1), _MOST).mean())
    return cost, missed, ((cells.reshape(-1, 3) - shift) / gain).reshape(cells.shape)


def _light(some: Floats, seen: Floats) -> tuple[Floats, Floats]:
    """Return the gain and the shift of each channel, by least squares, near those that are usual."""
    used = (seen > 3) & (seen < 252)  # the rest is cut off
    for _ in range(2):
        x, y, weight = np.where(used, some, 0.0), np.where(used, seen, 0.0), _ROUGH**-2
        xx, xy = (x * x).sum(0) * weight + _GAIN**-2, (x * y).sum(0) * weight + _GAIN**-2
        n, sx, sy = used.sum(0) * weight + _SHIFT**-2, x.sum(0) * weight, y.sum(0) * weight
        gain = np.clip((xy * n - sx * sy) / (xx * n - sx * sx), *_GAINS)
        shift = (sy - gain * sx) / n
        off = np.abs(some * gain + shift - seen)
        used &= off <= 2 * np.median(off, 0) + 2  # edges, and what is cut off in part
    return gain, shift


def _by_groups(rgb: RgbImage, sizes: Sequence[int]) -> Grid:
    """Return the grid whose size explains most: few groups of like cells, and seams between the cells."""
    tries = list[tuple[float, int, Floats, tuple[int, ...]]]()
    for size in sizes:
        distances = _distances(cells := _colours(rgb, size))
        groups, nearest = _groups(distances), np.sort(_nearest(distances))
        alike = float(nearest[: max(2, 3 * len(nearest) // 4)].mean())
        little = max(groups) + 1 + alike - _SEAMS * min(_seams(rgb, size), 8) - 0.1 * size
        tries.append((little, size, cells, groups))
    _, size, cells, groups = min(tries, key=lambda one: one[0])
    count, alone = max(groups) + 1, sum(groups.count(group) == 1 for group in set(groups))
    if count > MOST_GROUPS or 2 * count > size * size + 2 or alone > 7 or count < 2:
        raise BadValue("This picture shows no grid of like cells: give one of a game, cut to its grid.")
    return _grid(size, cells, groups)


def _grid(size: int, cells: Floats, kinds: Sequence[str | int]) -> Grid:
    """Return the grid of cells of these kinds, each a name or the number of a group without one."""
    order = list(dict.fromkeys(kinds))
    groups = tuple(map(order.index, kinds))
    means = np.stack([cells[[kind == one for kind in kinds]].mean(0) for one in order])
    return Grid(size, groups, means, tuple(kind if isinstance(kind, str) else None for kind in order))


def _colours(rgb: RgbImage, size: int) -> Floats:
    """Return each cell's colours at 8 x 8, without a rim of a tenth: size * size x 192, levels of RGB."""
    import cv2

    side = PARTS + 2
    how = cv2.INTER_AREA if rgb.shape[0] >= size * side else cv2.INTER_LINEAR
    small: Any = cv2.resize(rgb.astype(np.float32), (size * side * 2, size * side * 2), interpolation=how)
    cells = small.reshape(size, 2 * side, size, 2 * side, 3).swapaxes(1, 2)[:, :, 2:-2, 2:-2]
    cells = cells.reshape(size * size, PARTS, 2, PARTS, 2, 3).mean((2, 4))
    return np.asarray(cells.reshape(size * size, -1), np.float64)


def _apart(some: Floats, others: Floats) -> Floats:
    """Return the root mean square of what each of some cells differs by from each of others."""
    squares = (some**2).sum(1)[:, None] + (others**2).sum(1) - 2 * some @ others.T
    return np.asarray(np.sqrt(np.maximum(squares, 0) / some.shape[1]))


def _distances(cells: Floats) -> Floats:
    """Return how far the cells are from each other in Lab, of 0 to 255 a channel."""
    import cv2

    levels = (cells.reshape(len(cells), -1, 3) / 255).astype(np.float32)
    lab: Any = (cv2.cvtColor(levels, cv2.COLOR_RGB2LAB) * (2.55, 1, 1)).reshape(len(cells), -1)
    return np.asarray(np.abs(lab[:, None] - lab[None]).mean(-1), np.float64)


def _nearest(distances: Floats) -> Floats:
    return np.asarray((distances + 1e3 * np.eye(len(distances))).min(1))


def _groups(distances: Floats) -> tuple[int, ...]:
    """Return each cell's group: those that a chain of like cells joins. Cells are alike up to the middle of
    the widest gap between the distances, on a scale of ratios.
    """
    noise = float(np.clip(1.5 * np.quantile(_nearest(distances), 0.75), *_NOISE))
    all_ = np.sort(distances[np.triu_indices(len(distances), 1)])
    edges = np.concatenate([[noise], all_[(all_ > noise) & (all_ < _APART)], [_APART]])
    widest = int(np.argmax(edges[1:] / edges[:-1]))
    joined = (distances < np.sqrt(edges[widest] * edges[widest + 1])).astype(np.float32)
    for _ in range(8):  # chains of up to 256 cells
        joined = np.sign(joined @ joined)
    return tuple(np.unique(joined.argmax(1), return_inverse=True)[1].tolist())


def _seams(rgb: RgbImage, size: int) -> float:
    """Return how much more changes at the seams than anywhere, down and across."""
    strength, grey = 0.0, rgb.mean(-1)
    for lines in (grey, grey.T):
        change = np.abs(np.diff(lines, axis=0)).mean(1)
        places = (round(len(change) * n / size) for n in range(1, size))
        most = [change[max(0, at - 2) : at + 2].max() for at in places]
        strength += float(np.mean(most) / (change.mean() + 1e-3))
    return strength
