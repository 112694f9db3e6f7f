"""A logged episode at any moment. Pure: the same fold as live, so every panel shows the same moment."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace

from core import events as ev
from core.facts import Answer, Query
from core.ports import Ending
from core.story import Story
from core.telling import after

EVERY = 32  # records between two stories that are kept; between them it is folded again


@dataclass(frozen=True)
class Question:
    """What was asked and answered once: answer `place` of the Answered record at `index`."""

    index: int  # the story of `index` records is the one in which it was asked and not yet answered
    number: int  # of the Answered record
    place: int
    turn: int
    frame: str
    query: Query
    model: Answer
    operator: Answer | None  # what a person made of it at the time


@dataclass(frozen=True)
class Moment:
    """Somewhere to jump to: the story of `index` records is the first that shows it."""

    index: int
    kind: str  # "override", "contradiction", "failure", "stop", "re-plan", "turn", "bookmark"
    seconds: float


class Tape:
    """Positions are numbers of records told: 0 is before the first, `len(tape)` the end."""

    def __init__(self, records: Sequence[ev.Record]) -> None:
        self.records = tuple(records)
        self._kept: list[Story] = [Story()]
        self.times: list[float] = []  # seconds since the beginning, of each record, never falling
        self.moments: tuple[Moment, ...] = ()
        moments: list[Moment] = []
        story = Story()
        for index, record in enumerate(self.records, 1):
            older, story = story, after(story, record)
            self.times.append(max(story.now, self.times[-1] if self.times else 0.0))
            moments += (Moment(index, kind, story.now) for kind in _kinds(older, story, record.event))
            if index % EVERY == 0:
                self._kept.append(story)
        self.moments = tuple(moments)
        self.end = story
        self.questions = tuple(_questions(self.records))
        self._last = (len(self.records), story)

    def __len__(self) -> int:
        return len(self.records)

    @property
    def seconds(self) -> float:
        return self.times[-1] if self.times else 0.0

    def story(self, index: int) -> Story:
        """After so many records. Frames are without pixels, as the log keeps them."""
        index = max(0, min(index, len(self.records)))
        at, story = self._last
        if not 0 <= index - at <= EVERY:
            at = min(index // EVERY, len(self._kept) - 1) * EVERY
            story = self._kept[at // EVERY]
        for record in self.records[at:index]:
            story = after(story, record)
        self._last = index, story
        return story

    def index(self, seconds: float) -> int:
        """How many records had been told by then."""
        return bisect_right(self.times, seconds)

    def at(self, seconds: float) -> Story:
        """As it stood then, also between two records."""
        story = self.story(self.index(seconds))
        return replace(story, now=seconds) if story.started else story

    def place_of(self, number: int) -> int:
        """The position right after the record of this number, or the end."""
        return next((i for i, r in enumerate(self.records, 1) if r.number >= number), len(self.records))

    def next(self, index: int, kinds: Sequence[str] = (), back: bool = False) -> Moment | None:
        """The nearest moment of these kinds (all, without any) after this position, or before it."""
        found = [m for m in self.moments if not kinds or m.kind in kinds]
        if back:
            return next((m for m in reversed(found) if m.index < index), None)
        return next((m for m in found if m.index > index), None)


def _kinds(older: Story, story: Story, event: ev.Event) -> tuple[str, ...]:
    a, b = older.counts, story.counts
    grown = (
        ("turn", isinstance(event, ev.Observed)),
        ("override", b.overrides > a.overrides),
        ("contradiction", b.contradictions > a.contradictions),
        ("failure", isinstance(event, ev.Acted) and event.outcome.ending is not Ending.DONE),
        ("stop", b.stops > a.stops),
        ("re-plan", b.replans > a.replans),
        ("bookmark", isinstance(event, ev.Bookmarked)),
    )
    return tuple(kind for kind, so in grown if so)


def _questions(records: Sequence[ev.Record]) -> list[Question]:
    found: list[Question] = []
    queries: tuple[Query, ...] = ()
    first = 0  # of the answers that a review may still be about
    for index, record in enumerate(records):
        match record.event:
            case ev.Asked(_, _, asked):
                queries, first = asked, len(found)
            case ev.Answered(turn, frame, call):
                by_atom = {q.atom: q for q in queries}
                first = len(found)
                for place, answer in enumerate(call.answers):
                    query = by_atom.get(answer.atom) or Query(answer.atom, str(answer.atom))
                    found.append(Question(index, record.number, place, turn, frame, query, answer, None))
            case ev.Reviewed(_, answers):
                said = {a.atom: a for a in answers}
                found[first:] = [replace(q, operator=said.get(q.query.atom)) for q in found[first:]]
    return found
