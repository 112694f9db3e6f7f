"""Measure how often an eye is right about labelled pictures, per predicate."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from core.pictures import decode_picture
from core.stop_token import StopToken
from core.vqa.eye.eye import UNSEEN, Eye
from core.vqa.eye.eye_file import PredicateFigures
from core.vqa.eye.teaching.labels import PictureLabel

PictureOf = Callable[[str], bytes]  # a picture's PNG by its id; raises LogError
Report = Callable[[int, int], None]
ALL = "all"


def ask_labelled(
    eye: Eye, labels: Iterable[PictureLabel], picture_of: PictureOf, cancel: StopToken, report: Report
) -> list[tuple[PictureLabel, int]]:
    """Return what the eye answers where there are labels; whatever it does not know is UNSEEN.

    Raises LogError, BadFile, BadValue for a picture that cannot be read, Cancelled.
    """
    by_picture: dict[str, list[PictureLabel]] = {}
    for label in labels:
        by_picture.setdefault(label.picture, []).append(label)
    said = []
    for done, (picture, asked) in enumerate(by_picture.items()):
        cancel.check()
        report(done, len(by_picture))
        sight = eye.look(decode_picture(picture_of(picture)))
        known = [label.question for label in asked if eye.knows(label.question) and not sight.foreign]
        answers: dict[str, int] = {}
        if known:
            chosen = eye.choose(eye.ask(sight, known).probabilities, known)
            answers = dict(zip(known, map(int, chosen), strict=True))
        said += [(label, answers.get(label.question, UNSEEN)) for label in asked]
    return said


def figures(answered: Sequence[tuple[PictureLabel, int]]) -> dict[str, PredicateFigures]:
    """Return the figures of each predicate, sorted, and of all of them."""
    counts: dict[str, NDArray[np.int_]] = {}
    for label, answer in answered:
        for name in (label.atom.predicate, ALL):
            counts.setdefault(name, np.zeros((3, 3), int))[label.answer, answer] += 1
    whole = counts.pop(ALL, np.zeros((3, 3), int))
    return {name: figures_of(n) for name, n in (*sorted(counts.items()), (ALL, whole))}


def figures_of(counts: NDArray[np.int_]) -> PredicateFigures:
    """Return the figures of counts, label by answer, 3 x 3."""
    seen, unseen = int(counts[:2].sum()), int(counts[2].sum())
    return PredicateFigures(
        seen,
        round(float(counts[0, 0] + counts[1, 1]) / max(1, seen), 4),
        round(float(counts[0, 1] + counts[1, 0]) / max(1, seen), 4),
        unseen,
        round(float(counts[2, 2]) / max(1, unseen), 4),
    )


def one_sided(labels: Iterable[PictureLabel]) -> Mapping[str, int]:
    """Return the predicates of whose labels all say the same, with what they say."""
    said: dict[str, set[int]] = {}
    for label in labels:
        said.setdefault(label.atom.predicate, set()).add(label.answer)
    return {predicate: next(iter(answers)) for predicate, answers in said.items() if len(answers) == 1}
