"""The report of a trained eye: figures per predicate on the testing seeds, robustness, the worst pictures.

python -m training.report household PICTURES WORK [--photographs FOLDER] makes it again.
"""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from time import perf_counter

import cv2
import numpy as np
from numpy.typing import NDArray

from core.errors import BadValue
from core.pictures import decode_picture
from core.vqa.eye.eye import NO, UNSEEN, YES, Eye
from core.vqa.eye.eye_file import PredicateFigures, write_eye
from core.vqa.eye.teaching.measure import figures_of
from training.data import LabelledQuestions, load_part
from training.measure import (
    CHANGES,
    Change,
    EyeAnswers,
    answers,
    calibration_error,
    confusion,
    foreign_shares,
)
from training.patches import PATCHES, Patch
from training.pictures import MOVED

_WORST = 24  # pictures on the sheet
_WORDS = {NO: "no", YES: "yes", UNSEEN: "cannot be seen"}


def write_report(folder: Path, domain: str, pictures: Path, work: Path, others: Path | None = None) -> None:
    """Write WORK/report.md and worst.png, and the figures into the card. `others`: real photographs."""
    eye = Eye(folder)
    asked = load_part(pictures, domain, "testing", eye.card.side)
    plain = answers(eye, asked, CHANGES["as they are"])
    by = {
        p: figures_of(confusion(plain.rows[asked.about(p)[: len(plain.rows)]])) for p in eye.card.predicates
    }
    write_eye(folder, replace(eye.card, figures=by), eye.head)
    lines = [f"# {eye.name}", "", eye.card.about, f"Trained on {eye.card.trained_on}.", ""]
    lines += _predicate_table(by, figures_of(confusion(plain.rows)))
    lines += ["", f"Expected calibration error: {100 * calibration_error(plain):.2f} %.", ""]
    lines += _confusions(eye, asked, plain)
    lines += _changes(eye, asked, load_part(pictures, domain, MOVED, eye.card.side))
    lines += ["| somewhere else | rejected |", "|---|---|"]
    photographs = {"photographs": _crops(others)} if others else {}
    lines += [f"| {k} | {100 * v:.1f} % |" for k, v in foreign_shares(eye, photographs).items()]
    lines += ["", f"Six questions about one picture: {_milliseconds(eye, asked):.1f} ms.", ""]
    (work / "report.md").write_text("\n".join(lines), encoding="utf-8")
    cv2.imwrite(str(work / "worst.png"), _worst(asked, plain)[..., ::-1])
    print("\n".join(lines))


def _predicate_table(by: Mapping[str, PredicateFigures], all_: PredicateFigures) -> list[str]:
    lines = ["| predicate | seen | right | opposite | not to be seen | right |", "|---|---|---|---|---|---|"]
    for name, f in {**by, "all": all_}.items():
        seen = f"{f.seen:,} | {100 * f.right:.1f} % | {100 * f.opposite:.2f} %"
        lines.append(f"| {name} | {seen} | {f.unseen:,} | {100 * f.unseen_right:.1f} % |")
    return lines


def _confusions(eye: Eye, asked: LabelledQuestions, found: EyeAnswers) -> list[str]:
    lines = ["| predicate | is | no | yes | cannot be seen |", "|---|---|---|---|---|"]
    for predicate in eye.card.predicates:
        counts = confusion(found.rows[asked.about(predicate)])
        lines += [
            f"| {predicate} | {_WORDS[label]} | " + " | ".join(map(str, counts[label])) + " |"
            for label in _WORDS
            if counts[label].any()
        ]
    return [*lines, ""]


def _changes(eye: Eye, asked: LabelledQuestions, moved: LabelledQuestions) -> list[str]:
    lines = ["| pictures | right of what is seen | opposite | unknown | taken for foreign |"]
    lines += ["|---|---|---|---|---|"]
    every = {name: answers(eye, asked, change, 3) for name, change in CHANGES.items()}
    drawn_anew = answers(eye, moved, CHANGES["as they are"])
    every["drawn anew: camera moved by 20 mm, turned by 3 degrees"] = drawn_anew
    every |= {name: answers(eye, asked, _among(asked, patch), 3) for name, patch in PATCHES.items()}
    for name, found in every.items():
        f = figures_of(confusion(found.rows))
        unknown, rejected = 100 * (1 - f.right - f.opposite), 100 * found.rejected
        told = f"{100 * f.right:.1f} % | {100 * f.opposite:.2f} % | {unknown:.1f} % | {rejected:.1f} %"
        lines.append(f"| {name} | {told} |")
    return [*lines, ""]


def _among(asked: LabelledQuestions, patch: Patch) -> Change:
    """Return the patch with another one of these pictures, by chance."""
    return lambda rgb, rng: patch(rgb, asked.pictures[int(rng.integers(len(asked.pictures)))], rng)


def _milliseconds(eye: Eye, asked: LabelledQuestions) -> float:
    """Return how long six questions about one picture take, in the median of 30."""
    times = []
    for rgb in asked.pictures[:30]:
        begun = perf_counter()
        eye.ask(eye.look(rgb), eye.card.questions[:6])
        times.append(1000 * (perf_counter() - begun))
    return float(np.median(times))


def _crops(folder: Path) -> list[NDArray[np.uint8]]:
    """Return 256 x 256 pieces of the photographs in a folder."""
    rng, crops = np.random.default_rng(2), []
    for path in sorted(folder.iterdir()):
        try:
            rgb = decode_picture(path.read_bytes())
        except (BadValue, OSError):
            continue
        for _ in range(20):
            edge = int(rng.integers(200, min(rgb.shape[:2])))
            y, x = (int(rng.integers(0, n - edge + 1)) for n in rgb.shape[:2])
            crop = cv2.resize(rgb[y : y + edge, x : x + edge], (256, 256), interpolation=cv2.INTER_AREA)
            crops.append(np.asarray(crop, np.uint8))
    return crops


def _worst(asked: LabelledQuestions, found: EyeAnswers) -> NDArray[np.uint8]:
    """Return a sheet of the pictures whose answers were wrong and most sure."""
    wrong = np.flatnonzero(found.rows[:, 2] != found.rows[:, 3])
    tiles = []
    for n in wrong[np.argsort(-found.sure[wrong])][:_WORST]:
        picture, question, label, said = found.rows[n]
        tile = np.full((300, 288, 3), 255, np.uint8)
        tile[:256, :256] = cv2.resize(asked.pictures[picture], (256, 256), interpolation=cv2.INTER_CUBIC)
        text = (
            f"{asked.questions[question]}: {_WORDS[int(said)]}",
            f"is: {_WORDS[int(label)]} ({100 * found.sure[n]:.0f} %)",
        )
        for line, words in enumerate(text):
            cv2.putText(
                tile, words, (2, 272 + 18 * line), cv2.FONT_HERSHEY_SIMPLEX, 0.36, (0, 0, 0), 1, cv2.LINE_AA
            )
        tiles.append(tile)
    tiles += [np.full((300, 288, 3), 255, np.uint8)] * (-len(tiles) % 6 or (6 if not tiles else 0))
    return np.concatenate([np.concatenate(tiles[i : i + 6], 1) for i in range(0, len(tiles), 6)], 0)


if __name__ == "__main__":
    parser = ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("domain", choices=("household", "tabletop"))
    parser.add_argument("pictures", type=Path)
    parser.add_argument("work", type=Path)
    parser.add_argument("--photographs", type=Path, help="a folder of pictures from elsewhere")
    given = parser.parse_args()
    write_report(given.work / "eye", given.domain, given.pictures, given.work, given.photographs)
