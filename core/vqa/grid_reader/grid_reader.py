"""Find the grid of a picture and the groups of cells that look alike. Uses no network.

The size is the one with the fewest groups; groups are cut at the widest gap between the cells' distances in
Lab. Each group is named once, by a person or a model that sees one cell of it; pictures of the same look are
then read by these names. What fits no name is asked about, never guessed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations
from math import perm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.errors import BadValue
from core.ports import RgbImage

Floats = NDArray[np.float64]
SIZES = range(3, 9)
MOST_GROUPS, MOST_NAMINGS = 10, 1_000
_SIDE, _PART = 20, 8  # pixels of a cell as it is compared, and numbers a row of it
_NOISE, _APART = 1.2, 12.0  # Lab distances below which cells surely are alike, and above which not
_SEAMS = 0.5  # how much seams between cells count against one group more
_STRANGE, _LEAST = 0.35, 3.0  # a group is none of the names from this share of their smallest distance on
_GAINS = 0.6, 1.6  # of light
_SURE = 0.8  # the best naming must cost less than this share of the next


@dataclass(frozen=True)
class Grid:
    """A picture as a grid of size x size cells; `groups` has for each cell, row by row, its group."""

    size: int
    groups: tuple[int, ...]
    means: Floats  # of each group, as `vectors` has cells

    @property
    def examples(self) -> tuple[tuple[int, int], ...]:
        """Return the first cell of each group, row and column from 1."""
        places = map(self.groups.index, range(len(self.means)))
        return tuple((at // self.size + 1, at % self.size + 1) for at in places)

    def cells(self, names: Sequence[str]) -> dict[tuple[int, int], str]:
        """Return the name of each cell, row and column from 1."""
        return {(n // self.size + 1, n % self.size + 1): names[group] for n, group in enumerate(self.groups)}


@dataclass(frozen=True)
class NamedLook:
    """What is known of a look: each name with the mean of its cells."""

    means: Mapping[str, Floats]

    def names(self, grid: Grid) -> tuple[str | None, ...]:
        """Return a name for each group, each another one; None: ask, as nothing known is like it.

        The light of the whole picture does not count, only how the groups differ from each other.
        """
        known, count = list(self.means), len(grid.means)
        if not known:
            return (None,) * count
        shown = grid.means.reshape(count, -1, 3)
        best: list[tuple[float, tuple[str, ...], Floats]] = []
        for some in self._namings(shown) if count <= len(known) else ():
            wanted = np.stack([self.means[name] for name in some]).reshape(count, -1, 3)
            costs = np.abs(shown - _lit(wanted, shown)).mean((1, 2))
            best.append((float(costs.mean()), some, costs))
        if not best:
            return tuple(self._nearest(mean) for mean in grid.means)
        best.sort(key=lambda one: one[0])
        cost, chosen, costs = best[0]
        doubtful = len(best) > 1 and cost > _SURE * best[1][0]
        rivals = best[1][1] if doubtful else chosen
        return tuple(
            name if costs[n] < self._strange and rivals[n] == name else None for n, name in enumerate(chosen)
        )

    def _namings(self, shown: Floats) -> Iterable[tuple[str, ...]]:
        """Return the namings to compare: all; where they are many, a near one and all one swap away."""
        known, count = list(self.means), len(shown)
        if perm(len(known), count) <= MOST_NAMINGS:
            return permutations(known, count)
        means = np.stack(list(self.means.values())).reshape(len(known), -1, 3)
        near = np.abs((shown - shown.mean((0, 1)))[:, None] - (means - means.mean((0, 1)))[None]).mean((2, 3))
        order = list[int]()
        for group in range(count):
            order.append(min((n for n in range(len(known)) if n not in order), key=lambda n: near[group, n]))
        order += [n for n in range(len(known)) if n not in order]

        def cost(some: list[int]) -> float:
            return float(np.abs(shown - _lit(means[some[:count]], shown)).mean())

        while True:
            swapped = [_swapped(order, a, b) for a, b in combinations(range(len(known)), 2) if a < count]
            best = min(swapped, key=cost)
            if cost(best) >= cost(order):
                return [tuple(known[n] for n in some[:count]) for some in (order, *swapped)]
            order = best

    @property
    def _strange(self) -> float:
        """Return how far a group may be from its name: part of what tells the names apart."""
        means = np.stack(list(self.means.values()))
        apart = _distances(means)[np.triu_indices(len(means), 1)]
        return max(_LEAST, _STRANGE * float(apart.min())) if len(apart) else _LEAST

    def _nearest(self, mean: Floats) -> str | None:
        cost, name = min((float(np.abs(known - mean).mean()), name) for name, known in self.means.items())
        return name if cost < self._strange / 2 else None

    def with_names(self, grid: Grid, names: Sequence[str | None]) -> NamedLook:
        """Return the look with the groups of this picture named."""
        return NamedLook({**self.means, **{n: m for n, m in zip(names, grid.means, strict=True) if n}})


def _swapped(order: list[int], one: int, other: int) -> list[int]:
    changed = order.copy()
    changed[one], changed[other] = order[other], order[one]
    return changed


def read_grid(rgb: RgbImage, sizes: Sequence[int] = SIZES) -> Grid:
    """Return the grid of a picture, H x W x 3, uint8. Raises BadValue for one that shows no grid."""
    if min(rgb.shape[:2]) < 8 * min(sizes) or not 0.8 < rgb.shape[0] / rgb.shape[1] < 1.25:
        raise BadValue("This picture is no square of cells: cut it to the grid.")
    scores = [(_score(rgb, size), size) for size in sizes]
    size = min(scores)[1]
    cells = vectors(rgb, size)
    groups, count = _groups(_distances(cells))
    alone = sum(groups.count(group) == 1 for group in set(groups))
    if count > MOST_GROUPS or 2 * count > size * size + 2 or alone > 7 or count < 2:
        raise BadValue("This picture shows no grid of like cells: give one of a game, cut to its grid.")
    means = np.stack([cells[[g == group for g in groups]].mean(0) for group in range(count)])
    return Grid(size, groups, means)


def vectors(rgb: RgbImage, size: int) -> Floats:
    """Return each cell's Lab colours at 8 x 8, without a rim of a tenth: size * size x 192."""
    import cv2

    wide = size * _SIDE
    how = cv2.INTER_AREA if rgb.shape[0] >= wide else cv2.INTER_LINEAR
    small: Any = cv2.resize(rgb, (wide, wide), interpolation=how)
    lab = cv2.cvtColor(small, cv2.COLOR_RGB2LAB).astype(np.float64)
    cells = lab.reshape(size, _SIDE, size, _SIDE, 3).swapaxes(1, 2).reshape(size * size, _SIDE, _SIDE, 3)
    inner = cells[:, 2:-2, 2:-2].reshape(size * size, _PART, 2, _PART, 2, 3)
    return np.asarray(inner.mean((2, 4)).reshape(size * size, -1))


