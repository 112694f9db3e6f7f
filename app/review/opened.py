"""One episode out of the log, with all that the screen needs of it; made on the log's thread."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from app.naming import Naming
from app.review.film import Clip
from app.review.library import Desktop, Progress
from core.errors import BadValue, ConsoleError
from core.events import Observed, Started
from core.log.labels import Label, labels
from core.log.repeat import folder_of
from core.log.segments import file, folder
from core.log.shelf import Note
from core.log.sidecar import files
from core.log.store import Store, Summary
from core.pictures import pixels
from core.ports import Frame
from core.problem import Domain, Problem
from core.review.tape import Tape
from core.story import Story

KEPT = 8  # pictures that are kept as pixels
_pixels: dict[str, Frame] = {}


@dataclass(frozen=True)
class Opened:
    summary: Summary
    tape: Tape
    naming: Naming
    pictures: Mapping[str, bytes]
    labels: tuple[Label, ...]
    tags: tuple[str, ...]
    notes: tuple[Note, ...]
    clips: tuple[Clip, ...] = ()  # live video, where it was wanted


def open_episode(desktop: Desktop, episode: str, progress: Progress) -> Opened:
    """Raises ConsoleError, Cancelled."""
    store, shelf = desktop.store, desktop.shelf
    summary = store.summary(episode)
    id = summary.episode
    records = []
    for record in store.records(id):
        records.append(record)
        if len(records) % 500 == 0:
            progress(len(records), 0)
    import cv2  # noqa: F401  # here, and not when the screen's thread first needs it

    pictures = {}
    for record in records:
        if isinstance(record.event, Observed) and (frame := record.event.frame.id):
            try:
                pictures[frame] = store.picture(frame)
            except ConsoleError:
                continue  # the episode reads on without it; `verify` names it
    started = records[0].event if records and isinstance(records[0].event, Started) else None
    return Opened(
        summary,
        Tape(records),
        _naming(started),
        pictures,
        labels(store, id),
        shelf.tags(id),
        shelf.notes(id),
        _clips(store, id),
    )


def _clips(store: Store, episode: str) -> tuple[Clip, ...]:
    """Its films that lie beside the log as plain files: a log from elsewhere may have links there."""
    there = set(files(folder(store.path)))
    found = ((s, file(store.path, s.hash)) for s in store.segments(episode))
    return tuple(Clip(s.camera, s.started, s.ended, path) for s, path in found if path in there)


def _naming(started: Started | None) -> Naming:
    if started is None:
        return Naming()
    folder = folder_of(started)
    domain: Domain = folder.domain
    return Naming.of(folder, Problem(started.task, domain, started.objects, frozenset(), started.goal))


def pictured(story: Story, opened: Opened) -> Story:
    """The story with the pixels of its frame, where the log has them."""
    frame = story.frame
    if frame is None or frame.rgb is not None or frame.id not in opened.pictures:
        return story
    if frame.id not in _pixels:
        if len(_pixels) >= KEPT:
            _pixels.pop(next(iter(_pixels)))
        png = opened.pictures[frame.id]
        try:
            _pixels[frame.id] = replace(frame, rgb=pixels(png), png=png)
        except BadValue:  # a log from elsewhere can hold anything under that name
            return story
    kept = _pixels[frame.id]
    return replace(story, frame=replace(frame, rgb=kept.rgb, png=kept.png))
