"""Compute where an eye looked to answer a question about a picture."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.belief import Atom
from core.errors import BadValue
from core.vqa.eye.eye import Eye
from core.vqa.eye.questions import question_key
from core.vqa.eye.teaching.versions import versions


def find_eye(by: str) -> Eye:
    """Load the version that gave an answer, from the name that the answer has. Raises BadValue, BadFile."""
    for version in versions():
        if f"{version.card.name} {version.card.version}" == by:
            return Eye(version.folder)
    raise BadValue(
        f"{by or 'Whoever answered'} is no eye on this machine: only an eye shows where it looked."
    )


def heat_map(eye: Eye, rgb: NDArray[np.uint8], atom: Atom) -> NDArray[np.float32]:
    """Return how much each place of a picture (H x W x 3) counted for a question, H x W, 0 to 1 at most.

    An eye sees the middle square; beside it nothing counts. Raises BadFile, and BadValue for what it does not
    know.
    """
    question = question_key(atom)
    if not eye.knows(question):
        raise BadValue(f"{eye.name} was not trained on this question, so it looked nowhere.")
    cells = eye.ask(eye.look(rgb), [question]).attention.reshape(eye.card.grid, eye.card.grid)
    import cv2

    height, width = rgb.shape[:2]
    edge = min(height, width)
    square = cv2.resize(cells / cells.max(), (edge, edge), interpolation=cv2.INTER_LINEAR)
    heat = np.zeros((height, width), np.float32)
    top, left = (height - edge) // 2, (width - edge) // 2
    heat[top : top + edge, left : left + edge] = square
    return heat
