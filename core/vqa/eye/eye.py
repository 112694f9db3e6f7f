"""A loaded eye: from a picture and questions to probabilities, and where it looked."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from core.data_file import read_bytes
from core.errors import BadFile
from core.vqa.eye import covers
from core.vqa.eye.eye_file import MAX_BYTES, REMEDY, Arrays, EyeCard, read_card, read_head

Floats = NDArray[np.float32]
BLANK = 0.02  # of 2: a picture with less contrast shows nothing
NO, YES, UNSEEN = range(3)  # the columns of a prediction


@dataclass(frozen=True)
class ImageFeatures:
    """What the trunk made of one picture: cells x channels, and how foreign it looks."""

    features: Floats
    foreign: bool
    covers: Floats  # how much something foreign lies on each cell; none if the eye cannot tell
    seam: float  # `covers.seam`
    halves: float  # `covers.halves`
    join: float  # `covers.join`


@dataclass(frozen=True)
class Prediction:
    """For each question P(no), P(yes), P(cannot be seen), and how much each cell counted, row by row."""

    probabilities: Floats  # questions x 3
    attention: Floats  # questions x cells
    hidden: NDArray[np.bool_]  # for each question: cannot be seen, because something may cover it


class Eye:
    """One thread at a time. Raises BadFile if the files are not those of an eye."""

    def __init__(self, folder: Path) -> None:
        self.card: EyeCard = read_card(folder)
        self.head: Arrays = read_head(folder, self.card)
        self._path = folder / "trunk.onnx"
        trunk = read_bytes(self._path, MAX_BYTES, REMEDY)
        if self.card.trunk not in ("", hashlib.sha256(trunk).hexdigest()):
            raise BadFile(self._path, "it is not the trunk that its card names", remedy=REMEDY)
        try:
            self._net = cv2.dnn.readNetFromONNX(np.frombuffer(trunk, np.uint8))
        except cv2.error:
            raise BadFile(self._path, "OpenCV cannot read it as a network", remedy=REMEDY) from None
        for question in self.card.questions:
            try:
                question_ids(question, self.card)
            except ValueError:
                reason = f"it does not list what its question {question!r} is about"
                raise BadFile(folder / "eye.toml", reason, remedy=REMEDY) from None
        self._questions = frozenset(self.card.questions)
        self._outputs = list(self._net.getUnconnectedOutLayersNames()[:1])
        self._outputs += [name for name in self._net.getLayerNames() if name.endswith(covers.LAYER)]

    @property
    def name(self) -> str:
        """Return its name and version, as logged with each answer."""
        return f"{self.card.name} {self.card.version}"

    def knows(self, question: str) -> bool:
        """Return True if it was trained on this question (`question_key`)."""
        return question in self._questions

    def look(self, rgb: NDArray[np.uint8]) -> ImageFeatures:
        """Return what it makes of a picture, H x W x 3. Raises BadFile if the trunk is no eye's."""
        card, square = self.card, prepare(rgb, self.card.side)
        features, cells = self.features(square, local=card.cover_units > 0)
        found = covers.cover_scores(self.head, cells) if card.cover_units else cells
        seam, halves, join = covers.seam(square), covers.halves(square), covers.join(square)
        joined = seam > card.seam_limit or halves > card.halves_limit or join > card.join_limit
        foreign = joined or bool(square.std() < 128 * BLANK) or self.is_foreign(features)
        return ImageFeatures(features, foreign, found, seam, halves, join)

    def features(self, square: NDArray[np.uint8], local: bool) -> tuple[Floats, Floats]:
        """Return the features of a picture of its size, cells x channels, and if so wished those of each cell
        alone (`covers.cell_features`), else none. Raises BadFile.
        """
        card, none = self.card, np.empty(0, np.float32)
        pixels = np.asarray(square, np.float32) / np.float32(128) - np.float32(1)
        try:
            self._net.setInput(pixels.transpose(2, 0, 1)[None])
            out, *layers = self._net.forward(self._outputs if local else self._outputs[:1])
            features = np.asarray(out, np.float32).reshape(card.channels, card.grid**2).T
            return features, covers.cell_features(pixels, layers[0][0], features) if local else none
        except (cv2.error, ValueError, IndexError):
            raise BadFile(self._path, "it does not fit its card", remedy=REMEDY) from None

    def is_foreign(self, features: Floats) -> bool:
        """Return True if the features are of a picture from somewhere else."""
        pooled, h, card = pool(features), self.head, self.card
        if card.own_limit and distance(pooled, h["own_mean"], h["own_whiten"]) <= card.own_limit:
            return False
        far = distance(pooled, h["known_mean"], h["known_whiten"]) > card.distance_limit
        return far or float(foreign_score(h, pooled)) > card.foreign_limit

    def with_head(self, card: EyeCard, head: Arrays) -> Eye:
        """Return an eye with the same trunk and another head."""
        other = copy(self)
        other.card, other.head, other._questions = card, head, frozenset(card.questions)
        return other

    def ask(self, sight: ImageFeatures, questions: Sequence[str]) -> Prediction:
        """Return the answers to questions that it knows."""
        ids = np.array([question_ids(question, self.card) for question in questions])
        logits, attention = run_head(self.head, sight.features, ids)
        kind = ids[:, 0]
        shares = softmax(logits * self.head["scale"][kind] + self.head["shift"][kind])
        hidden = covers.hidden(sight.covers > self.card.cover_limit, attention, shares.argmax(1) == YES)
        shares[hidden] = 0, 0, 1
        return Prediction(shares, attention, hidden)

    def choose(self, probabilities: Floats, questions: Sequence[str]) -> NDArray[np.int_]:
        """Return each question's most probable column; UNSEEN in place of a yes or no that is not sure, or
        where it is probable enough that the picture does not show it.
        """
        card, most = self.card, probabilities.argmax(1)
        limits = [card.sure_limits.get(q.split(", ")[0], card.sure_limit) for q in questions]
        doubtful = probabilities.max(1) < limits
        return np.where(doubtful | (probabilities[:, UNSEEN] > card.unseen_limit), UNSEEN, most)


