"""Measure how often an eye is right about labelled pictures, per predicate.

Its error rates become a profile, so that a simulated answerer and `careful` can make its errors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.data_file import write_toml
from core.errors import BadValue
from core.intervals import grouped_interval
from core.log.store import Store
from core.pictures import decode_picture
from core.stop_token import StopToken
from core.vqa.answerers.profiles import Profile, Rates
from core.vqa.data_files import user_dir
from core.vqa.eye.eye import NO, UNSEEN, YES, Eye
from core.vqa.eye.eye_file import EyeCard, PredicateFigures
from core.vqa.eye.teaching.labels import PictureLabel

PictureOf = Callable[[str], bytes]  # a picture's PNG by its id; raises LogError
Report = Callable[[int, int], None]
ALL = "all"
Answered = tuple[PictureLabel, int]  # a label, and what the eye answered


def ask_labelled(
    eye: Eye, labels: Iterable[PictureLabel], picture_of: PictureOf, cancel: StopToken, report: Report
) -> list[Answered]:
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


def with_figures(card: EyeCard, answered: Sequence[Answered]) -> EyeCard:
    """Return the card with the figures of these answers, and what they leave open, by episode."""
    counts: dict[str, NDArray[np.int_]] = {}
    for label, answer in answered:
        if label.answer != UNSEEN:
            said = np.array((answer == label.answer, answer not in (label.answer, UNSEEN), True), int)
            counts[label.episode] = counts.get(label.episode, 0) + said
    sides = [[(int(of[side]), int(of[2])) for of in counts.values()] for side in (0, 1)]
    return replace(
        card,
        figures={name: found for name, found in figures(answered).items() if name != ALL},
        episodes=len(counts),
        right_from=round(grouped_interval(sides[0])[0], 4),
        opposite_to=round(grouped_interval(sides[1])[1], 4),
    )


def figures(answered: Sequence[Answered]) -> dict[str, PredicateFigures]:
    """Return the figures of each predicate, sorted, and of all of them."""
    counts: dict[str, NDArray[np.int_]] = {}
    for label, answer in answered:
        for name in (label.atom.predicate, ALL):
            counts.setdefault(name, np.zeros((3, 3), int))[label.answer, answer] += 1
    whole = counts.pop(ALL, np.zeros((3, 3), int))
    return {name: figures_of(n) for name, n in (*sorted(counts.items()), (ALL, whole))}


def figures_of(counts: NDArray[np.int_]) -> PredicateFigures:
    """Return the figures of counts, label by answer, 3 x 3."""
    seen, unseen, true = int(counts[:2].sum()), int(counts[2].sum()), int(counts[1].sum())
    return PredicateFigures(
        seen,
        round(float(counts[0, 0] + counts[1, 1]) / max(1, seen), 4),
        round(float(counts[0, 1] + counts[1, 0]) / max(1, seen), 4),
        unseen,
        round(float(counts[2, 2]) / max(1, unseen), 4),
        true,
        round(float(counts[1, 1]) / max(1, true), 4),
    )


def fit_sure(probabilities: NDArray[np.float32], labels: NDArray[np.integer], opposite: float) -> float:
    """Return how sure a yes or no must be so that at most this share of what is seen is answered the opposite
    way: 0.95 if nothing less will do.

    It is asked for each predicate: where one errs more than the others, it has to be surer.
    """
    said, sure = probabilities.argmax(1), probabilities.max(1)
    wrong = (said != labels) & (said != UNSEEN) & (labels != UNSEEN)
    allowed = opposite * np.count_nonzero(labels != UNSEEN)
    limits = np.arange(0.5, 0.95, 0.01)
    return next(
        (round(float(x), 2) for x in limits if np.count_nonzero(wrong & (sure >= x)) <= allowed), 0.95
    )


def one_sided(labels: Iterable[PictureLabel]) -> Mapping[str, int]:
    """Return the predicates of whose labels all say the same, with what they say."""
    said: dict[str, set[int]] = {}
    for label in labels:
        said.setdefault(label.atom.predicate, set()).add(label.answer)
    return {predicate: next(iter(answers)) for predicate, answers in said.items() if len(answers) == 1}


PERSISTENCE = 0.67  # as measured on GPT-4.1, where the labels hold too few errors to tell
LEAST_ERRORS = 20  # that were asked about again


def error_profile(card: EyeCard, answered: Sequence[Answered], viewpoints: Mapping[str, str]) -> Profile:
    """Return the error rates in these answers, in the order in which the pictures were taken.

    `viewpoints` are those of the pictures, by id. A rate of k in n answers is (k + 1) / (n + 2), so that a
    few answers make no eye infallible. Raises BadValue without a label of what the pictures show.
    """
    seen = [(label, answer) for label, answer in answered if label.answer != UNSEEN]
    unseen = [answer for label, answer in answered if label.answer == UNSEEN]
    if not seen:
        raise BadValue(
            "No label says yes or no about a stored picture: run episodes in a simulator without "
            "--no-pictures, or judge pictures in the review."
        )
    kinds = sorted({label.atom.predicate for label, _ in seen})
    unknown = card.parent and not card.learnt  # it was taught by an older version of this program
    taught = f", some of which it may have learnt from (it was taught from {card.parent})" if unknown else ""
    default = _rates(seen)
    return Profile(
        name=card.name,
        about=f"the eye {card.name} {card.version}, as measured on labelled pictures",
        source=f"{len(answered):,} labels in the log{taught}; persistence: {_basis(seen, viewpoints)}",
        skip=_share(sum(answer == UNSEEN for _, answer in seen), len(seen)),
        skip_unseen=_share(sum(answer == UNSEEN for answer in unseen), len(unseen)),
        persistence=_persistence(seen, viewpoints),
        default=default,
        predicates={kind: _rates([x for x in seen if x[0].atom.predicate == kind]) for kind in kinds},
    )


def said_yes(answered: Iterable[Answered], truth: int) -> tuple[int, int]:
    """Return to how many facts that are so (or not) the eye said yes, of those of which it was sure."""
    told = [answer for label, answer in answered if label.answer == truth and answer != UNSEEN]
    return told.count(YES), len(told)


def _rates(seen: Sequence[Answered]) -> Rates:
    true, false = said_yes(seen, YES), said_yes(seen, NO)
    note = f"of {true[1]} true and {false[1]} false"
    return Rates(_share(*true), _share(*false), "measured", note)


def _share(part: int, whole: int) -> float:
    return round((part + 1) / (whole + 2), 4)


def _again(seen: Iterable[Answered], viewpoints: Mapping[str, str]) -> list[bool]:
    """Return whether each wrong answer was wrong again, when asked next from there with the same truth."""
    before: dict[tuple[str, str, str, int], bool] = {}
    found = []
    for label, answer in seen:
        key = (label.episode, label.question, viewpoints.get(label.picture, label.picture), label.answer)
        wrong = answer not in (label.answer, UNSEEN)
        if before.get(key):
            found.append(wrong)
        before[key] = wrong
    return found


def _persistence(seen: Sequence[Answered], viewpoints: Mapping[str, str]) -> float:
    again = _again(seen, viewpoints)
    if len(again) < LEAST_ERRORS:
        return PERSISTENCE
    error = sum(answer not in (label.answer, UNSEEN) for label, answer in seen) / len(seen)
    return round(min(1.0, max(0.0, (sum(again) / len(again) - error) / (1 - error))), 3)


def _basis(seen: Sequence[Answered], viewpoints: Mapping[str, str]) -> str:
    count = len(_again(seen, viewpoints))
    return f"of {count} errors asked about again" if count >= LEAST_ERRORS else "ours, as on GPT-4.1"


def read_viewpoints(store: Store) -> dict[str, str]:
    """Return from where each logged picture was taken, by its id. Raises LogError."""
    places = (
        "select picture, body ->> '$.frame.viewpoint' as place from record "
        "where picture is not null and place is not null"
    )
    return dict(store.rows((str, str), places))


def write_profile(profile: Profile, to: Path | None = None) -> Path:
    """Write a profile, by default where its name is enough to choose it. Raises BadFile."""
    path = to or user_dir("profiles") / f"{profile.name}.toml"
    write_toml(path, asdict(profile))
    return path
