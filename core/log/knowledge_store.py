"""Keep what people let into a domain for good: one file per domain, that later episodes begin with."""

from __future__ import annotations

import json
import os
import re
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from core.data_file import make_folder, read_text, write_text
from core.episode_state import EpisodeState, PlanRowState, SuggestionState
from core.errors import BadFile, ConsoleError
from core.knowledge.apply import apply_changes, change_faults
from core.knowledge.changes import AddFact, AddObject, Change, LearntChange
from core.knowledge.proposed import Used
from core.log.integrity.validation import parse_json
from core.log.serialize import DecodeError, codec_for
from core.planning_model import Problem

MAX_CHANGES = 300  # of one domain; a person admitted each
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

    def admit(self, domain: str, new: Admitted) -> None:
        """Add changes to those of the domain. Raises BadFile."""
        self.update(domain, lambda old: (*old, *(one for one in new if not _has(old, one))))

    def keep(self, domain: str, one: AdmittedChange) -> None:
        """Keep a change, or switch it off, as `one.kept` says; a new one is added. Raises BadFile."""

        def kept(old: Admitted) -> Admitted:
            if not _has(old, one):
                return (*old, one)
            return tuple(replace(o, kept=one.kept) if _has((one,), o) else o for o in old)

        self.update(domain, kept)

    def remove(self, domain: str, change: Change) -> None:
        """Remove a change: the next episode begins without it. Raises BadFile."""
        self.update(domain, lambda old: tuple(one for one in old if one.learnt.change != change))

    def _save(self, domain: str, changes: Admitted) -> None:
        path = self.path(domain)
        text = json.dumps(codec_for(_File).encode(_File(1, changes)), ensure_ascii=True, indent=1)
        make_folder(self.folder, _REMEDY)
        write_text(path, text, _REMEDY)


def _has(admitted: Admitted, one: AdmittedChange) -> bool:
    return any(other.learnt.change == one.learnt.change for other in admitted)


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
