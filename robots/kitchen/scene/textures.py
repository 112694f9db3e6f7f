"""Procedural textures: uint8 arrays, H x W x 3 or x 4, that tile and depend only on their arguments."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]
Field = NDArray[np.float64]
Colour = tuple[float, float, float]

SIZE = 256


def _noise(rng: np.random.Generator, rows: int, cols: int, size: int = SIZE) -> Field:
    """Return smooth value noise in 0..1 that tiles, with `rows` x `cols` lattice cells."""
    lattice = rng.random((rows, cols))

    def along(cells: int) -> tuple[NDArray[np.intp], Field]:
        place = np.arange(size) * cells / size
        cell = place.astype(np.intp)
        part = place - cell
        return cell, part * part * (3 - 2 * part)

    (y, fy), (x, fx) = along(rows), along(cols)
    below, right = (y + 1) % rows, (x + 1) % cols
    across = lattice[:, x] * (1 - fx) + lattice[:, right] * fx
    return np.asarray(across[y] * (1 - fy)[:, None] + across[below] * fy[:, None])


def _fractal_noise(
    rng: np.random.Generator, rows: int, cols: int, octaves: int = 4, size: int = SIZE
) -> Field:
    """Return a sum of octaves of noise, stretched to 0..1."""
    total = sum(_noise(rng, rows << k, cols << k, size) * 0.5**k for k in range(octaves))
    return np.asarray((total - np.min(total)) / (np.ptp(total) + 1e-9))


def _to_image(colour: Field) -> Image:
    return np.clip(colour * 255, 0, 255).astype(np.uint8)


def _shaded(colour: Colour, shade: Field) -> Image:
    return _to_image(np.asarray(colour) * shade[:, :, None])


def wood(rng: np.random.Generator, colour: Colour, contrast: float = 0.2) -> Image:
    """Grain along x."""
    bend = _fractal_noise(rng, 3, 1)
    fibre = _noise(rng, SIZE // 4, 6)
    rings = 0.5 + 0.5 * np.sin(2 * np.pi * (7 * np.arange(SIZE)[:, None] / SIZE + 1.6 * bend))
    return _shaded(colour, 1 - contrast * (0.55 * rings + 0.45 * fibre))


def boards(rng: np.random.Generator, colour: Colour, contrast: float = 0.2) -> Image:
    """Eight floor boards along x with staggered ends."""
    shade = wood(rng, (1, 1, 1), contrast)[:, :, 0] / 255
    height = SIZE // 8
    for row in range(8):
        rows = slice(row * height, (row + 1) * height)
        cut = int(rng.integers(SIZE))
        for half in (0, 1):
            columns = (np.arange(SIZE // 2) + cut + half * SIZE // 2) % SIZE
            shade[rows, columns] *= 0.86 + 0.16 * rng.random()
            shade[rows, columns[0]] *= 0.6
        shade[row * height] *= 0.6
    return _shaded(colour, shade)


def tiles(rng: np.random.Generator, colour: Colour, contrast: float = 0.06, count: int = 2) -> Image:
    """`count` x `count` tiles with darker joints."""
    shade = 1 - 0.05 * _fractal_noise(rng, 4, 4)
    side = SIZE // count
    for row in range(count):
        for column in range(count):
            shade[row * side : (row + 1) * side, column * side : (column + 1) * side] *= (
                1 - contrast * rng.random()
            )
    joint = max(2, side // 32)
    edge = np.arange(SIZE) % side < joint
    shade[edge, :] *= 0.78
    shade[:, edge] *= 0.78
    return _shaded(colour, shade)


def speckle(rng: np.random.Generator, colour: Colour, contrast: float = 0.1) -> Image:
    """An even fine grain: plaster, cloth."""
    return _shaded(colour, 1 - contrast * _fractal_noise(rng, 64, 64, 2))


def stone(rng: np.random.Generator, colour: Colour, contrast: float = 0.16) -> Image:
    """Soft darker veins."""
    veins = np.exp(-30 * np.abs(_fractal_noise(rng, 4, 4, 5) - 0.5))
    return _shaded(colour, 1 - contrast * veins - 0.05 * _fractal_noise(rng, 32, 32, 2))


def bark(rng: np.random.Generator, colour: Colour, contrast: float = 0.6) -> Image:
    """Rough, cracked along x."""
    return _shaded(colour, 1 + contrast * (_fractal_noise(rng, 24, 4, 3) - 0.75))


def rings(rng: np.random.Generator, colour: Colour, contrast: float = 0.3) -> Image:
    """The sawn end of a stick: year rings round the middle."""
    y, x = np.mgrid[0:SIZE, 0:SIZE] / SIZE - 0.5
    wave = np.sin(2 * np.pi * (9 * np.hypot(x, y) + 0.4 * _fractal_noise(rng, 3, 3)))
    return _shaded(colour, 1 - contrast * (0.5 + 0.5 * wave))


def grass(rng: np.random.Generator, colour: Colour, contrast: float = 0.4) -> Image:
    """Fine flecks over a mottled green."""
    shade = 0.84 + 0.2 * _fractal_noise(rng, 5, 5)
    shade *= 1 - contrast / 2 + contrast * _noise(rng, SIZE // 4, SIZE // 2)
    dry = 0.25 * _fractal_noise(rng, 6, 6, 2)[:, :, None]
    return _to_image(
        (np.asarray(colour) * (1 - dry) + np.array((0.62, 0.60, 0.34)) * dry) * shade[:, :, None]
    )


def water(rng: np.random.Generator, colour: Colour, contrast: float = 0.75) -> Image:
    """Bright ripple lines."""
    line = contrast * np.exp(-22 * np.abs(_fractal_noise(rng, 5, 5, 3) - 0.5))[:, :, None]
    return _to_image(np.asarray(colour) * (1 - line) + np.array((0.80, 0.93, 1.0)) * line)


def bubbles(rng: np.random.Generator, colour: Colour, contrast: float = 0.7) -> Image:
    """Boiling water: pale rings of many sizes."""
    picture = np.ones((SIZE, SIZE, 3)) * np.asarray(colour)
    for _ in range(46):
        cx, cy, r = rng.random(), rng.random(), rng.uniform(0.02, 0.07)
        reach = int(1.6 * r * SIZE) + 1  # beyond it the ring is invisible
        about = np.arange(-reach, reach + 1)
        columns, rows = int(cx * SIZE) + about, int(cy * SIZE) + about
        far = np.hypot(columns / SIZE - cx, (rows / SIZE - cy)[:, None]) / r
        ring = contrast * (np.exp(-18 * (far - 0.85) ** 2) + 0.35 * (far < 0.85))[:, :, None].clip(0, 1)
        here = np.ix_(rows % SIZE, columns % SIZE)
        picture[here] = picture[here] * (1 - ring) + np.array((0.92, 0.97, 1.0)) * ring
    return _to_image(picture)


def lattice(rng: np.random.Generator, colour: Colour, contrast: float = 0.25, frost: float = 0.0) -> Image:
    """The top of a pie, seen from above; `frost` 0..1 covers it with ice."""
    y, x = np.mgrid[0:SIZE, 0:SIZE] / SIZE - 0.5
    strips = [np.abs((v / 0.19) % 1 - 0.5) < 0.3 for v in ((x + y) / np.sqrt(2), (x - y) / np.sqrt(2))]
    dough = (strips[0] | strips[1] | (np.hypot(x, y) > 0.44))[:, :, None]
    filling = np.array((0.50, 0.09, 0.07))
    shade = (1 - contrast * _fractal_noise(rng, 6, 6))[:, :, None]
    picture = np.where(dough, np.asarray(colour), filling) * shade
    ice = frost * (0.55 + 0.45 * (_noise(rng, 60, 60) > 0.72))[:, :, None]
    return _to_image(picture * (1 - ice) + np.array((0.88, 0.95, 1.0)) * ice)


def landscape(rng: np.random.Generator, colour: Colour, contrast: float = 0.2) -> Image:
    """A picture for the wall: four rows of hills under a sky of `colour`."""
    picture = np.ones((SIZE, SIZE, 3)) * np.asarray(colour)
    x = np.arange(SIZE) / SIZE
    hills = ((0.59, 0.67, 0.69), (0.44, 0.54, 0.47), (0.33, 0.41, 0.33), (0.75, 0.65, 0.48))
    for k, hill in enumerate(hills):
        line = 0.42 + 0.14 * k + 0.06 * np.sin(2 * np.pi * x * (1 + 0.4 * k) + rng.random() * 6)
        picture[np.arange(SIZE)[:, None] / SIZE > line[None, :]] = np.asarray(hill) * (
            1 - contrast * rng.random()
        )
    return _to_image(picture)


def puff(rng: np.random.Generator, colour: Colour, contrast: float = 0.75) -> Image:
    """A wisp with soft edges, RGBA; its alpha fades upwards."""
    y, x = np.mgrid[0:SIZE, 0:SIZE] / SIZE - 0.5
    sway = 0.10 * np.sin(7 * y + rng.random() * 6) * (0.5 - y)
    body = np.exp(-((x - sway) ** 2) / (0.010 + 0.030 * (0.5 - y))) * (
        0.35 + 0.65 * _fractal_noise(rng, 4, 3)
    )
    fade = np.clip((0.5 - y) * 6, 0, 1) * np.clip((y + 0.5) * 2.2, 0, 1)
    edge = np.clip((0.48 - np.abs(x)) * 10, 0, 1)
    alpha = contrast * body * fade * edge
    return _to_image(np.dstack([np.ones((SIZE, SIZE, 3)) * np.asarray(colour), alpha]))


_ALL = (
    wood, boards, tiles, speckle, stone, bark, rings, grass, water, bubbles, lattice, landscape, puff,
)  # fmt: skip
TEXTURES: Mapping[str, Callable[..., Image]] = MappingProxyType({f.__name__: f for f in _ALL})
