"""Teach an eye with labels: a new head, and how it answers the labels kept back, before and after."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from hashlib import sha256

import numpy as np

from core.errors import BadValue
from core.pictures import decode_picture
from core.stop_token import StopToken
from core.vqa.eye.augment import augment
from core.vqa.eye.eye import Eye, prepare, question_ids
from core.vqa.eye.eye_file import Arrays, EyeCard, PredicateFigures
from core.vqa.eye.teaching.gradient import LEARNT
from core.vqa.eye.teaching.head_training import Report, TrainingSet, train_head
from core.vqa.eye.teaching.labels import AnswerCounts, PictureLabel, count_labels, one_moment
from core.vqa.eye.teaching.measure import ALL, PictureOf, ask_labelled, figures, one_sided
from core.vqa.eye.teaching.split import Split, split
from core.vqa.eye.teaching.vocabulary import with_pictures, with_questions

MAX_PICTURES = 1500  # at 64 kB of features each
COPIES = 3  # of each picture that is learnt from, as another camera might have seen it
WORDS = ("no", "yes", "cannot be seen")  # NO, YES, UNSEEN


@dataclass(frozen=True)
class TaughtEye:
    """What came of it; nothing is in force until it is kept (`versions.keep`)."""

    eye: Eye
    learnt: Mapping[str, AnswerCounts]  # labels per predicate
    left_out: Mapping[str, int]  # predicates with one answer only, and that answer
    one_moment: Mapping[str, tuple[int, str]]  # `labels.one_moment` of what was learnt
    before: Mapping[str, PredicateFigures]  # on the labels kept back
    after: Mapping[str, PredicateFigures]


def teach(
    eye: Eye, labels: Sequence[PictureLabel], picture_of: PictureOf, cancel: StopToken, report: Report
) -> TaughtEye:
    """Return the eye taught with these labels (`labels.choose`). It takes seconds for some hundreds.

    Raises BadValue if there is too little to learn from or nothing was learnt, LogError and BadFile for a
    picture or a trunk that cannot be read, Cancelled.
    """
    parts, left_out = _usable(split(_some(labels)))
    card, head = with_questions(eye.card, eye.head, [label.question for label in parts.training])
    wider = eye.with_head(card, head)
    training = _training_set(wider, parts.training, picture_of, cancel)
    validation = _training_set(wider, parts.validation, picture_of, cancel)
    card, head = with_pictures(wider, training.features, validation.features)
    changed = _with_copies(wider, training, parts.training, picture_of, cancel)
    learnt = train_head(head, changed, validation, cancel, report)
    if learnt is head:
        raise BadValue("The eye learnt nothing: it answers the labels that it was to choose by no better.")
    before = ask_labelled(eye, parts.held_out, picture_of, cancel, _unheard)
    found = eye.with_head(card, learnt)
    after = figures(ask_labelled(found, parts.held_out, picture_of, cancel, _unheard))
    named = _card(eye.card, card, learnt, parts, after)
    counts, moments = count_labels(parts.training), one_moment(parts.training)
    return TaughtEye(eye.with_head(named, learnt), counts, left_out, moments, figures(before), after)


def moment_warnings(one_moment: Mapping[str, tuple[int, str]]) -> list[str]:
    """Return a sentence for each predicate whose figures may not hold in use."""
    return [
        f"Do not rely on the figures of {predicate}: each label {WORDS[answer]!r} is from directly after "
        f"{after or 'the start'}, so the eye may have learnt that moment. Judge pictures of others too."
        for predicate, (answer, after) in one_moment.items()
    ]


def _some(labels: Sequence[PictureLabel]) -> list[PictureLabel]:
    """Return those about at most MAX_PICTURES pictures, evenly; what people said comes first."""
    by_people = {label.picture: label.source.is_person for label in labels}
    by_people |= {label.picture: True for label in labels if label.source.is_person}
    order = sorted(by_people, key=lambda id: (not by_people[id], sha256(id.encode()).digest()))
    kept = set(order[:MAX_PICTURES])
    return [label for label in labels if label.picture in kept]


def _usable(parts: Split) -> tuple[Split, Mapping[str, int]]:
    """Leave out predicates of which only one answer can be learnt. Raises BadValue if nothing is left."""
    left_out = one_sided(parts.training)

    def left(part: Sequence[PictureLabel]) -> tuple[PictureLabel, ...]:
        known = {label.atom.predicate for label in parts.training} - left_out.keys()
        return tuple(label for label in part if label.atom.predicate in known)

    found = Split(left(parts.training), left(parts.validation), left(parts.held_out))
    if not (found.training and found.validation and found.held_out):
        one = ", ".join(f"{predicate} ({WORDS[answer]})" for predicate, answer in sorted(left_out.items()))
        raise BadValue(
            f"These labels have one answer only: {one}: judge pictures of another answer too."
            if one
            else "Too few episodes have labels of the same predicates: judge pictures of more episodes."
        )
    return found, left_out


def _training_set(
    eye: Eye, labels: Sequence[PictureLabel], picture_of: PictureOf, cancel: StopToken
) -> TrainingSet:
    known = sorted((x for x in labels if eye.knows(x.question)), key=lambda x: x.picture)
    if not known:
        raise BadValue("The labels to choose by have no question of those to learn: judge more episodes.")
    pictures = _pictures(eye, labels)
    features = []
    for id in pictures:
        cancel.check()
        features.append(eye.look(decode_picture(picture_of(id))).features)
    place = {id: number for number, id in enumerate(pictures)}
    return TrainingSet(
        np.stack(features),
        np.array([place[label.picture] for label in known]),
        np.array([question_ids(label.question, eye.card) for label in known]),
        np.array([label.answer for label in known]),
    )


def _with_copies(
    eye: Eye, plain: TrainingSet, labels: Sequence[PictureLabel], picture_of: PictureOf, cancel: StopToken
) -> TrainingSet:
    """Return the set with changed copies of its pictures, fewer where there are many."""
    pictures = _pictures(eye, labels)
    copies = min(COPIES, MAX_PICTURES // len(pictures) - 1)
    rng, features = np.random.default_rng(0), [plain.features]
    for _ in range(copies):
        changed = []
        for id in pictures:
            cancel.check()
            rgb = prepare(decode_picture(picture_of(id)), eye.card.side)
            changed.append(eye.look(augment(rgb, rng)).features)
        features.append(np.stack(changed))
    return TrainingSet(
        np.concatenate(features),
        np.concatenate([plain.picture + copy * len(pictures) for copy in range(copies + 1)]),
        np.tile(plain.ids, (copies + 1, 1)),
        np.tile(plain.answers, copies + 1),
    )


def _pictures(eye: Eye, labels: Sequence[PictureLabel]) -> list[str]:
    return sorted({label.picture for label in labels if eye.knows(label.question)})


def _card(
    old: EyeCard, new: EyeCard, head: Arrays, parts: Split, after: Mapping[str, PredicateFigures]
) -> EyeCard:
    weights = sha256(b"".join(np.ascontiguousarray(head[name]).tobytes() for name in LEARNT))
    return replace(
        new,
        version=f"{date.today().isoformat()}-{weights.hexdigest()[:6]}",
        parent=old.version,
        trained_on=f"{len(parts.training):,} labels from the log, on top of {old.version} ({old.trained_on})",
        figures={name: found for name, found in after.items() if name != ALL},
    )


def _unheard(done: int, of: int) -> None:
    """Report nothing."""
