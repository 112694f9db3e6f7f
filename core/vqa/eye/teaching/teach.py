"""Teach an eye with labels: a new head, with words that it did not know, and how it answers the labels kept
back, before and after.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from hashlib import sha256

import cv2
import numpy as np
from numpy.typing import NDArray

from core.errors import BadValue
from core.log.related import related
from core.pictures import decode_picture
from core.stop_token import StopToken
from core.text.plural import plural
from core.vqa.eye.augment import augment
from core.vqa.eye.eye import Eye, ImageFeatures, distance, pool, prepare, question_ids, softmax
from core.vqa.eye.eye_file import Arrays, EyeCard, PredicateFigures, doubts
from core.vqa.eye.teaching.head_training import LEARNT, Floats, Report, TrainingSet, logits_of, train_head
from core.vqa.eye.teaching.labels import AnswerCounts, PictureLabel, count_labels, one_moment
from core.vqa.eye.teaching.measure import (
    ALL,
    PictureOf,
    ask_labelled,
    figures,
    fit_sure,
    one_sided,
    with_figures,
)

MAX_PICTURES = 1500  # at 64 kB of features each
COPIES = 3  # of each picture that is learnt from, as another camera might have seen it
OPPOSITE = 0.01  # share of what is seen that may be answered the opposite way, of the labels to choose by
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
    cv2.setNumThreads(1)  # it takes a minute, and other processes may watch an arm
    parts, left_out = _usable(split(_some(labels)))
    card, head = with_questions(eye.card, eye.head, [label.question for label in parts.training])
    wider = eye.with_head(card, head)
    sights = _look(wider, parts.training, picture_of, cancel)
    kept_back = _look(wider, parts.validation, picture_of, cancel)
    training = _training_set(wider, parts.training, sights)
    validation = _training_set(wider, parts.validation, kept_back)
    card, head = with_pictures(wider, training.features, validation.features)
    card = uncovered(card, (*sights.values(), *kept_back.values()))
    changed = _with_copies(wider, training, parts.training, picture_of, cancel)
    learnt = train_head(head, changed, validation, cancel, report)
    if learnt is head:
        raise BadValue("The eye learnt nothing: it answers the labels that it was to choose by no better.")
    chances = softmax(logits_of(learnt, validation))
    sure = fit_sure(chances, validation.answers, OPPOSITE)
    card = replace(card, sure_limit=sure, sure_limits={}, unseen_limit=0.5)  # as likely as not
    before = ask_labelled(eye, parts.held_out, picture_of, cancel, _unheard)
    found = eye.with_head(card, learnt)
    after = ask_labelled(found, parts.held_out, picture_of, cancel, _unheard)
    named = with_figures(_card(eye.card, card, learnt, parts), after)
    counts, moments = count_labels(parts.training), one_moment(parts.training)
    made = eye.with_head(named, learnt)
    return TaughtEye(made, counts, left_out, moments, figures(before), figures(after))


HEADS = ("predicate", "learnt", "kept back", "% right before", "now", "% opp. before", "now")


def figure_rows(taught: TaughtEye) -> Iterator[tuple[str, ...]]:
    """Yield the HEADS of each predicate, then of ALL: of what the pictures that were kept back show."""
    for name, before in taught.before.items():
        after, learnt = taught.after[name], taught.learnt.values() if name == ALL else [taught.learnt[name]]
        shares = before.right, after.right, before.opposite, after.opposite
        told = (f"{100 * share:.1f}" if before.seen else "-" for share in shares)
        yield name, str(sum(map(sum, learnt))), str(before.seen), *told


def warnings(taught: TaughtEye) -> list[str]:
    """Return what the figures hide: what cannot be seen or was not learnt, and why they may not hold."""
    found, unseen = list[str](), taught.after[ALL]
    if unseen.unseen:
        told = f"it now says so of {100 * unseen.unseen_right:.1f} %"
        found.append(f"Of {plural(unseen.unseen, 'fact')} that cannot be seen {told}.")
    for predicate, answer in taught.left_out.items():
        found.append(f"Not learnt: {predicate}, because each of its labels says {WORDS[answer]!r}.")
    found += [
        f"Do not rely on the figures of {predicate}: each label {WORDS[answer]!r} is from directly after "
        f"{after or 'the start'}, so the eye may have learnt that moment. Judge pictures of others too."
        for predicate, (answer, after) in taught.one_moment.items()
    ]
    return [*found, *filter(None, [doubts(taught.eye.card)])]


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


def _look(
    eye: Eye, labels: Sequence[PictureLabel], picture_of: PictureOf, cancel: StopToken
) -> Mapping[str, ImageFeatures]:
    found = {}
    for id in _pictures(eye, labels):
        cancel.check()
        found[id] = eye.look(decode_picture(picture_of(id)))
    return found


def _training_set(
    eye: Eye, labels: Sequence[PictureLabel], sights: Mapping[str, ImageFeatures]
) -> TrainingSet:
    known = sorted((x for x in labels if eye.knows(x.question)), key=lambda x: x.picture)
    if not known:
        raise BadValue("The labels to choose by have no question of those to learn: judge more episodes.")
    place = {id: number for number, id in enumerate(sights)}
    return TrainingSet(
        np.stack([sight.features for sight in sights.values()]),
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


def _card(old: EyeCard, new: EyeCard, head: Arrays, parts: Split) -> EyeCard:
    learnt = {label.episode: label.robot for label in (*parts.training, *parts.validation)}
    drawn = any(label.is_drawn for label in parts.training)
    kind = "labels of drawn pictures" if drawn else "labels from the log"
    weights = sha256(b"".join(np.ascontiguousarray(head[name]).tobytes() for name in LEARNT))
    return replace(
        new,
        version=f"{date.today().isoformat()}-{weights.hexdigest()[:6]}",
        parent=old.version,
        trained_on=f"{len(parts.training):,} {kind}, on top of {old.version} ({old.trained_on})",
        robots=tuple(sorted({*old.robots, *filter(None, learnt.values())})),
        drawn=drawn,
        learnt=tuple(sorted({*old.learnt, *learnt})),
    )


def _unheard(done: int, of: int) -> None:
    """Report nothing."""


LEAST_GROUPS = 3
KEPT_BACK = 0.2  # share of the labels, for each of the two other parts


@dataclass(frozen=True)
class Split:
    """No episode and no picture is in two parts."""

    training: tuple[PictureLabel, ...]
    validation: tuple[PictureLabel, ...]  # decide when to stop, and how sure the eye may be
    held_out: tuple[PictureLabel, ...]  # measured before and after; nothing else sees them


def split(labels: Sequence[PictureLabel]) -> Split:
    """Split by episodes, always alike; those that share a picture stay together. Raises BadValue."""
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


FOREIGN_SHARE = 0.02  # of pictures that the eye takes for foreign ones, above which it gets to know them
KEPT = 0.997  # share of the pictures kept back that are to pass
_MARGIN = 1.5
_PRIOR = 50  # pictures that the spread of those known counts for
_APART = 0.1  # how far the embeddings of two new words lie apart at first


def with_questions(card: EyeCard, head: Arrays, questions: Iterable[str]) -> tuple[EyeCard, Arrays]:
    """Return card and head with embeddings for each word of these questions."""
    new = sorted(set(questions) - set(card.questions))
    split = [question.split(", ") for question in new]
    predicates = sorted({words[0] for words in split} - set(card.predicates))
    objects = sorted({word for words in split for word in words[1:]} - set(card.objects))
    rng = np.random.default_rng(0)
    added = replace(
        card,
        questions=(*card.questions, *new),
        predicates=(*card.predicates, *predicates),
        objects=(*card.objects, *objects),
    )
    return added, {
        **head,
        "predicate": _more(head["predicate"], head["predicate"], len(predicates), rng),
        "object": _more(head["object"], head["object"][1:], len(objects), rng),
        "scale": np.concatenate([head["scale"], np.ones((len(predicates), 3), np.float32)]),
        "shift": np.concatenate([head["shift"], np.zeros((len(predicates), 3), np.float32)]),
    }


def _more(table: Floats, like: Floats, count: int, rng: np.random.Generator) -> Floats:
    """Return the embeddings with `count` more, near the mean of those that are alike."""
    mean = like.mean(0) if len(like) else np.zeros(table.shape[1], np.float32)
    fresh = mean + rng.normal(0, _APART, (count, table.shape[1]))
    return np.concatenate([table, fresh]).astype(np.float32)


def with_pictures(eye: Eye, training: Floats, kept_back: Floats) -> tuple[EyeCard, Arrays]:
    """Return card and head that take none of these pictures for foreign, if the eye does so with many.

    Both are features, pictures x cells x channels. The spread of the pictures that the eye was trained on
    is the prior for that of the new ones: some hundreds are too few for a covariance of their own.
    """
    foreign = np.mean([eye.is_foreign(features) for features in (*training, *kept_back)])
    if foreign <= FOREIGN_SHARE:
        return eye.card, eye.head
    known, mean = eye.head["known_whiten"], _pooled(training).mean(0)
    apart = (_pooled(training) - mean) @ known  # where the pictures known have a spread of 1
    spread = (apart.T @ apart + _PRIOR * np.eye(len(mean))) / (len(training) + _PRIOR)
    values, vectors = np.linalg.eigh(spread)
    whiten = (known @ vectors / np.sqrt(values)).astype(np.float32)
    distances = [distance(pooled, mean, whiten) for pooled in _pooled(kept_back)]
    limit = _MARGIN * float(np.quantile(distances, KEPT))
    return replace(eye.card, own_limit=limit), {**eye.head, "own_mean": mean, "own_whiten": whiten}


def uncovered(card: EyeCard, sights: Iterable[ImageFeatures]) -> EyeCard:
    """Return the card with limits by which these show nothing foreign: a fixed camera may see a post."""
    covers = [float(sight.covers.max(initial=card.cover_limit)) for sight in sights]
    seams, halves = [sight.seam for sight in sights], [sight.halves for sight in sights]
    joins = [sight.join for sight in sights]
    return replace(
        card,
        cover_limit=max(card.cover_limit, float(np.quantile(covers, KEPT))),
        seam_limit=max(card.seam_limit, float(np.quantile(seams, KEPT))),
        halves_limit=max(card.halves_limit, float(np.quantile(halves, KEPT))),
        join_limit=max(card.join_limit, float(np.quantile(joins, KEPT))),
    )


def _pooled(pictures: Floats) -> NDArray[np.float32]:
    return np.stack([pool(features) for features in pictures])
