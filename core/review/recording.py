"""Play moments one after the other: those of a logged episode, or any frames with texts."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from core.belief import Belief
from core.episode_state import EpisodeCounts, EpisodeState, TimelineMark, TimelineTrack
from core.ports import Frame


@dataclass(frozen=True)
class JumpTarget:
    """A moment to jump to: the state after `index` records is the first that shows it."""

    index: int
    kind: str  # "override", "contradiction", "failure", "stop", "re-plan", "turn", "bookmark"
    seconds: float


@dataclass(frozen=True)
class Reading:
    """What an episode's log has in numbers, from this moment on; `goal`: its probability, None if unknown."""

    seconds: float
    belief: Belief
    counts: EpisodeCounts
    goal: float | None


class Recording:
    """Moments in order. Positions count them: 0 is before the first one, `len(recording)` the end."""

    times: Sequence[float] = ()  # of each moment, seconds since the beginning, never decreasing
    jump_targets: Sequence[JumpTarget] = ()
    readings: Sequence[Reading] = ()  # wherever they change
    motion: Mapping[str, Sequence[tuple[float, float]]] = MappingProxyType({})  # an arm's, (seconds, value)
    final_state = EpisodeState()  # with the marks of the whole timeline

    def state_at(self, index: int) -> EpisodeState:
        """Return what panels show after `index` moments."""
        raise NotImplementedError

    def text_at(self, index: int) -> str:
        """Return what the bar says of that moment."""
        raise NotImplementedError

    def __len__(self) -> int:
        return len(self.times)

    @property
    def seconds(self) -> float:
        return self.times[-1] if self.times else 0.0

    def index_at(self, seconds: float) -> int:
        """Return how many moments there were by this time, in seconds since the beginning."""
        return bisect_right(self.times, seconds)

    def index_of_record(self, number: int) -> int:
        """Return the position right after the moment of this number, or the end."""
        return min(number, len(self))

    def next_jump_target(
        self, index: int, kinds: Sequence[str] = (), back: bool = False
    ) -> JumpTarget | None:
        """Return the next moment of these kinds (all if empty) after this position, or the one before it."""
        found = [m for m in self.jump_targets if not kinds or m.kind in kinds]
        if back:
            return next((m for m in reversed(found) if m.index < index), None)
        return next((m for m in found if m.index > index), None)


@dataclass(frozen=True)
class CaptionedFrame:
    """A frame with its text, from `seconds` on; `kind` is that of a JumpTarget, "" for none."""

    frame: Frame
    text: str
    seconds: float
    kind: str = ""


class FrameSequence(Recording):
    """Frames with texts, whatever they show; each has a turn of its own on the timeline."""

    def __init__(self, frames: Sequence[CaptionedFrame]) -> None:
        self.frames = tuple(frames)
        self.times = tuple(f.seconds for f in frames)
        self.jump_targets = tuple(JumpTarget(i, f.kind, f.seconds) for i, f in enumerate(frames, 1) if f.kind)
        ends = (*self.times[1:], *self.times[-1:])
        self._marks = tuple(
            TimelineMark(TimelineTrack.TURN, "turn", f.seconds, end, i, f.text, i)
            for i, (f, end) in enumerate(zip(frames, ends, strict=True), 1)
        )
        self.final_state = self.state_at(len(self))

    def state_at(self, index: int) -> EpisodeState:
        if not index:
            return EpisodeState()
        shown = self.frames[index - 1]
        return EpisodeState(frame=shown.frame, now=shown.seconds, turn=index, marks=self._marks)

    def text_at(self, index: int) -> str:
        return self.frames[index - 1].text if index else ""
