"""The versions of a draft: kept in the log, and what people edited stays when a machine makes the next."""

from __future__ import annotations

from dataclasses import replace

from core.drafting.edits import Conflict, merge, without_people
from core.drafting.record import DraftRecord
from core.drafting.rounds import MODEL, REPAIR, Version, Workbench
from core.planning.pddl.writer import write_domain, write_problem
from core.planning_model import Problem

TEMPLATE = "template"  # makes versions, as MODEL and REPAIR do
MACHINES = (MODEL, REPAIR, TEMPLATE)


class Versions:
    """`stale` are the numbers of those whose score is of before a walk was judged."""

    def __init__(self, bench: Workbench, record: DraftRecord) -> None:
        self.all: list[Version] = []
        self.stale = set[int]()
        self.typing = False  # at the latest version
        self.conflicts: tuple[Conflict, ...] = ()  # what a person and the last machine both changed
        self._bench, self._record = bench, record

    def get(self, number: int) -> Version | None:
        """Return a version by its number."""
        return next((version for version in self.all if version.number == number), None)

    def add(self, made: Version) -> Version:
        """Number and keep a version. Raises LogError."""
        made = replace(made, number=len(self.all) + 1)
        self.all.append(made)
        self.typing = False
        self._record.keep(made)
        return made

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
