"""Ground rules over numbered facts, for derived predicates and disjunctive conditions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from core.work import work_in_force

Facts = frozenset[int]


@dataclass(frozen=True, slots=True)
class NumberedRule:
    """`fact` follows if all of `needs` hold and none of `forbids`."""

    needs: Facts
    forbids: Facts
    fact: int


class LayeredRules:
    """Rules in layers. A derived fact is in no state; it is recomputed for each one."""

    def __init__(self, rules: Iterable[NumberedRule], min_layers: Mapping[int, int]) -> None:
        """`min_layers` gives for some facts the lowest layer that they may be in."""
        self.all = tuple(rules)
        self.layer = _layers(self.all, min_layers)
        self.facts: Facts = frozenset(sorted(self.layer))
        self._layers = []
        for number in sorted(set(self.layer.values())):
            self._layers.append(_RuleLayer([r for r in self.all if self.layer[r.fact] == number]))

    def __bool__(self) -> bool:
        return bool(self.all)

    def closure(self, facts: Facts) -> Facts:
        """Return the facts with what follows from them; the given ones must not include derived facts."""
        if not self.all:
            return facts
        known = set(facts)
        for layer in self._layers:
            layer.close(known)
        return frozenset(sorted(known))


class _RuleLayer:
    """Forward chaining: each rule counts its unmet conditions."""

    def __init__(self, rules: list[NumberedRule]) -> None:
        self._rules = rules
        self._unmet_counts = [len(rule.needs) for rule in rules]
        self._unconditional = [number for number, rule in enumerate(rules) if not rule.needs]
        self._waiting: dict[int, list[int]] = {}
        for number, rule in enumerate(rules):
            for fact in rule.needs:
                self._waiting.setdefault(fact, []).append(number)

    def close(self, known: set[int]) -> None:
        open_, waiting, rules = self._unmet_counts.copy(), self._waiting, self._rules
        new = [rules[n].fact for n in self._unconditional if rules[n].forbids.isdisjoint(known)]
        queue = [fact for fact in known if fact in waiting]
        for fact in new:
            if fact not in known:
                known.add(fact)
                queue.append(fact)
        while queue:
            for number in waiting.get(queue.pop(), ()):
                open_[number] -= 1
                rule = rules[number]
                if not open_[number] and rule.fact not in known and rule.forbids.isdisjoint(known):
                    known.add(rule.fact)
                    queue.append(rule.fact)


def _layers(rules: tuple[NumberedRule, ...], least: Mapping[int, int]) -> dict[int, int]:
    """Return a layer for each derived fact, so that negations refer only to lower layers."""
    found = {rule.fact: least.get(rule.fact, 0) for rule in rules}
    changed, work = True, work_in_force()
    while changed:
        changed = False
        work.spend(len(rules))
        for rule in rules:
            layer = max((found[fact] for fact in rule.needs if fact in found), default=0)
            layer = max((layer, *(found[fact] + 1 for fact in rule.forbids if fact in found)))
            if layer > found[rule.fact]:
                found[rule.fact], changed = layer, True
    return found
