"""Keep a draft in the log, as a record of its own: who was asked what, each version, what people said of it,
and how it ended.

A draft that was broken off goes on where it was: what was answered before is not asked again, because a draft
depends on nothing but its picture, its settings and the replies. What people edited stays when a machine
makes the next version, and what they said counts in the world, the score and every repair.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from core.drafting.agreement import Comparison, Difference
from core.drafting.edits import Conflict, merge, without_people
from core.drafting.folder import BETWEEN
from core.drafting.repair import Evidence
from core.drafting.rounds import MODEL, REPAIR, Ask, Texts, Version, Workbench
from core.drafting.simulator import ModelSimulator, OverruledWorld, Ruling, Rulings, Said
from core.drafting.source import SIMULATING, Against
from core.drafting.steps import Walk
from core.events import (
    Bookmarked,
    DomainChanged,
    EpisodeEnded,
    EpisodeResult,
    EpisodeStarted,
    Event,
    FrameCaptured,
    ModelConsulted,
)
from core.log.recorder import Recorder
from core.log.store import EpisodeFilter, Store
from core.planning.pddl.writer import write_domain, write_problem
from core.planning_model import Problem
from core.ports import ChatMessage, Frame
from core.reason import Cause, Reason

DIVIDE = "\n;; the problem\n"  # between the two files of a version
_BY = re.compile(r"Version (\d+) by (.+), from version (\d+)\.", re.S)
_WALK = re.compile(r"Of this walk, (.+); the draft (can|cannot|reaches the goal|misses the goal): (.*)", re.S)
_CAN = {(True, False): "can", (False, False): "cannot"}  # by whether it can, and whether it is about the goal
_CAN |= {(True, True): "reaches the goal", (False, True): "misses the goal"}
_GOES_ON = re.compile(r"Goes on with (\d+) versions?\.")
TAKEN_BACK = "nothing any more"
TEMPLATE = "template"  # makes versions, as MODEL and REPAIR do
MACHINES = (MODEL, REPAIR, TEMPLATE)
DRAFT = "draft"  # what the log calls it: no list, count or bench of episodes has it
LENT = "the template"
ALIKE = "Nothing differs from the template; nobody has looked at the photograph."
WHO = {Against.WORLD: "", Against.MODEL: "the simulating model", Against.TEMPLATE: LENT}


def answered(path: Path, settings: Mapping[str, str]) -> dict[tuple[str, str], list[str]]:
    """Return the replies of the latest draft with these settings, if it was broken off; by purpose and
    prompt, in order. The room opens an earlier one too: what its steps do is known. Raises LogError."""
    found: dict[tuple[str, str], list[str]] = {}
    for number, (result, events) in enumerate(_drafts(path, settings)):
        goes_on = not number and result is EpisodeResult.INTERRUPTED
        if not goes_on and "room" not in settings:
            break
        known: dict[tuple[str, str], list[str]] = {}
        for one in (one for one in events if isinstance(one, ModelConsulted) and not one.error):
            if goes_on or one.purpose in SIMULATING:
                known.setdefault((one.purpose, one.messages[-1].text), []).append(one.raw_reply)
        found = known | found
    return found


def _drafts(path: Path, settings: Mapping[str, str]) -> Iterator[tuple[EpisodeResult | None, list[Event]]]:
    """Yield how each draft with these settings ended, and its events, the latest first."""
    if not path.exists():
        return
    with Store.open(path) as store:  # which closes what was broken off
        for summary in store.episodes(EpisodeFilter(kinds=(DRAFT,))):
            first = next(store.records(summary.episode, 1, 1)).event
            if isinstance(first, EpisodeStarted) and _same(first.settings, settings):
                yield summary.result, [record.event for record in store.records(summary.episode)]


def _same(theirs: Mapping[str, str], ours: Mapping[str, str]) -> bool:
    """Return True for the settings of the same draft: without boxes, with any."""
    any_boxes = "boxes" in ours and not ours["boxes"]
    return theirs == {**ours, "boxes": theirs.get("boxes", "")} if any_boxes else theirs == ours


def kept(path: Path, settings: Mapping[str, str]) -> tuple[tuple[Version, ...], Rulings, str]:
    """Return the versions of the latest draft with these settings that has any, however it ended, what a
    person said of walks in it, and its boxes.

    They are as the log has them, to be judged again. Raises LogError.
    """
    for _, events in _drafts(path, settings):
        found = {one.number: one for one in map(_kept, events) if one is not None}
        goes_on = (_GOES_ON.fullmatch(one.note) for one in events if isinstance(one, Bookmarked))
        least = next((int(m[1]) for m in goes_on if m), 0)  # fewer: it was killed as it opened
        if found and len(found) >= least:
            began = events[0].settings if isinstance(events[0], EpisodeStarted) else {}
            return tuple(found[number] for number in sorted(found)), _said(events), began.get("boxes", "")
    return (), {}, ""


def _said(events: list[Event]) -> Rulings:
    found: dict[tuple[Walk, bool], Ruling] = {}
    for event in events:
        if isinstance(event, Bookmarked) and (told := _WALK.fullmatch(event.note)):
            (can, goal), words = next(key for key, one in _CAN.items() if one == told[2]), told[3]
            walk = tuple(words.split(BETWEEN)) if words else ()
            found.pop((walk, goal), None)
            if said := next((one for one in Said if one.value == told[1]), None):
                found[walk, goal] = Ruling(said, can, event.by, goal)
    return found


def _kept(event: Event) -> Version | None:
    if not isinstance(event, DomainChanged) or not (said := _BY.fullmatch(event.reason.note)):
        return None
    domain_text, _, problem_text = event.pddl.partition(DIVIDE)
    made = Version(int(said[1]), domain_text, problem_text, (), by=said[2], parent=int(said[3]))
    return replace(made, repairs=tuple(event.difference.split("; "))) if made.by == REPAIR else made


class DraftRecord:
    """Writes a draft into an open log. What was answered before is copied, not asked."""

    def __init__(
        self, recorder: Recorder, game: str, settings: Mapping[str, str], frame: Frame, by: str, ask: Ask
    ) -> None:
        self._recorder, self._by, self._ask, self._frame, self._turn = recorder, by, ask, frame, 0
        self.asked, self.repeated = 0, 0  # replies asked for, and known from before
        path = recorder.path
        self._known = answered(path, settings) if path is not None else {}
        started = EpisodeStarted(settings["map"], game, (), (), (), settings, recorded_as=DRAFT)
        recorder.record(started)
        if frame.id:
            recorder.record(FrameCaptured(0, frame))

    def ask(self, purpose: str, prompt: str) -> str:
        """Return a reply, which is on disk by then. Raises what asking raises."""
        before = self._known.get((purpose, prompt), [])
        if before:
            self.repeated += 1
            reply = before.pop(0)
        else:
            self.asked += 1
            reply = self._ask(purpose, prompt)
        message = ChatMessage("user", prompt)
        said = ModelConsulted(self._turn, purpose, (message,), self._frame.id, reply, "", self._by)
        self._recorder.record(said)
        return reply

    def keep(self, version: Version) -> None:
        """Record a version, which is on disk then. Raises LogError."""
        self._turn = version.number
        what = "; ".join(version.repairs) or version.feedback or "It agrees, and its plan is valid."
        note = f"Version {version.number} by {version.by}, from version {version.parent}."
        pddl, reason = DIVIDE.join(version.texts), Reason(Cause.DOMAIN_CHANGED, note=note)
        self._recorder.record(DomainChanged(version.number, what, pddl, version.valid, reason))

    def say(self, walk: Walk, ruling: Ruling, taken_back: bool = False) -> None:
        """Record what a person says of a walk, which is on disk then. Raises LogError."""
        words, can = TAKEN_BACK if taken_back else ruling.said.value, _CAN[ruling.draft_can, ruling.goal]
        self.note(f"Of this walk, {words}; the draft {can}: {BETWEEN.join(walk)}", ruling.by)

    def note(self, words: str, by: str) -> None:
        """Record what a person did. Raises LogError."""
        self._recorder.record(Bookmarked(words, by))

    def follow(self, versions: Iterator[Version]) -> Iterator[Version]:
        """Record each version, and the end."""
        last: Version | None = None
        for last in versions:
            self.keep(last)
            yield last
        self.end(last)

    def end(self, last: Version | None) -> None:
        done = last is not None and last.converged
        result = EpisodeResult.SUCCEEDED if done else EpisodeResult.STEP_LIMIT
        self._recorder.record(
            EpisodeEnded(result, f"The last version: {last.verdict if last else 'none'}.", done)
        )


class Versions:
    """`stale` are the numbers of those whose score is of before a walk was judged."""

    def __init__(self, bench: Workbench, record: DraftRecord) -> None:
        self.all: list[Version] = []
        self.stale = set[int]()
        self.typing = False  # at the latest version
        self.conflicts: tuple[Conflict, ...] = ()  # what a person and the last machine both changed
        self._bench, self._record = bench, record

    def get(self, number: object) -> Version | None:
        """Return a version by its number."""
        return next((version for version in self.all if version.number == number), None)

    def add(self, made: Version) -> Version:
        """Number and keep a version. Raises LogError."""
        made = replace(made, number=len(self.all) + 1)
        self.all.append(made)
        self.typing = False
        self._record.keep(made)
        return made

    def keep(self, typed: Texts, by: str, parent: Version | None) -> None:
        """Keep what a person typed last, to be read when the draft is opened again. Raises LogError."""
        if not self.all or self.all[-1].texts != typed:
            number = parent.number if parent else 0
            self._record.keep(Version(len(self.all) + 1, *typed, (), by=by, parent=number))

    def change(self, old: Version, new: Version) -> None:
        """Put a version, as it counts now, in the place of what it was."""
        self.all[self.all.index(old)] = new
        self.stale.discard(new.number)

    def write(self, domain_text: str, problem_text: str, by: str, parent: Version | None) -> Version:
        """Add what a person wrote; typing on changes it, until another is made or chosen. Raises LogError."""
        latest, typed_on = self.all[-1] if self.all else None, False
        if self.typing and latest is not None and parent is not None:
            if latest.texts == (domain_text, problem_text):
                return latest
            if parent.number in (latest.number, latest.parent):
                typed_on, parent = True, self.get(latest.parent)
        made = self._bench.written(domain_text, problem_text, by, parent)
        if typed_on:
            self.all.pop()
        made, self.typing = self.add(made), True
        return made

    def add_merged(self, made: Version, last: Version | None) -> Version:
        """Add what a machine made of the last one, with what people edited before put back; note where both
        changed it. Raises LogError.
        """
        self.conflicts = ()
        chain: list[tuple[Problem, bool]] = []
        while last is not None:
            if last.problem is not None:
                chain.insert(0, (last.problem, last.by not in MACHINES))
            last = self.get(last.parent)
        if made.problem is None or not any(by_person for _, by_person in chain):
            return self.add(made)
        merged, self.conflicts = merge(without_people(chain), chain[-1][0], made.problem)
        if merged == made.problem:
            return self.add(made)
        kept = self._bench.written(write_domain(merged.domain), write_problem(merged), made.by)
        return self.add(replace(kept, parent=made.parent, repairs=made.repairs))

    def resolve(self) -> Conflict:
        """Return what both changed first, which is decided then."""
        first, *rest = self.conflicts
        self.conflicts = tuple(rest)
        return first


class Judgements:
    """The latest of `rulings` is the last. `evidence` is what the world was seen to do, as it counts."""

    def __init__(
        self, world: OverruledWorld, bench: Workbench, record: DraftRecord, against: Against
    ) -> None:
        self.rulings: dict[tuple[Walk, bool], Ruling] = {}
        self.evidence: dict[Evidence, None] = {}
        self._world, self._bench, self._record, self._by = world, bench, record, WHO[against]

    def add(self, rulings: Rulings) -> None:
        """Let these count, and keep them. Raises LogError."""
        for key, ruling in rulings.items():
            self.rulings.pop(key, None)
            self.rulings[key] = ruling
            self._record.say(key[0], ruling)
        self.count()

    def take_back(self) -> None:
        """Let the last one count no more. Raises LogError."""
        (walk, _), ruling = self.rulings.popitem()
        self._record.say(walk, ruling, taken_back=True)
        self.count()

    def count(self) -> None:
        """Lay all of them over the world and its walks."""
        self._world.overrule(self.rulings)
        self.evidence.clear()
        walks = self._bench.walks
        walks.said = tuple(walk for (walk, goal), one in self.rulings.items() if one.truth and not goal)
        if isinstance(walks.simulator, ModelSimulator):
            walks.simulator.overruled = self.rulings

    def open(self, difference: Difference) -> bool:
        """Return True if nobody said anything of it."""
        return (difference.words, difference.goal) not in self.rulings

    def told(self, comparison: Comparison) -> Comparison:
        found = comparison.difference
        if found is not None:
            return replace(comparison, difference=self.said(found))
        return replace(comparison, alike=ALIKE, impossible=()) if self._by == LENT else comparison

    def said(self, one: Difference) -> Difference:
        """Return a difference with who says so, if it is not the world."""
        key = one.words, one.goal
        ruling = self._world.ruling(*key) if self._bench.world is not None else self.rulings.get(key)
        if ruling is None or ruling.said is Said.SIMULATION:
            return replace(one, by=self._by)
        return replace(one, by=ruling.by, reason="")
