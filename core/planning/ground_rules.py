"""Ground rules over facts as bits, for derived predicates and disjunctive conditions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from core.planning.fact_bits import places
from core.work import work_in_force


class BitRule(NamedTuple):
    """`fact` follows if all of `needs` hold and none of `forbids`."""

    needs: int
    forbids: int
    fact: int


class LayeredRules:
    """Rules in layers. A derived fact is in no state; it is recomputed for each one."""

    def __init__(self, rules: Iterable[BitRule], min_layers: Mapping[int, int]) -> None:
        """`min_layers` gives for the places of some facts the lowest layer that they may be in."""
        self.all = tuple(rules)
        self.layer = _layers(self.all, min_layers)  # by the place of the derived fact
        self.facts = sum(1 << place for place in self.layer)
        self._layers = [
            [rule for rule in self.all if self.layer[rule.fact.bit_length() - 1] == number]
            for number in sorted(set(self.layer.values()))
        ]
        self._waiting: dict[int, list[BitRule]] = {}
        for rule in self.all:
            layer = self.layer[rule.fact.bit_length() - 1]
            for place in places(rule.needs & self.facts):
                if self.layer[place] == layer:  # those below are complete
                    self._waiting.setdefault(1 << place, []).append(rule)

    def __bool__(self) -> bool:
        return bool(self.all)

    def closure(self, state: int) -> int:
        """Return the state with what follows from it, whatever derived facts it has."""
        state &= ~self.facts
        for layer in self._layers:
            queue = layer
            while queue:
                new = {r.fact for r in queue if not (r.needs & ~state or (r.forbids | r.fact) & state)}
                state |= sum(new)
                queue = [rule for fact in new for rule in self._waiting.get(fact, ())]
        return state


def _layers(rules: tuple[BitRule, ...], least: Mapping[int, int]) -> dict[int, int]:
    """Return a layer for each derived fact, so that negations refer only to lower layers."""
    heads = [rule.fact.bit_length() - 1 for rule in rules]
    found = {head: least.get(head, 0) for head in heads}
    derived = sum(1 << place for place in found)
    bodies = [(list(places(r.needs & derived)), list(places(r.forbids & derived))) for r in rules]
    changed, work = True, work_in_force()
    while changed:
        changed = False
        work.spend(len(rules))
        for head, (needs, forbids) in zip(heads, bodies, strict=True):
            layer = max((0, *(found[place] for place in needs), *(found[place] + 1 for place in forbids)))
            if layer > found[head]:
                found[head], changed = layer, True
    return found