def _lit(wanted: Floats, shown: Floats) -> Floats:
    """Return what is wanted in the light of what is shown: each channel with a gain and a shift."""
    middle, target = wanted.mean((0, 1)), shown.mean((0, 1))
    both = ((wanted - middle) * (shown - target)).mean((0, 1))
    gain = np.clip(both / (wanted.var((0, 1)) + 1.0), *_GAINS)
    return np.asarray((wanted - middle) * gain + target)


def _distances(cells: Floats) -> Floats:
    return np.asarray(np.abs(cells[:, None] - cells[None]).mean(-1))


def _groups(distances: Floats) -> tuple[tuple[int, ...], int]:
    """Return each cell's group: those that a chain of like cells joins, and how many groups there are."""
    near, label, count = distances < _limit(distances), [-1] * len(distances), 0
    for start in range(len(label)):
        if label[start] >= 0:
            continue
        open_ = [start]
        while open_:
            cell = open_.pop()
            if label[cell] < 0:
                label[cell] = count
                open_ += [int(n) for n in np.flatnonzero(near[cell]) if label[n] < 0]
        count += 1
    return tuple(label), count


def _limit(distances: Floats) -> float:
    """Return the middle of the widest gap between the distances, on a scale of ratios."""
    sorted_ = np.maximum(np.sort(distances[np.triu_indices(len(distances), 1)]), 0.4)
    between = sorted_[(sorted_ > _NOISE) & (sorted_ < _APART)]
    edges = np.concatenate([[_NOISE], between, [_APART]])
    widest = int(np.argmax(edges[1:] / edges[:-1]))
    return float(np.sqrt(edges[widest] * edges[widest + 1]))


def _score(rgb: RgbImage, size: int) -> float:
    """Return how little a size explains: its groups, how unlike their cells are, less its seams."""
    distances = _distances(vectors(rgb, size))
    _, count = _groups(distances)
    nearest = np.sort((distances + 1e3 * np.eye(len(distances))).min(1))
    alike = float(nearest[: max(2, 3 * len(nearest) // 4)].mean())
    return count + alike - _SEAMS * min(_seams(rgb, size), 8) - 0.1 * size


def _seams(rgb: RgbImage, size: int) -> float:
    grey = rgb.mean(-1)
    strength = 0.0
    for axis in (0, 1):
        change = np.abs(np.diff(grey, axis=axis)).mean(1 - axis)
        places = [round(len(change) * n / size) for n in range(1, size)]
        seams = [float(change[max(0, at - 2) : at + 2].max()) for at in places]
        strength += float(np.mean(seams)) / (float(change.mean()) + 1e-3)
    return strength
