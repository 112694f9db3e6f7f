"""Split labels into those that an eye learns from, and those kept back to choose by and measure with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.errors import BadValue
from core.log.related import related
from core.vqa.eye.teaching.labels import PictureLabel

LEAST_GROUPS = 3
KEPT_BACK = 0.2  # share of the labels, for each of the two other parts


@dataclass(frozen=True)
class Split:
    """No episode and no picture is in two parts."""

    training: tuple[PictureLabel, ...]
    validation: tuple[PictureLabel, ...]  # decide when to stop, and how sure the eye may be
    held_out: tuple[PictureLabel, ...]  # measured before and after; nothing else sees them


def split(labels: Sequence[PictureLabel]) -> Split:
    """Split by episodes; those that share a picture, as forks do, stay together. Always the same way.

    Raises BadValue for too few.
    """
    if not labels:
        raise BadValue("There is no label to learn from: judge pictures in the review first (blind review).")
    groups = related(labels)
    if len(groups) < LEAST_GROUPS:
        raise BadValue(
            f"Labels from {LEAST_GROUPS} unrelated episodes are needed (to learn, to choose and to measure "
            f"with), and these are from {len(groups)}: judge pictures of more episodes."
        )
    held = _take(groups, len(labels))
    validation = _take(groups, len(labels))
    return Split(tuple(label for group in groups for label in group), validation, held)


def _take(groups: list[list[PictureLabel]], whole: int) -> tuple[PictureLabel, ...]:
    """Remove groups from the end until they are the share to keep back; the last one is never taken."""
    taken = groups.pop()
    while len(taken) < KEPT_BACK * whole and len(groups) > 2:
        taken = [*taken, *groups.pop()]
    return tuple(taken)
