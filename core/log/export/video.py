"""An episode as a film with captions: what was seen, asked, answered, planned and done. Extra: `video`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core import events as ev
from core.deciding import Correct
from core.facts import Query
from core.log.film import Film
from core.log.repeat import folder_of
from core.log.store import Store
from core.pictures import pixels
from core.problem import Step
from core.story import Story
from core.telling import after

WIDE, HIGH, CAPTION = 640, 480, 96  # pixels: the picture, and the band below it
LEAST, MOST = 1.0, 6.0  # seconds that a caption stays, whatever the episode's pace
PAPER, INK, QUIET = (250, 249, 246), (38, 42, 48), (104, 110, 118)

Image = NDArray[np.uint8]


def export(store: Store, episode: str, to: Path) -> int:
    """Write one episode; returns the number of captions. Raises MissingPackage, BadFile, UnknownName,
    LogError."""
    summary = store.summary(episode)
    film = Film(to, WIDE, HIGH + CAPTION)
    count, at = 0, 0.0
    page: Image | None = None
    shown: tuple[str, Image] = ("", np.full((HIGH, WIDE, 3), 232, np.uint8))
    try:
        before = 0.0
        for story, head, line in captions(store.records(summary.episode)):
            if page is not None:
                at += min(MOST, max(LEAST, story.now - before))
            before = story.now
            if story.frame is not None and story.frame.id not in ("", shown[0]):
                shown = story.frame.id, _fitted(pixels(store.picture(story.frame.id)))
            page = _page(shown[1], head, line, f"{summary.task}  {_clock(story.now)}")
            film.add(page, at)
            count += 1
        if page is not None:
            film.add(page, at + LEAST)
    finally:
        film.close()
    return count


def captions(records: Iterable[ev.Record]) -> Iterator[tuple[Story, str, str]]:
    """The story at each moment worth a caption, a headline and a line."""
    story, queries = Story(), dict[object, Query]()
    say: Callable[[Step], str] = str
    for record in records:
        story = after(story, record)
        turn = f"Turn {story.turn}"
        match record.event:
            case ev.Started(task, _, _, goal):
                say = folder_of(record.event).say
                yield story, task.replace("_", " "), "goal: " + " ".join(map(str, goal))
            case ev.Asked(_, _, asked):
                queries = {q.atom: q for q in asked}
            case ev.Answered(_, _, call):
                for answer in call.answers:
                    query = queries.get(answer.atom)
                    verdict = query.about_atom(answer.verdict) if query else answer.verdict
                    text = query.text if query else str(answer.atom)
                    yield story, f"{turn}: {text}", f"{call.by or 'nobody'}: {verdict.value}"
            case ev.Decided(_, _, Correct(answers, by)):
                for a in answers:
                    yield story, f"{turn}: {by or 'a person'} corrects", f"{a.atom}: {a.verdict.value}"
            case ev.Planned(revision, accepted):
                steps = f"{len(revision.new.steps)} steps" if revision.new.steps else "no plan"
                kept = "" if accepted else ", the old plan was kept"
                causes = " ".join(map(str, revision.causes)) or revision.reason.sentence
                yield story, f"{turn}: plan, {steps}{kept}", f"because {causes}" if causes else ""
            case ev.Acting(_, step):
                yield story, f"{turn}: {say(step)}", "the robot moves"
            case ev.Acted(_, step, outcome):
                yield story, f"{turn}: {say(step)}", f"{outcome.ending.value} {outcome.detail}"
            case ev.StopRequested(number, why, by):
                yield story, f"STOP {number}", f"{by}: {why}"
            case ev.Ended(result, why, _, true):
                truth = {None: "", True: " In truth it is so.", False: " In truth it is NOT so."}[true]
                yield story, result.value, why + truth


def _clock(seconds: float) -> str:
    return f"{int(seconds) // 60}:{int(seconds) % 60:02d}"


def _fitted(picture: Image) -> Image:
    """Whole, in the middle of the page's upper part."""
    import cv2

    k = min(WIDE / picture.shape[1], HIGH / picture.shape[0])
    w, h = round(picture.shape[1] * k), round(picture.shape[0] * k)
    page = np.full((HIGH, WIDE, 3), 24, np.uint8)
    x, y = (WIDE - w) // 2, (HIGH - h) // 2
    page[y : y + h, x : x + w] = cv2.resize(picture, (w, h), interpolation=cv2.INTER_LINEAR)
    return page


def _page(picture: Image, head: str, line: str, corner: str) -> Image:
    import cv2

    page = np.full((HIGH + CAPTION, WIDE, 3), PAPER, np.uint8)
    page[:HIGH] = picture

    def write(text: str, y: int, scale: float, colour: tuple[int, int, int], bold: int = 1) -> None:
        plain = text.encode("ascii", "replace").decode()
        face = cv2.FONT_HERSHEY_DUPLEX
        while len(plain) > 4 and cv2.getTextSize(plain, face, scale, bold)[0][0] > WIDE - 32:
            plain = plain[:-4].rstrip() + "..."
        cv2.putText(page, plain, (16, HIGH + y), face, scale, colour, bold, cv2.LINE_AA)

    write(head, 34, 0.66, INK)
    write(line, 62, 0.52, INK)
    write(corner, 86, 0.4, QUIET)
    return page
