"""An episode loaded from the log, with all that the replay needs; made on the log's thread."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from app.review.log_worker import LogHandles, Progress
from app.review.replay_video import VideoClip
from core.episode_state import EpisodeState
from core.errors import BadValue, ConsoleError
from core.events import EpisodeStarted, FrameCaptured
from core.log.annotations import EpisodeNote
from core.log.labels import AnswerLabel, labels
from core.log.rerun_settings import vocabulary_of
from core.log.sidecar import files
from core.log.store import EpisodeSummary, Store
from core.log.video.segments import folder, video_path
from core.pictures import decode_picture
from core.ports import Frame
from core.review.replay import EpisodeReplay
from core.text.vocabulary import Vocabulary

KEPT = 8  # pictures that are kept as pixels
_pixels: dict[str, Frame] = {}


@dataclass(frozen=True)
class LoadedEpisode:
    summary: EpisodeSummary
    replay: EpisodeReplay
    vocabulary: Vocabulary
    pictures: Mapping[str, bytes]
    labels: tuple[AnswerLabel, ...]
    tags: tuple[str, ...]
    notes: tuple[EpisodeNote, ...]
    clips: tuple[VideoClip, ...] = ()  # live video, where it was wanted


def fork_text(s: EpisodeSummary) -> str:
    """Return what an episode was forked from, "" for one that was not."""
    return f"Fork of {s.parent}" if s.parent else ""


def open_episode(handles: LogHandles, episode: str, progress: Progress) -> LoadedEpisode:
    """Load an episode. Raises ConsoleError, Cancelled."""
    store, annotations = handles.store, handles.annotations
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
        if isinstance(record.event, FrameCaptured) and (frame := record.event.frame.id):
            try:
                pictures[frame] = store.picture(frame)
            except ConsoleError:
                continue  # the episode reads on without it; `verify` names it
    started = records[0].event if records and isinstance(records[0].event, EpisodeStarted) else None
    return LoadedEpisode(
        summary,
        EpisodeReplay(records),
        vocabulary_of(started) if started else Vocabulary(),
        pictures,
        labels(store, id),
        annotations.tags(id),
        annotations.notes(id),
        _clips(store, id),
    )


def _clips(store: Store, episode: str) -> tuple[VideoClip, ...]:
    """Return its videos that are regular files beside the log; a log from elsewhere may contain links."""
    there = set(files(folder(store.path)))
    found = ((s, video_path(store.path, s.hash)) for s in store.segments(episode))
    return tuple(VideoClip(s.camera, s.started, s.ended, path) for s, path in found if path in there)


def with_pixels(state: EpisodeState, opened: LoadedEpisode) -> EpisodeState:
    """Return the state with the pixels of its frame, if the log has them."""
    frame = state.frame
    if frame is None or frame.rgb is not None or frame.id not in opened.pictures:
        return state
    if frame.id not in _pixels:
        if len(_pixels) >= KEPT:
            _pixels.pop(next(iter(_pixels)))
        png = opened.pictures[frame.id]
        try:
            _pixels[frame.id] = replace(frame, rgb=decode_picture(png), png=png)
        except BadValue:  # a log from elsewhere can hold anything under that name
            return state
    kept = _pixels[frame.id]
    return replace(state, frame=replace(frame, rgb=kept.rgb, png=kept.png))
