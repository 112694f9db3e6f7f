"""Keep what people let into a domain for good: one file per domain, that later episodes begin with."""

from __future__ import annotations

import json
import os
import re
import threading
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from core.data_file import make_folder, read_text, write_text
from core.episode_state import EpisodeState, PlanRowState, SuggestionState
from core.errors import BadFile, ConsoleError
from core.knowledge.apply import apply_changes, change_faults
from core.knowledge.changes import AddFact, AddObject, Change, LearntChange, SideEffect
from core.knowledge.proposed import Used
from core.log.integrity.validation import parse_json
from core.log.serialize import DecodeError, codec_for
from core.planning_model import Problem

MAX_CHANGES = 300  # of one domain
MAX_COUNTS = 150  # of these; the others, a person admitted each
_REMEDY = "The domain is used as it came; move the file away to begin anew"
_LOCK = threading.Lock()  # two episodes of this program may end at once


@dataclass(frozen=True)
class AdmittedChange:
    """A lasting change, who admitted or refused it, and in which episode (`learnt.episode`).

    Later episodes begin with it while it is `kept`. `served` counts the episodes that used it, `refused` the
    refusals by a person.
    """

    learnt: LearntChange
    by: str
    method: str = ""
    kept: bool = True
    served: int = 0
    refused: int = 0


Admitted = tuple[AdmittedChange, ...]


@dataclass(frozen=True)
class _File:
    version: int
    changes: tuple[AdmittedChange, ...]


