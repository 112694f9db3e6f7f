"""Teach an eye a table of one's own (docs/eye.md): other colours, another camera, some 200 judged pictures.

PYTHONPATH=. python scripts/own_table.py EYE [--judged 200]

The things of the tabletop are painted anew, and its camera is moved. Of each judged picture a few questions
are labelled, as a person would; then everything is asked about pictures of tables never seen, before and
after.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.belief import Atom
from core.cancel import Cancel
from core.pictures import decode_png, encode_png, picture_id
from core.planning import domain_library
from core.vqa.eye.coverage import vision_atoms
from core.vqa.eye.eye import NO, UNSEEN, YES, Eye
from core.vqa.eye.teaching.labels import LabelSource, PictureLabel, count_labels
from core.vqa.eye.teaching.measure import ask_labelled, figures
from core.vqa.eye.teaching.teach import teach
from robots.ur5e.tabletop.stills import TabletopStills
from training.foreign import TESTING

EACH = 10  # stills of a table, which counts as an episode
TASK, FIRST, TESTED = "collect_toys", 7000, 14  # the tables to judge, and how many others to measure with
ASKED = {YES: 2, NO: 2, UNSEEN: 1}  # questions of each answer that are judged in a picture


def own_stills(seed: int, asked: Sequence[Atom]) -> list[tuple[bytes, list[int | None]]]:
    """Return pictures of one table with its answers, in new colours and from a moved camera."""
    _, task = domain_library.load_task(TASK)
    stills = TabletopStills(task, seed)
    model, rng = stills._renderer.model, np.random.default_rng(1)  # the same colours for each table
    for name in stills._renderer._things:
        body = model.body(name)
        geoms = np.flatnonzero(model.geom_bodyid == body.id)
        model.geom_rgba[geoms, :3] = rng.permutation([0.1, 0.45, 0.85]) + rng.uniform(-0.1, 0.1, 3)
    model.cam_pos += 0.06, -0.05, 0.04
    try:
        return [
            (encode_png(still.rgb), [_answer(holds, seen) for holds, seen in still.labels])
            for still in stills.stills(EACH, asked)
        ]
    finally:
        stills.close()


def _answer(holds: bool, seen: bool | None) -> int | None:
    if seen is None:
        return None  # a person would not judge it
    return UNSEEN if not seen else YES if holds else NO


def as_labels(
    seed: int, id: str, asked: Sequence[Atom], answers: Sequence[int | None], few: bool
) -> list[PictureLabel]:
    """Return the labels of a picture, of a `few` questions or of all."""
    rng, left = np.random.default_rng((seed, int(id[:8], 16))), Counter(ASKED)
    chosen = []
    for n in rng.permutation(len(asked)):
        answer = answers[n]
        if answer is not None and (not few or left[answer] > 0):
            left[answer] -= 1
            chosen.append(PictureLabel(str(seed), id, asked[n], answer, LabelSource.BLIND, "you"))
    return chosen


def measure(eye: Eye, labels: Sequence[PictureLabel], pngs: Mapping[str, bytes]) -> None:
    said = ask_labelled(eye, labels, pngs.__getitem__, Cancel(), lambda done, of: None)
    for name, f in figures(said).items():
        print(f"  {name:8} {f.seen:6} {f.right:7.1%} {f.opposite:9.1%} {f.unseen:6} {f.unseen_right:7.1%}")


def foreign(eye: Eye, pictures: Sequence[NDArray[np.uint8]]) -> str:
    """Return the share of own pictures, and of those from elsewhere, that the eye takes for foreign."""
    rng = np.random.default_rng(0)
    own = np.mean([eye.look(rgb).foreign for rgb in pictures])
    others = (
        f"{name} {np.mean([eye.look(make(rng, 256, np.stack(pictures[:1]))).foreign for _ in range(50)]):.0%}"
        for name, make in TESTING.items()
    )
    return f"own {own:.1%}; {', '.join(others)}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("eye", type=Path)
    parser.add_argument("--judged", type=int, default=200)
    given = parser.parse_args()
    folder, task = domain_library.load_task(TASK)
    asked = vision_atoms(folder, task.problem)
    tables = given.judged // EACH
    pngs: dict[str, bytes] = {}
    judged: list[PictureLabel] = []
    tested: list[PictureLabel] = []
    for seed in range(FIRST, FIRST + tables + TESTED):
        for png, answers in own_stills(seed, asked):
            id = picture_id(png)
            pngs[id] = png
            few = seed < FIRST + tables
            (judged if few else tested).extend(as_labels(seed, id, asked, answers, few))
        print(f"table {seed - FIRST + 1} of {tables + TESTED}", flush=True)
    shown = [decode_png(pngs[id]) for id in dict.fromkeys(label.picture for label in tested)]
    eye = Eye(given.eye)
    print(f"{eye.name}, before: foreign {foreign(eye, shown)}")
    measure(eye, tested, pngs)
    taught = teach(eye, judged, pngs.__getitem__, Cancel(), lambda done, of: None)
    print(f"{len(judged)} labels of {given.judged} pictures: {count_labels(judged)}")
    print(f"{taught.eye.name}, after: foreign {foreign(taught.eye, shown)}")
    measure(taught.eye, tested, pngs)


if __name__ == "__main__":
    main()
