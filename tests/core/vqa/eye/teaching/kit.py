"""A log about a lamp that is red when it is lit and green when not, and an eye that has yet to learn it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from core.belief import Answer, Atom, BeliefSource, Query, Verdict
from core.events import (
    AnswersReceived,
    AnswersReviewed,
    EpisodeEnded,
    EpisodeResult,
    Event,
    FrameCaptured,
    GroundTruthFact,
    GroundTruthRecorded,
    QuestionsAsked,
)
from core.log.recorder import Recorder
from core.pictures import make_frame
from core.ports import Frame, ModelCall
from core.vqa.eye.eye_file import head_shapes
from tests.core.log.made import started
from tests.core.vqa.eye.kit import CARD, write

LAMP = Atom("lit", ("lamp_1",))
OTHER = Atom("lit", ("lamp_2",))  # no eye has heard of it


def lamp_picture(lit: bool, number: int) -> Frame:
    """Return a picture in which no other has quite these pixels."""
    rng = np.random.default_rng(number)
    rgb = np.full((16, 16, 3), (220, 60, 40) if lit else (60, 220, 40), np.uint8)
    rgb[2:6, 3:9] = rng.integers(0, 80, 3)
    rgb[number % 16, 0] = number // 16 % 256, number % 256, 0
    return make_frame(rgb, "top", 0.0, "here")


def turn(number: int, lit: bool, atom: Atom, by: str = "", truth: bool = True) -> Iterator[Event]:
    """Ask about the lamp; the model says yes, the simulator and a person say what is so."""
    frame = lamp_picture(lit, number)
    answer = Answer(atom, Verdict.YES, BeliefSource.MODEL, "yes", number, frame.id, "tiny 1")
    yield FrameCaptured(number, frame)
    yield QuestionsAsked(number, frame.id, (Query(atom, "Is it on?"),))
    yield AnswersReceived(number, frame.id, ModelCall((answer,), "yes", "tiny 1"))
    if truth:
        yield GroundTruthRecorded(number, frame.id, (GroundTruthFact(atom, lit, True),))
    if by:
        verdict = Verdict.YES if lit else Verdict.NO
        said = replace(answer, verdict=verdict, source=BeliefSource.OPERATOR, by=by)
        yield AnswersReviewed(number, (said,))


def write_log(
    path: Path, episodes: int = 4, turns: int = 6, atom: Atom = LAMP, by: str = "", truth: bool = True
) -> Path:
    """Write a log in which the lamp is lit in every other turn."""
    with Recorder.open(path) as recorder:
        for episode in range(episodes):
            numbers = range(episode * turns, (episode + 1) * turns)
            events = [event for n in numbers for event in turn(n, n % 2 == 0, atom, by, truth)]
            ended = EpisodeEnded(EpisodeResult.SUCCEEDED, "", True, True)
            list(recorder.record_events(iter([started(), *events, ended])))
    return path


def untaught_eye(folder: Path) -> Path:
    """Write an eye with a random head, which knows the question about the first lamp."""
    rng = np.random.default_rng(1)
    head = {name: rng.normal(0, 0.3, shape).astype(np.float32) for name, shape in head_shapes(CARD).items()}
    head["foreign"][:] = 0
    head["scale"][:], head["shift"][:] = 1, 0
    folder.mkdir(parents=True)
    write(folder, CARD, head)
    return folder
