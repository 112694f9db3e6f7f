"""DKPROMPT: the domain's own preconditions and effects become the questions (Zhang et al., section 3.3)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from core.domains import Folder, Perception
from core.facts import Answer, Atom, Belief, Contradiction, Entry, Purpose, Query, Source, Verdict
from core.methods.rules import Assumptions
from core.planning import semantics
from core.ports import Moment
from core.problem import EQUALS, Literal, Problem, Step


class DKPrompt:
    """Asks about the effects of the step just done and the preconditions of the next one, in one call.

    Only vision predicates are asked about (Table 2). Senses are read, everything else stands as given
    or predicted. What the robot reports of a step is not read: a failure must be seen.
    """

    name = "dkprompt"

    def __init__(self, folder: Folder, problem: Problem) -> None:
        self._folder = folder
        self._problem = problem
        self._assumptions = Assumptions(folder, problem)
        self._conditions_of: dict[Step, tuple[Literal, ...]] = {}
        self._changes: dict[tuple[frozenset[Atom], Step], tuple[Literal, ...]] = {}

    def begin(self, problem: Problem) -> Belief:
        return Belief.given(problem.state)

    def problem(self, belief: Belief) -> Problem:
        return self._problem.at(belief.state)

    def reached(self, belief: Belief) -> bool:
        return all((goal.atom in belief.state) == goal.positive for goal in self._problem.goal)

    # --- asking ------------------------------------------------------------------------------------------

    def questions(self, moment: Moment) -> tuple[Query, ...]:
        queries: dict[Atom, Query] = {}
        for purpose, literal in self._wanted(moment):
            if literal.atom in moment.asked or literal.atom in queries:
                continue
            query = self._folder.query(literal.atom, purpose, Verdict.of(literal.positive))
            if query is not None:
                queries[literal.atom] = query
        return tuple(queries.values())

    def _wanted(self, moment: Moment) -> Iterator[tuple[Purpose, Literal]]:
        for effect in self._effects(moment):
            yield Purpose.EFFECT, effect
        for condition in self._conditions(moment):
            yield Purpose.PRECONDITION, condition
        for atom in moment.belief.doubtful:
            expected = moment.belief.verdict(atom) is Verdict.YES
            yield Purpose.DOUBT, Literal(atom.predicate, atom.args, expected)

    def _effects(self, moment: Moment) -> tuple[Literal, ...]:
        """Effects of the step just done that change the belief held before it."""
        if moment.done is None or moment.before is None:
            return ()
        return self._changed(moment.before.state, moment.done)

    def _changed(self, state: frozenset[Atom], step: Step) -> tuple[Literal, ...]:
        known = self._changes.get((state, step))
        if known is None:
            after = semantics.apply(self._problem, state, step)
            added = (Literal(a.predicate, a.args) for a in sorted(after - state))
            gone = (Literal(a.predicate, a.args, False) for a in sorted(state - after))
            known = self._changes[state, step] = (*added, *gone)
        return known

    def _conditions(self, moment: Moment) -> tuple[Literal, ...]:
        return self._preconditions(moment.plan[0]) if moment.plan else ()

    def _preconditions(self, step: Step) -> tuple[Literal, ...]:
        """Those that can be believed or not; whether two objects are the same is no question."""
        known = self._conditions_of.get(step)
        if known is None:
            conditions = semantics.operator(self._problem, step).precondition
            known = tuple(c for c in conditions if c.predicate != EQUALS)
            self._conditions_of[step] = known
        return known

    # --- believing ---------------------------------------------------------------------------------------

    def sense(self, belief: Belief, answers: Sequence[Answer], turn: int) -> Belief:
        return belief.told(answers)

    def believe(self, belief: Belief, answers: Sequence[Answer], turn: int) -> Belief:
        return self._assumptions.made(belief.told(answers), turn)

    def predict(self, belief: Belief, step: Step, turn: int) -> Belief:
        return belief.holding(
            Entry(effect.atom, Verdict.of(effect.positive), Source.PREDICTED, turn)
            for effect in self._changed(belief.state, step)
        )

    def doubt(self, belief: Belief, step: Step, turn: int) -> Belief:
        """Values stay as they were before the step; what a picture or a sense can tell is asked again."""
        touched = {
            literal.atom for literal in (*self._preconditions(step), *self._changed(belief.state, step))
        }
        return belief.holding(
            replace(belief.entry(atom), doubtful=True)
            for atom in touched
            if self._folder.perception(atom.predicate) is Perception.VISION
        )

    # --- noticing ----------------------------------------------------------------------------------------

    def surprises(self, moment: Moment) -> tuple[Literal, ...]:
        state = moment.belief.state
        expected = (*self._needed_effects(moment), *self._conditions(moment))
        return tuple(dict.fromkeys(e for e in expected if (e.atom in state) != e.positive))

    def contradictions(self, moment: Moment, answers: Sequence[Answer]) -> tuple[Contradiction, ...]:
        """Answers against what is needed and believed, and atoms that exclude each other."""
        found = []
        needed = {e.atom for e in (*self._needed_effects(moment), *self._conditions(moment))}
        for answer in answers:
            held = moment.belief.entry(answer.atom)
            if answer.verdict in (Verdict.UNKNOWN, held.verdict) or answer.atom not in needed:
                continue
            why = f"{held.source.value} {held.verdict.value}, now {answer.verdict.value}"
            found.append(Contradiction((answer.atom,), why))
        found += self._assumptions.excluded(moment.belief.told(answers), {a.atom for a in answers})
        return tuple(found)

    def _needed_effects(self, moment: Moment) -> tuple[Literal, ...]:
        """What the step was done for: its new facts, and what it removed if the plan needs it gone."""
        return tuple(e for e in self._effects(moment) if e.positive or self._needed(e, moment.plan))

    def _needed(self, effect: Literal, plan: Sequence[Step]) -> bool:
        return effect in self._problem.goal or any(effect in self._preconditions(step) for step in plan)