def prepare(rgb: NDArray[np.uint8], side: int) -> NDArray[np.uint8]:
    """Return the middle square of a picture at `side` x `side`."""
    height, width = rgb.shape[:2]
    edge = min(height, width)
    top, left = (height - edge) // 2, (width - edge) // 2
    square = rgb[top : top + edge, left : left + edge]
    how = cv2.INTER_AREA if edge > side else cv2.INTER_LINEAR
    return np.asarray(cv2.resize(square, (side, side), interpolation=how), np.uint8)


def question_ids(question: str, card: EyeCard) -> tuple[int, int, int]:
    """Return the rows of a question's predicate and two objects in the embeddings."""
    predicate, *objects = question.split(", ")
    first, second = (*objects, "", "")[:2]
    return card.predicates.index(predicate), card.objects.index(first), card.objects.index(second)


def pool(features: Floats) -> Floats:
    """Return mean and deviation of each channel over the picture."""
    return np.concatenate([features.mean(0), features.std(0)])


def foreign_score(h: Arrays, pooled: Floats) -> Floats:
    """Return how much a picture, or each of several, looks like one from somewhere else (logits)."""
    if "foreign_layer" in h:
        pooled = np.maximum(pooled @ h["foreign_layer"] + h["foreign_layer_bias"], 0)
    return np.asarray(pooled @ h["foreign"] + h["foreign_bias"][0], np.float32)


def distance(pooled: Floats, mean: Floats, whiten: Floats) -> float:
    """Return how far a picture lies from others, by their mean and whitening: about 1 for one of them."""
    return float(np.square((pooled - mean) @ whiten).mean())


def run_head(h: Arrays, features: Floats, ids: NDArray[np.int_]) -> tuple[Floats, Floats]:
    """Return logits (questions x 3) and attention (questions x cells). `training.net.head` is the same."""
    words = np.concatenate(
        [h["predicate"][ids[:, 0]], h["object"][ids[:, 1]], h["object"][ids[:, 2]]], axis=1
    )
    scale, shift = np.split(words @ h["film"] + h["film_bias"], 2, axis=1)
    common = features @ h["first"] + h["place"]
    z = np.maximum(common[None] * (1 + scale[:, None]) + shift[:, None], 0)
    flat = np.maximum(z.reshape(-1, z.shape[2]) @ h["second"] + h["second_bias"], 0)  # one product, not many
    z = flat.reshape(z.shape)
    attention = softmax((flat @ h["attention"]).reshape(z.shape[:2]))
    looked = (attention[:, None] @ z)[:, 0]
    mean = np.broadcast_to(features.mean(0), looked.shape)
    hidden = np.concatenate([looked, z.max(1), mean, words], axis=1) @ h["hidden"] + h["hidden_bias"]
    return np.maximum(hidden, 0) @ h["out"] + h["out_bias"], attention


def softmax(values: Floats) -> Floats:
    """Return the softmax over the last axis."""
    raised = np.exp(values - values.max(-1, keepdims=True))
    return np.asarray(raised / raised.sum(-1, keepdims=True), np.float32)
