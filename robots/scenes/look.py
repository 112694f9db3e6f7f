"""How a scene looks: what colours, light and cameras a text and a map's name stand for."""

from __future__ import annotations

import colorsys
from collections.abc import Mapping
from functools import cache
from random import Random

import numpy as np
from numpy.typing import NDArray
from pydantic.dataclasses import dataclass

from core.data_file import FILE, load_toml
from core.install_paths import resource_path

Colour = tuple[float, float, float]
Range = tuple[float, float]
APART = 0.2  # least `turned` between a robot's colour and its board's
CLEAR = 34  # degrees of hue between a robot and any block: no block's name is nearer


@dataclass(frozen=True, config=FILE)
class Band:
    """The ranges of one distribution of looks."""

    hue: Range
    saturation: Range
    value: Range
    ground: Range
    tint: Range
    light: Range
    elevation: Range
    azimuth: Range
    roll: Range


@dataclass(frozen=True, config=FILE)
class LookFile:
    seen_looks: tuple[str, ...]
    hues: Mapping[str, float]
    seen: Band
    unseen: Band


@cache
def look_file() -> LookFile:
    return load_toml(resource_path("resources", "grids", "looks.toml"), LookFile)


def turned(colours: NDArray[np.float64], one: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how far colours are from being one colour in other light: the sine of the angle between them."""
    lengths = np.linalg.norm(colours, axis=-1) * np.linalg.norm(one) + 1e-9
    return np.asarray(np.sqrt(np.clip(1 - (colours @ one / lengths) ** 2, 0, 1)))


class Look:
    """One picture's look. What is asked of it is drawn in turn, so ask in the same order."""

    def __init__(self, look: str, name: str) -> None:
        file = look_file()
        self.draw = Random(f"{look} {name}")
        self._band, self._hues = file.seen if look in file.seen_looks else file.unseen, file.hues
        self.ground, self.board = self.plain(0.25, 0.6), self.plain(0.55, 0.85)

    def off(self, ranged: Range) -> float:
        return self.draw.choice((-1, 1)) * self.draw.uniform(*ranged)

    def colour(self, name: str) -> Colour:
        """Return the colour of a block, by the name of its colour."""
        hue = (self._hues[name] + self.off(self._band.hue)) % 360
        return self._rgb(hue, self.draw.uniform(*self._band.saturation), self.draw.uniform(*self._band.value))

    def _rgb(self, hue: float, saturation: float, value: float) -> Colour:
        red, green, blue = colorsys.hsv_to_rgb(hue / 360, saturation, value)
        return round(red, 3), round(green, 3), round(blue, 3)

    def plain(self, low: float, high: float) -> Colour:
        return self._rgb(
            self.draw.uniform(0, 360), self.draw.uniform(*self._band.ground), self.draw.uniform(low, high)
        )

    def robot(self, colours: list[str]) -> Colour:
        """Return a colour for robots: any hue that is no block's, and not the board's in another light."""
        while True:
            hue, full = self.draw.uniform(0, 360), self.draw.uniform(0.3, 0.9)
            found = self._rgb(hue, full, self.draw.uniform(0.3, 0.95))
            apart = min(abs((hue - self._hues[name] + 180) % 360 - 180) for name in colours)
            if apart > CLEAR and float(turned(np.array(found), np.array(self.board))) > APART:
                return found

    def texture(self) -> NDArray[np.uint8]:
        """Return a table's texture: the ground's colour with veins or grain."""
        rng = np.random.default_rng(self.draw.randrange(1 << 30))
        veins = rng.normal(0, 1, (64, 64 if self.draw.random() < 0.5 else 1))
        grain = 1 + self.draw.uniform(0.01, 0.09) * np.broadcast_to(veins, (64, 64))[..., None]
        return np.clip(np.array(self.ground) * 255 * grain, 0, 255).astype(np.uint8)

    def lights(self) -> str:
        """Return a lamp and the light from all around, as MJCF."""
        tint = np.array([1 + self.off(self._band.tint) for _ in range(3)])
        tint /= tint.max()
        whole = self.draw.uniform(*self._band.light)
        lamp = self.draw.uniform(0.45, 0.65)
        across = self.draw.uniform(-0.5, 0.5), self.draw.uniform(-0.5, 0.5)
        shine, around = (" ".join(f"{v:.3f}" for v in tint * whole * part) for part in (lamp, 1 - lamp))
        return (
            f'<visual><headlight ambient="{around}" diffuse="0 0 0" specular="0 0 0"/></visual><worldbody>'
            f'<light directional="true" pos="0 0 1" dir="{across[0]:.3f} {across[1]:.3f} -1" '
            f'diffuse="{shine}" specular="0 0 0"/></worldbody>'
        )

    def eye(self) -> tuple[float, float, float]:
        """Return a camera's elevation, its azimuth off its side, and its roll, in degrees."""
        band = self._band
        return self.draw.uniform(*band.elevation), self.off(band.azimuth), self.off(band.roll)
