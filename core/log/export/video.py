"""An episode as a captioned video: what was seen, asked, answered, planned and done. Extra: `video`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core import events as ev
from core.belief import Query
from core.episode_state import EpisodeState
from core.log.rerun_settings import vocabulary_of
from core.log.store import Store
from core.log.video.video_writer import VideoWriter
from core.operator import Correct
from core.pictures import decode_picture
from core.planning_model import Literal
from core.state.causes import evidence, explain, is_confirmed, result_words
from core.state.state_reducer import apply_record
from core.text.vocabulary import Vocabulary

WIDTH, HEIGHT, CAPTION = 640, 480, 96  # pixels: the picture, and the band below it
MIN_CAPTION_SECONDS, MAX_CAPTION_SECONDS = 1.0, 6.0  # for which a caption stays, at any pace
PAPER, INK, QUIET = (250, 249, 246), (38, 42, 48), (104, 110, 118)

Image = NDArray[np.uint8]


def export(store: Store, episode: str, to: Path) -> int:
    """Write an episode; return how many captions. Raises MissingPackage, BadFile, UnknownName, LogError."""
    summary = store.summary(episode)
    writer = VideoWriter(to, WIDTH, HEIGHT + CAPTION)
    count, at = 0, 0.0
    page: Image | None = None
    shown: tuple[str, Image] = ("", np.full((HEIGHT, WIDTH, 3), 232, np.uint8))
    try:
        before = 0.0
        for state, head, line in captions(store.records(summary.episode)):
            if page is not None:
                at += min(MAX_CAPTION_SECONDS, max(MIN_CAPTION_SECONDS, state.now - before))
            before = state.now
            if state.frame is not None and state.frame.id not in ("", shown[0]):
                shown = state.frame.id, _fitted(decode_picture(store.picture(state.frame.id)))
            page = _page(shown[1], head, line, f"{summary.task}  {_clock(state.now)}")
            writer.add(page, at)
            count += 1
        if page is not None:
            writer.add(page, at + MIN_CAPTION_SECONDS)
    finally:
        writer.close()
    return count


def captions(records: Iterable[ev.Record]) -> Iterator[tuple[EpisodeState, str, str]]:
    """Yield the state at each moment worth a caption, with a headline and a line."""
    state, queries = EpisodeState(), dict[object, Query]()
    vocabulary = Vocabulary()
    goal: tuple[Literal, ...] = ()
    for record in records:
        state = apply_record(state, record)
        turn = f"Turn {state.turn}"
        match record.event:
            case ev.EpisodeStarted(task, _, _, goal):
                vocabulary = vocabulary_of(record.event)
                wanted = ", ".join(map(vocabulary.describe_literal, goal))
                yield state, task.replace("_", " "), f"goal: {wanted}"
            case ev.QuestionsAsked(_, _, asked):
                queries = {q.atom: q for q in asked}
            case ev.AnswersReceived(_, _, call):
                for answer in call.answers:
                    query = queries.get(answer.atom)
                    verdict = query.text_verdict(answer.verdict) if query else answer.verdict
                    text = query.text if query else str(answer.atom)
                    yield state, f"{turn}: {text}", f"{call.by or 'nobody'}: {verdict.value}"
            case ev.DecisionMade(_, _, Correct(answers, by)):
                for a in answers:
                    yield state, f"{turn}: {by or 'a person'} corrects", f"{a.atom}: {a.verdict.value}"
            case ev.PlanMade(revision, accepted):
                count = len(revision.new_plan.steps)
                steps = f"{count} step{'s' * (count > 1)}" if count else "no plan"
                kept = "" if accepted else ", the old plan was kept"
                because = explain(revision.reason, state, vocabulary, revision.old_steps)
                yield state, f"{turn}: plan, {steps}{kept}", f"cause: {because.sentence}"
            case ev.StepStarted(_, step):
                yield state, f"{turn}: {vocabulary.describe_step(step)}", "the robot moves"
            case ev.StepFinished(_, step, outcome):
                ended = f"{outcome.status.value} {outcome.detail}"
                yield state, f"{turn}: {vocabulary.describe_step(step)}", ended
            case ev.StopRequested(number, reason, by):
                yield state, f"STOP {number}", f"{by}: {reason}" if by else reason
            case ev.ArmHandover() as handover:
                yield state, "Handover", handover.sentence
            case ev.EpisodeEnded(result, reason, believed, true):
                words = result_words(result, true, is_confirmed(state.belief, goal))
                yield state, words, f"goal: {evidence(state.belief, goal)}" if believed else reason


def _clock(seconds: float) -> str:
    return f"{int(seconds) // 60}:{int(seconds) % 60:02d}"


def _fitted(picture: Image) -> Image:
    """Return the picture scaled to fit and centred in the upper part of the page."""
    import cv2

    k = min(WIDTH / picture.shape[1], HEIGHT / picture.shape[0])
    w, h = round(picture.shape[1] * k), round(picture.shape[0] * k)
    page = np.full((HEIGHT, WIDTH, 3), 24, np.uint8)
    x, y = (WIDTH - w) // 2, (HEIGHT - h) // 2
    page[y : y + h, x : x + w] = cv2.resize(picture, (w, h), interpolation=cv2.INTER_LINEAR)
    return page


def _page(picture: Image, head: str, line: str, corner: str) -> Image:
    import cv2

    page = np.full((HEIGHT + CAPTION, WIDTH, 3), PAPER, np.uint8)
    page[:HEIGHT] = picture

    def write(text: str, y: int, scale: float, colour: tuple[int, int, int], bold: int = 1) -> None:
        plain = text.encode("ascii", "replace").decode()
        face = cv2.FONT_HERSHEY_DUPLEX
        while len(plain) > 4 and cv2.getTextSize(plain, face, scale, bold)[0][0] > WIDTH - 32:
            plain = plain[:-4].rstrip() + "..."
        cv2.putText(page, plain, (16, HEIGHT + y), face, scale, colour, bold, cv2.LINE_AA)

    write(head, 34, 0.66, INK)
    write(line, 62, 0.52, INK)
    write(corner, 86, 0.4, QUIET)
    return page
