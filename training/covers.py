"""Teach an eye what covers a part of a picture, with things put before known pictures.

python -m training.covers household PICTURES EYE teaches it to the eye in a folder, and changes nothing else.
The shipped eyes learnt it so from 3,570 stills of kitchens and 2,880 of tables.
"""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from core.vqa.eye.augment import augment
from core.vqa.eye.covers import halves, join, seam
from core.vqa.eye.eye import Eye, foreign_score
from core.vqa.eye.eye_file import EyeCard, write_eye
from training.calibrate import fit_foreign
from training.data import load_part
from training.foreign import training_picture
from training.photographs import photographs

Picture = NDArray[np.uint8]
Floats = NDArray[np.float32]
_SEAMLESS, _ROOM, _WIDER = 0.999, 0.05, 1.5  # nearly all pictures' seams stay so far below the limits
_JOINED = 1.4  # the same of `join`
KEPT = 0.999  # share of the choosing pictures, as they are and changed, that show no cover
_CHOOSING = 3  # changed copies of each of these
_PICTURES = 3000
_COPIES, _PLAIN = 7, 2  # of each picture; those with nothing before them
_CHANGED = 0.6  # share of the copies
_CELLS = 40  # clear ones of each copy
_NETWORK = {"networks": 1, "units": 128, "batch": 1024, "steps": 6000}  # several small ones find less
_HARD = 50  # a 50th of the clear cells, which then come as often as half of them all
_WRITTEN = 0.4  # share of the plain surfaces that have letters
_COVERED, _CLEAR = 0.3, 0.02  # share of a cell that is covered in one, and at most near one that is not
_LIMBS = 0.35  # share of the covers
_SKIN, _STRONG = ((3, 40, 50), (16, 170, 256)), ((0, 90, 90), (180, 256, 256))  # hue, saturation, value