class KnowledgeStore:
    """The files in one folder. Any thread; every method reads or writes one small file."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, domain: str) -> Path:
        return self.folder / f"{re.sub(r'[^A-Za-z0-9_-]', '_', domain) or 'domain'}.json"

    def load(self, domain: str) -> tuple[AdmittedChange, ...]:
        """Return what was admitted for this domain, the oldest first. Raises BadFile."""
        path = self.path(domain)
        if not os.path.lexists(path):
            return ()
        text = read_text(path, _REMEDY)
        try:
            file: _File = codec_for(_File).decode(parse_json(text))
        except (ValueError, KeyError, TypeError, DecodeError, RecursionError, ConsoleError) as error:
            raise BadFile(path, "is no list of learnt changes", remedy=_REMEDY) from error
        if len(file.changes) > MAX_CHANGES:
            raise BadFile(path, f"has more than {MAX_CHANGES} changes", remedy=_REMEDY)
        return file.changes

    def update(self, domain: str, change: Callable[[Admitted], Admitted]) -> None:
        """Replace the changes of the domain by what `change` makes of them. Raises BadFile."""
        with _LOCK:
            old = self.load(domain)
            if (new := change(old)) != old:
                self._save(domain, new)

    def keep(self, domain: str, one: AdmittedChange) -> None:
        """Keep a change, or switch it off, as `one.kept` says; a new one is added. Raises BadFile."""

        def kept(old: Admitted) -> Admitted:
            changes = [other.learnt.change for other in old]
            new = () if one.learnt.change in changes else (one,)
            return (*switched(old, (one.learnt.change,), one.kept), *new)

        self.update(domain, kept)

    def remove(self, domain: str, change: Change) -> None:
        """Remove a change: the next episode begins without it. Raises BadFile."""
        self.update(domain, lambda old: tuple(one for one in old if one.learnt.change != change))

    def _save(self, domain: str, changes: Admitted) -> None:
        path = self.path(domain)
        text = json.dumps(codec_for(_File).encode(_File(1, changes)), ensure_ascii=True, indent=1)
        make_folder(self.folder, _REMEDY)
        write_text(path, text, _REMEDY)


def switched(old: Admitted, changes: Collection[Change], kept: bool) -> Admitted:
    """Return what is stored with these changes kept, or switched off."""
    return tuple(replace(one, kept=kept) if one.learnt.change in changes else one for one in old)


def usable(
    problem: Problem, admitted: tuple[AdmittedChange, ...]
) -> tuple[tuple[LearntChange, ...], tuple[str, ...]]:
    """Return the kept changes that the problem can take, and of each other one a sentence why not."""
    taken: list[LearntChange] = []
    faults: list[str] = []
    for learnt in (one.learnt for one in admitted if one.kept):
        trial = [*(t.change for t in taken), learnt.change]
        try:
            if not (found := change_faults(problem, trial)):
                apply_changes(problem, trial)
        except (KeyError, StopIteration, ValueError):
            found = ("The domain has changed since.",)
        if found:
            faults.append(f"Learnt before, and left out now: {learnt.change.describe()}. {found[0]}")
        else:
            taken.append(learnt)
    return tuple(taken), tuple(faults)


IN_FORCE = (SuggestionState.ACCEPTED, SuggestionState.EDITED)


def admitted_in(state: EpisodeState) -> tuple[AdmittedChange, ...]:
    """Return the lasting changes that a person admitted in this episode and that are in force."""
    method = state.started.settings.get("method", "") if state.started else ""
    return tuple(
        AdmittedChange(replace(learnt, episode=state.episode), one.by, method)
        for one in state.suggestions
        if one.state in IN_FORCE and one.by
        for learnt in one.changes
        if learnt.change.lasting
    )


def after_episode(old: tuple[AdmittedChange, ...], state: EpisodeState) -> tuple[AdmittedChange, ...]:
    """Return the changes after an episode: with new ones, and counts of what served and was refused."""
    known = {one.learnt.change: one for one in old}
    for one in admitted_in(state):
        known[one.learnt.change] = replace(known.get(one.learnt.change, one), kept=True)
    for suggested in state.suggestions:
        if suggested.state is not SuggestionState.REFUSED or not suggested.by:
            continue
        for learnt in suggested.suggestion.changes:
            if learnt.change in state.refused_changes and learnt.change.lasting:
                first = AdmittedChange(replace(learnt, episode=state.episode), suggested.by, kept=False)
                entry = known.get(learnt.change, first)
                known[learnt.change] = replace(entry, refused=entry.refused + 1)
    used = served_in(state)
    return tuple(replace(one, served=one.served + (change in used)) for change, one in known.items())


def with_counts(old: Admitted, counted: Iterable[LearntChange], episode: str, by: str) -> Admitted:
    """Return the changes with what an episode of this person counted, but for what is switched off."""
    known = {one.learnt.change: one for one in old}
    for learnt in (replace(one, episode=episode) for one in counted):
        before = known.get(learnt.change)
        if before is None or before.kept:
            both = replace(learnt, change=_sum(before.learnt.change, learnt.change)) if before else learnt
            known[learnt.change] = replace(before or AdmittedChange(both, by), learnt=both, by=by)
    counts = sorted((o for o in known.values() if o.learnt.robot), key=lambda o: o.learnt.episode)
    return tuple(one for one in known.values() if one not in counts[:-MAX_COUNTS])


def _sum(old: Change, new: Change) -> Change:
    """Return the count of earlier episodes with another one's."""
    if not (isinstance(old, SideEffect) and isinstance(new, SideEffect)):
        return new
    happened, times = round(old.happened + new.happened, 2), round(old.times + new.times, 2)
    return replace(old, happened=happened, times=times, episodes=old.episodes + new.episodes)


def served_in(state: EpisodeState) -> frozenset[Change]:
    """Return the changes in force that an episode used: a thing, a device, or a situation that was barred."""
    changes = [learnt.change for learnt in state.knowledge]
    types = {o.name: o.type for o in state.started.objects} if state.started else {}
    types |= {c.name: c.type for c in changes if isinstance(c, AddObject)}
    facts = {c.fact.predicate for c in changes if isinstance(c, AddFact)}
    done = [row.step for row in state.plan_rows if row.state is PlanRowState.DONE]
    ran = frozenset((step.name, types.get(arg, "")) for step in done for arg in step.args)
    used = Used(frozenset(kind for _, kind in ran), ran, frozenset(facts))
    return frozenset(change for change in changes if change.served(used))
