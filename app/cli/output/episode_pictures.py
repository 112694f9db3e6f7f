"""The picture strip of a run, and its video if requested."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from core import events as ev
from core.config import EpisodeComponents
from core.log.video.contact_sheet import contact_sheet, panels_of
from core.log.video.video_writer import VideoRecorder, VideoWriter

LIVE, STILL = (1280, 480), (256, 256)  # pixels, width and height


class EpisodePictures:
    """Collects an episode's events for its strip. One episode, one thread."""

    def __init__(self, components: EpisodeComponents) -> None:
        self._components = components
        self._events: list[ev.Event] = []
        self._recorder: VideoRecorder | None = None

    def show(self, event: ev.Event) -> None:
        self._events.append(event)
        if isinstance(event, ev.FrameCaptured) and self._recorder and event.frame.rgb is not None:
            self._recorder.add_still(event.frame.rgb)

    @contextmanager
    def recording(self, video: str) -> Iterator[None]:
        """Record a video to this file; "" records none. With a pace it shows live frames, at pace 0 the
        stills.

        Raises MissingPackage, BadFile.
        """
        if not video:
            yield
            return
        live = self._components.settings.pace > 0
        writer = VideoWriter(Path(video), *(LIVE if live else STILL))
        with VideoRecorder(writer, self._components.robot if live else None) as self._recorder:
            yield

    def strip(self, heading: str) -> bytes | None:
        """Return the strip as PNG, None for an episode without pictures."""
        panels = panels_of(self._events, self._components.domain_spec.describe_step)
        if not any(panel.picture is not None for panel in panels):
            return None
        return contact_sheet(panels, heading)
