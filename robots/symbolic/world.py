"""Any domain's own semantics as a true world, with the situations that its folder gives."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from core.domains import Folder, Situation, Task
from core.facts import Atom, Belief
from core.methods.rules import Assumptions
from core.planning import semantics
from core.problem import Literal, Step
from robots.luck import check_names, draw, pick, scaled

_IN_HAND = "inhand"  # the predicate that "?held" is read from: its last argument is the thing held


@dataclass(frozen=True)
class Happening:
    """What truly happened in a step; `failed` says why it could not even begin."""

    step: Step
    before: frozenset[Atom]
    after: frozenset[Atom]
    situation: str = ""
    failed: str = ""


class SymbolicWorld:
    """One episode. A step that is not applicable fails and changes nothing. Not for several threads.

    What "falls" means is the folder's to say: every fact that its exclusives name of the fallen thing ends,
    and its assumptions then tell where a thing that is nowhere must be.
    Raises BadValue (openness or rates out of range), UnknownName (a rate for no situation).
    """

    def __init__(
        self,
        folder: Folder,
        task: Task,
        *,
        seed: int = 0,
        openness: float = 1.0,
        rates: Mapping[str, float] | None = None,
    ) -> None:
        check_names(rates or {}, (s for skill in folder.skills.values() for s in skill.situations))
        self.problem = task.problem
        self.state = task.problem.state
        self._seed = seed
        self._tries: Counter[Step] = Counter()
        self._exclusives = folder.exclusives
        self._assumptions = Assumptions(folder, task.problem)
        self._situations = {
            action: scaled(skill.situations, openness, rates) for action, skill in folder.skills.items()
        }

    def do(self, step: Step) -> Happening:
        before = self.state
        if reasons := semantics.applicable(self.problem, before, step):
            return Happening(step, before, before, failed="; ".join(reasons))
        luck = draw(self._seed, str(step), self._tries[step])
        self._tries[step] += 1
        situation = pick(self._situations.get(step.name, ()), luck)
        names = self._names(step)
        if situation and not _terms(situation) <= names.keys():
            situation = None  # nothing in the hand that could fall
        worked = semantics.apply(self.problem, before, step)
        if situation is None:
            self.state = worked
        else:
            self.state = self._gone_wrong(worked if situation.besides else before, situation, names)
        return Happening(step, before, self.state, situation.name if situation else "")

    def _names(self, step: Step) -> dict[str, str]:
        """What the terms of a situation stand for in this step."""
        names = {f"?{n}": name for n, name in enumerate(step.args)}
        held = [atom.args[-1] for atom in sorted(self.state) if atom.predicate == _IN_HAND]
        return {**names, "?held": held[0]} if held else names

    def _gone_wrong(
        self, state: frozenset[Atom], situation: Situation, names: Mapping[str, str]
    ) -> frozenset[Atom]:
        if situation.drops:
            state = self._loose(state, names[situation.drops])
        bound = [effect.bind(names) for effect in situation.effects]
        state = state.difference(e.atom for e in bound if not e.positive)
        state = state.union(e.atom for e in bound if e.positive)
        return self._assumptions.made(Belief.given(state), 0).state if situation.drops else state

    def _loose(self, state: frozenset[Atom], thing: str) -> frozenset[Atom]:
        """The state without what the exclusives say of the thing: in no hand and in no place."""
        patterns = [
            pattern.bind({variable.name: thing})
            for exclusive in self._exclusives
            for variable in exclusive.forall
            for pattern in exclusive.of
            if variable.name in pattern.args
        ]
        return frozenset(atom for atom in state if not any(_fits(atom, p) for p in patterns))


def _terms(situation: Situation) -> set[str]:
    terms = {arg for effect in situation.effects for arg in effect.args}
    return {term for term in terms | {situation.drops} if term.startswith("?")}


def _fits(atom: Atom, pattern: Literal) -> bool:
    return atom.predicate == pattern.predicate and all(
        p.startswith("?") or p == a for p, a in zip(pattern.args, atom.args, strict=True)
    )
