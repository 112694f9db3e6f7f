"""Labels of pictures that a simulator draws: it knows all, also what nobody asks in an episode."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from random import Random

from core.belief import Atom
from core.pictures import encode_png, picture_id
from core.robots import DrawnStates
from core.stop_token import StopToken
from core.vqa.eye.eye import NO, UNSEEN, YES
from core.vqa.eye.teaching.labels import DRAWN, LabelSource, PictureLabel


def drawn_labels(
    draw: Callable[[int], DrawnStates], seeds: Iterable[int], asked: Sequence[Atom], cancel: StopToken
) -> tuple[tuple[PictureLabel, ...], dict[str, bytes]]:
    """Return labels of drawn pictures, and the pictures by their ids; a seed counts as an episode.

    Of each picture, by chance, one fact of each predicate that holds and one that does not: so each answer is
    known of all kinds of moments, and what cannot be seen is as rare as in episodes. Raises Cancelled, and
    what `draw` raises.
    """
    labels: list[PictureLabel] = []
    pngs: dict[str, bytes] = {}
    for seed in seeds:
        for rgb, said in draw(seed):
            cancel.check()
            png = encode_png(rgb)
            id, kept = picture_id(png), set[tuple[str, bool]]()
            pngs[id] = png
            for atom, (holds, seen) in Random(id).sample(list(zip(asked, said, strict=True)), len(asked)):
                answer = UNSEEN if not seen else YES if holds else NO
                if seen is not None and (atom.predicate, holds) not in kept:
                    kept.add((atom.predicate, holds))
                    labels.append(PictureLabel(f"{DRAWN}{seed}", id, atom, answer, LabelSource.TRUTH, ""))
    return tuple(labels), pngs
