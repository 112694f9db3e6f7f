"""What people said of walks of one draft: it counts in the world, the score and every repair, and is kept."""

from __future__ import annotations

from dataclasses import replace

from core.drafting.agreement import Comparison, Difference
from core.drafting.record import DraftRecord
from core.drafting.repair import Evidence
from core.drafting.rounds import Workbench
from core.drafting.simulator import ModelSimulator, OverruledWorld, Ruling, Rulings, Said
from core.drafting.source import Against
from core.drafting.steps import Walk

LENT = "the template"
ALIKE = "Nothing differs from the template; nobody has looked at the photograph."
WHO = {Against.WORLD: "", Against.MODEL: "the simulating model", Against.TEMPLATE: LENT}


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