def with_covers(
    eye: Eye, known: Picture, choosing: Picture, photos: Sequence[Picture] = ()
) -> tuple[EyeCard, Mapping[str, Floats]]:
    """Return card and head that tell what covers a cell. Pictures are N x side x side x 3."""
    rng, clear, hidden = np.random.default_rng(0), list[Floats](), list[Floats]()
    some = known[:: max(1, len(known) // _PICTURES)]
    for rgb in some:
        for copy in range(_COPIES):
            changed, mask = augment(rgb, rng) if rng.random() < _CHANGED else rgb, np.zeros_like(rgb[..., 0])
            if copy >= _PLAIN:
                changed, mask = cover(changed, known, photos, rng)
            share = cv2.resize(mask.astype(np.float32), [eye.card.grid] * 2, interpolation=cv2.INTER_AREA)
            cells = eye.features(changed, local=True)[1]
            alone = np.flatnonzero(cv2.dilate(share, np.ones((3, 3), np.uint8)) < _CLEAR)
            clear.append(cells[rng.permutation(alone)[:_CELLS]])
            hidden.append(cells[share.ravel() > _COVERED])
    head = {**eye.head, **fit_covers(np.concatenate(clear), np.concatenate(hidden))}
    seams, meeting = fit_seams((*some, *choosing))
    joined = _JOINED * np.quantile([join(rgb) for rgb in choosing], _SEAMLESS)  # training has harder edges
    card = replace(eye.card, cover_units=len(head["cover"]), seam_limit=seams, halves_limit=meeting)
    card = replace(card, join_limit=min(1.0, round(float(joined), 3)))
    return replace(card, cover_limit=fit_limit(eye.with_head(card, head), choosing)), head


def fit_seams(pictures: Sequence[Picture]) -> tuple[float, float]:
    """Return limits of `seam` and of `halves` that nearly all of these stay below."""
    seams, meeting = np.quantile([(seam(rgb), halves(rgb)) for rgb in pictures], _SEAMLESS, 0)
    return min(1.0, round(float(seams + _ROOM), 3)), min(1.0, round(float(_WIDER * meeting), 3))


def fit_limit(eye: Eye, choosing: Picture) -> float:
    """Return a score that nearly all choosing pictures stay below, as they are and changed as in training;
    0 at least.
    """
    rng = np.random.default_rng(1)
    copies = (augment(rgb, rng) if copy else rgb for rgb in choosing for copy in range(1 + _CHOOSING))
    return max(0.0, float(np.quantile([eye.look(rgb).covers.max() for rgb in copies], KEPT)))


def fit_covers(clear: Floats, hidden: Floats) -> Mapping[str, Floats]:
    """Fit a network as for foreign pictures, then again with the clear cells that look most hidden."""
    found = fit_foreign(clear, hidden, **_NETWORK)
    hard = clear[np.argsort(-foreign_score(found, clear))[: len(clear) // _HARD]]
    found = fit_foreign(np.concatenate([clear, np.repeat(hard, _HARD // 2, 0)]), hidden, **_NETWORK)
    return {name.replace("foreign", "cover"): value for name, value in found.items()}


def cover(
    rgb: Picture, ours: Picture, photos: Sequence[Picture], rng: np.random.Generator
) -> tuple[Picture, Floats]:
    """Return the picture with something before a part of it, and where that is (1) and is not (0)."""
    limb = rng.random() < _LIMBS
    mask = _limb(rng, len(rgb)) if limb else _shape(rng, len(rgb))
    soft = cv2.GaussianBlur(mask, (0, 0), rng.uniform(0.3, 1.2))[..., None]
    surface = np.rot90(_surface(rng, ours, photos, limb), int(rng.integers(4)))
    if rng.random() < 0.5:  # round: shaded towards its edges
        depth = cv2.distanceTransform((mask > 0).astype(np.uint8), cv2.DIST_L2, 3)[..., None]
        surface = surface * (1 - rng.uniform(-0.2, 0.5) * np.exp(-depth / rng.uniform(2, 12)))
    return np.clip(rgb * (1 - soft) + surface * soft, 0, 255).astype(np.uint8), mask


def _limb(rng: np.random.Generator, side: int) -> Floats:
    """Draw a bent and tapered limb from beyond an edge, with up to six prongs."""
    mask, tip, turn = np.zeros((side, side), np.float32), rng.uniform(0.1, 0.9, 2) * side, rng.uniform(0, 7)
    thick = rng.uniform(0.025, 0.1) * side

    def stroke(turn: float, length: float, begin: float, end: float, bend: float) -> None:
        for t in np.linspace(0, 1, max(8, int(length / 3))):
            way = turn + bend * t
            at = tip + t * length * np.array([np.cos(way), np.sin(way)])
            cv2.circle(mask, at.astype(int).tolist(), max(1, int(begin + t * (end - begin))), 1, -1)

    stroke(turn, 1.5 * side, thick, thick * rng.uniform(0.8, 2.5), rng.normal(0, 0.4))
    spread = rng.uniform(0.5, 2.5)
    for finger in rng.uniform(-0.5, 0.5, int(rng.integers(7))):
        long, wide = rng.uniform(1.5, 5) * thick, rng.uniform(0.2, 0.5) * thick
        stroke(turn + np.pi + spread * finger, long, wide, wide * rng.uniform(0.4, 1.1), rng.normal(0, 0.3))
    return mask


def _shape(rng: np.random.Generator, side: int) -> Floats:
    """Draw a blob, an ellipse, a rectangle or a bar from the edge."""
    mask, kind = np.zeros((side, side), np.float32), int(rng.integers(4))
    size, middle = rng.uniform(0.08, 0.35) * side, rng.uniform(0, side, 2)
    if kind == 3:
        away = middle - side / 2
        end = middle + away / np.linalg.norm(away) * side
        thick = int(rng.uniform(0.06, 0.2) * side)
        cv2.line(mask, middle.astype(int).tolist(), end.astype(int).tolist(), 1, thick)
        return mask
    turns = np.arange(24)[:, None] * np.pi / 12
    ellipse = np.hstack([np.cos(turns), np.sin(turns)]) * rng.uniform(0.25, 0.65, 2)
    outline = (
        rng.normal(0, 0.6, (7, 2)),
        ellipse,
        np.clip(3 * ellipse, -0.5, 0.5) * rng.uniform(0.5, 1.2, 2),
    )
    points = middle + size * outline[kind]
    return np.asarray(cv2.fillConvexPoly(mask, cv2.convexHull(points.astype(np.int32)), 1), np.float32)


def _surface(
    rng: np.random.Generator, ours: Picture, photos: Sequence[Picture], limb: bool
) -> NDArray[np.floating]:
    """Return a foreign picture, or the shades of skin, of a strong colour, of black or white, or of any."""
    side, kind = ours.shape[1], rng.uniform(0.4 if limb else 0, 0.58 if limb and rng.random() < 0.6 else 1)
    if kind < 0.4:
        return training_picture(rng, side, ours, photos).astype(float)
    low, high = _SKIN if kind < 0.58 else _STRONG
    hsv = rng.integers(low, high).astype(np.uint8)[None, None]
    colour = cv2.cvtColor(hsv, cv2.COLOR_HSV2RGB)[0, 0].astype(float)
    if kind > 0.8:
        colour = np.full(3, rng.choice([0.0, 20.0, 250.0])) if kind < 0.86 else rng.uniform(0, 256, 3)
    end = colour * rng.uniform(0.4, 1.3) if rng.random() < 0.7 else rng.uniform(0, 256, 3)
    ramp = np.linspace(0, max(0.0, rng.uniform(-1, 1)), side)[:, None, None]
    plain = np.asarray(colour + (end - colour) * ramp + rng.normal(0, rng.uniform(0, 6), (side, side, 3)))
    return _write(plain, rng) if not limb and rng.random() < _WRITTEN else plain


def _write(surface: NDArray[np.floating], rng: np.random.Generator) -> NDArray[np.floating]:
    """Put lines of letters on it, as stickers have."""
    side, row, shade = len(surface), 0.0, rng.choice([0.0, 255.0, rng.uniform(0, 255)])
    font, size, thick = int(rng.integers(8)), rng.uniform(0.4, 1.4) * side / 256, int(rng.integers(1, 4))
    while (row := row + size * rng.uniform(25, 90)) < side:
        words = "".join(map(chr, rng.choice((32, *range(65, 91)), 40)))
        cv2.putText(surface, words, (int(rng.uniform(-30, 0)), int(row)), font, size, [shade] * 3, thick)
    return surface


if __name__ == "__main__":
    parser = ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("domain", choices=("household", "tabletop"))
    parser.add_argument("pictures", type=Path)
    parser.add_argument("eye", type=Path)
    given = parser.parse_args()
    eye = Eye(given.eye)
    known, choosing = (
        load_part(given.pictures, given.domain, part, eye.card.side).pictures
        for part in ("training", "choosing")
    )
    write_eye(given.eye, *with_covers(eye, known, choosing, photographs()))
