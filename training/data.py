"""The pictures with labels of one part, in memory at the size that the network takes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from core.belief import Atom
from core.vqa.eye.augment import decode
from core.vqa.eye.eye import UNSEEN, prepare
from core.vqa.eye.questions import question_key
from training.pictures import HARDLY, Shard, shards


@dataclass(frozen=True)
class QuestionVocabulary:
    predicates: tuple[str, ...]
    objects: tuple[str, ...]  # the first is "", for no object
    questions: tuple[str, ...]

    def ids(self, question: str) -> tuple[int, int, int]:
        predicate, *objects = question.split(", ")
        first, second = (*objects, "", "")[:2]
        return self.predicates.index(predicate), self.objects.index(first), self.objects.index(second)


@dataclass(frozen=True)
class LabelledQuestions:
    """Pictures (N x side x side x 3) and questions about them: rows of picture, question, label (0 no, 1 yes,
    2 cannot be seen).
    """

    pictures: NDArray[np.uint8]
    rows: NDArray[np.int32]
    questions: tuple[str, ...]
    sources: tuple[str, ...]  # for each picture, the file it is from and its number there

    def about(self, predicate: str) -> NDArray[np.bool_]:
        """Return which rows ask about this predicate."""
        mine = np.array([q.split(", ")[0] == predicate for q in self.questions])
        return np.asarray(mine[self.rows[:, 1]])


def load_part(folder: Path, domain: str, part: str, side: int) -> LabelledQuestions:
    """Read whatever files of a part are there."""
    there = [s for s in shards(domain) if s.part == part and (folder / s.name).exists()]
    return load(folder, there, side)


def load_others(folder: Path, domain: str, side: int) -> NDArray[np.uint8] | None:
    """Return some training pictures of the other domain (N x side x side x 3); None if none are there."""
    (other,) = {"household", "tabletop"} - {domain}
    there = [s for s in shards(other) if s.part == "training" and (folder / s.name).exists()]
    return load(folder, there[:: max(1, len(there) // 20)], side).pictures if there else None


def load(folder: Path, there: Iterable[Shard], side: int) -> LabelledQuestions:
    pictures: list[NDArray[np.uint8]] = []
    rows: list[NDArray[np.int32]] = []
    questions: dict[str, int] = {}
    sources: list[str] = []
    for shard in there:
        with np.load(folder / shard.name) as file:
            pngs, labels = np.split(file["pngs"], file["ends"][:-1]), file["labels"]
            atoms = [Atom(words[0], tuple(words[1:])) for words in map(str.split, file["atoms"])]
        asked = [questions.setdefault(question_key(atom), len(questions)) for atom in atoms]
        for number, (png, row) in enumerate(zip(pngs, labels, strict=True)):
            rgb = cv2.cvtColor(decode(png), cv2.COLOR_BGR2RGB)
            columns = (np.full(len(asked), len(pictures)), asked, np.minimum(row, UNSEEN))
            rows.append(np.stack(columns, 1)[row != HARDLY].astype(np.int32))
            pictures.append(prepare(np.asarray(rgb, np.uint8), side))
            sources.append(f"{shard.name} {number}")
    if not pictures:
        raise SystemExit(f"There are no pictures in {folder}: make them with python -m training.pictures.")
    return LabelledQuestions(np.stack(pictures), np.concatenate(rows), tuple(questions), tuple(sources))


def vocabulary(questions: Sequence[str]) -> QuestionVocabulary:
    split = [question.split(", ") for question in questions]
    objects = sorted({word for _, *words in split for word in words})
    return QuestionVocabulary(tuple(sorted({s[0] for s in split})), ("", *objects), tuple(sorted(questions)))
