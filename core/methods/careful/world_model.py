"""Tabulate what a step may lead to, what the robot then senses, and what a picture then shows.

States are numbered, so that the tables are keyed by integers. They are filled when needed, and nothing in
them depends on the course of an episode.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from types import MappingProxyType
from typing import NamedTuple

from core.belief import Atom
from core.domains import HELD_FALLS, SHOWN, DomainSpec, Perception, WorldRules
from core.knowledge.changes import A_FALL
from core.methods.careful.learnt_rates import NO_EFFECT, NOT_POSSIBLE, WEIGHT, learnt, learnt_situations
from core.methods.careful.untold import NEVER, NO_COUNTS, Counts, Kind, prior, rate, rounded, share
from core.planning import semantics
from core.planning.compiled import compiled
from core.planning.default_rules import RuleSet
from core.planning.outcomes import OutcomeModel
from core.planning.remembered import Table, remembered
from core.planning.same_skill import SameSkill
from core.planning.visibility import Visibility
from core.planning_model import Problem, Step

State = frozenset[Atom]
NOTHING_HAPPENS = 0.02  # of every step, beyond the folder's situations: no folder lists everything
UNLISTED_FALL = replace(HELD_FALLS, rate=0.02)  # in an action of which the folder lists nothing
NEVER_HOPELESS = 0.9  # a step that fails more often than this counts as failing this often
FOUND_AGAIN = 1.0  # steps after a thing fell


class Transition(NamedTuple):
    """One way in which a step may go from one state to another."""

    probability: float
    state: int
    situation: str  # "" where the step works; else one of the folder's, or one of those below
    untold: Mapping[Kind, bool] = MappingProxyType({})  # side effects that could happen: did they?


class WorldModel:
    """The states met so far and the tables about them. Pure: all of it follows from the arguments, of which
    `kept` is what earlier episodes counted.
    """

    def __init__(
        self,
        domain_spec: DomainSpec,
        problem: Problem,
        scale: float = 1.0,
        kept: Counts = NO_COUNTS,
        sees_all: bool = False,
    ) -> None:
        self.domain_spec, self.problem, self.kept = domain_spec, problem, kept
        self._skills = SameSkill(domain_spec, problem)
        expected = OutcomeModel.for_agent(domain_spec, problem, scale).situations
        told = {action: found or (UNLISTED_FALL,) for action, found in expected.items()}
        listed = {action: learnt_situations(action, found, kept) for action, found in told.items()}
        self._outcomes = OutcomeModel(problem, domain_spec, listed)
        self._rules = RuleSet(domain_spec, problem)
        fluents = problem.domain.fluents - domain_spec.bookkeeping
        by_perception = {q: domain_spec.perception(q) for q in fluents}
        self.seen = {q for q, how in by_perception.items() if how in SHOWN}
        self.sensed = {q for q, how in by_perception.items() if how is Perception.SENSE}
        self._visibility = Visibility(domain_spec, problem)
        self._showing = {lit.predicate for rule in domain_spec.visibility_rules for lit in rule.where}
        in_words = {q for q in by_perception if q not in self.sensed and domain_spec.has_statement(q)}
        # What a person can be asked about. Not what comes and goes with the view: robots differ in what
        # counts as in view, and an exact answer would rule out the true state.
        self.askable = (self.seen | in_words) - self._of_the_view
        self._implied = RuleSet(WorldRules(domain_spec.implied_rules), problem)
        self._implying = {
            literal.predicate for r in domain_spec.implied_rules for literal in (*r.where, *r.unless, *r.then)
        }
        self._concluded = {lit.predicate for r in domain_spec.implied_rules for lit in r.then if lit.positive}
        self.states: list[State] = []
        self.masks: list[int] = []  # a bit for every atom that holds
        self.goals = set[int]()  # the states at the goal
        self.counted_before = kept
        self._learnt_from = NO_COUNTS, NO_COUNTS
        self.learnt = 0  # how often the probabilities of transitions have changed
        self._number: dict[State, int] = {}
        self._reading_numbers: dict[State, int] = {}
        self.bits = compiled(problem).facts
        # how likely a picture taken in a state shows an atom, if it holds
        self.visible: Table[Atom, Table[int, float]] = Table(
            lambda atom: Table(lambda state: self._visible(state, atom))
        )
        self.hides = bool(domain_spec.visibility_rules) and not sees_all
        self._hidden = {name for rule in domain_spec.visibility_rules for name in rule.hides}

    # --- states ------------------------------------------------------------------------------------------

    def number(self, state: State) -> int:
        """Return the number of this state, with what the folder says it implies."""
        known = self._number.get(state)
        if known is None:
            full = self._complete(state)
            known = self._number.get(full)
            if known is None:
                known = self._number[full] = len(self.states)
                self.states.append(full)
                self.masks.append(self.bits.mask(full))
                if semantics.goal_holds(self.problem, full):
                    self.goals.add(known)
            self._number[state] = known
        return known

    def _complete(self, state: State) -> State:
        """Return the state with what the folder says it implies."""
        if not self._implying:
            return state
        part = frozenset([a for a in state if a.predicate in self._implying])
        return (state - part) | self._with_implied(part)

    @remembered
    def _with_implied(self, part: State) -> State:
        return self._implied.apply_to_state(part)

    @remembered
    def is_implied(self, state: int, atom: Atom) -> bool:
        """Return True if the atom follows from the rest of the state by what the folder says it implies."""
        return atom.predicate in self._concluded and atom in self._complete(self.states[state] - {atom})

    def is_goal(self, state: int) -> bool:
        return state in self.goals

    @remembered
    def readings(self, state: int) -> State:
        """Return what the robot's sensors read in this state."""
        return frozenset(a for a in self.states[state] if a.predicate in self.sensed)

    @remembered
    def reading(self, state: int) -> int:
        """Return the number of what the sensors read: states with the same one feel alike."""
        numbers = self._reading_numbers
        return numbers.setdefault(self.readings(state), len(numbers))

    # --- steps -------------------------------------------------------------------------------------------

    @remembered
    def after(self, state: int, step: Step) -> int:
        """Return the state after the step if it works, or if it is not possible."""
        possible = self._skills.as_possible(self.states[state], step)
        if possible is None:
            return state
        return self.number(semantics.apply(self.problem, self.states[state], possible))

    def learn(self, counts: Counts) -> None:
        """Expect side effects from now on as these counts say, and those of earlier episodes."""
        counts, before = rounded(counts), self.counted_before  # tables are made anew only where it matters
        if (counts, before) != self._learnt_from:
            self._learnt_from = counts, before
            self.learnt += 1

    def transitions(self, state: int, step: Step) -> list[Transition]:
        """Return where the step may lead, success first, with side effects as likely as is known by now."""
        ways = self.ways(state, step)
        return [way._replace(probability=way.probability * self.share(way.untold)) for way in ways]

    def share(self, untold: Mapping[Kind, bool]) -> float:
        """Return how likely exactly these side effects are, of those that could happen."""
        return share(untold, *self._learnt_from)

    @remembered
    def is_possible(self, state: int, step: Step) -> bool:
        return self._skills.as_possible(self.states[state], step) is not None

    @remembered
    def gains(self, step: Step) -> int:
        """Return the facts that the step is meant to change, or its situations may, as bits."""
        return self.bits.mask(self.touched(step))

    @remembered
    def needs(self, step: Step) -> int:
        """Return the facts that decide if the step is possible, as bits."""
        return self.bits.mask([literal.atom for literal in semantics.preconditions(self.problem, step)])

    @remembered
    def ways(self, state: int, step: Step) -> tuple[Transition, ...]:
        """Return the same; the probabilities are those of the folder, whatever the side effects."""
        possible = self._skills.as_possible(self.states[state], step)
        if possible is None:
            return (Transition(1.0, state, NOT_POSSIBLE),)
        found = [
            Transition(o.probability, self.number(o.state), o.situation)
            for o in self._outcomes.outcomes_of_applicable(self.states[state], possible)
        ]
        works = found[0]
        nothing = Transition(works.probability * self._no_effect(step.name), state, NO_EFFECT)
        works = works._replace(probability=works.probability - nothing.probability)
        ways = [t for t in (works, *found[1:], nothing) if t.probability > 0]
        return tuple(part for way in ways for part in self._with_untold(step, possible, state, way))

    @remembered
    def _no_effect(self, action: str) -> float:
        """Return how often an action does nothing, though no situation happened."""
        return learnt(NOTHING_HAPPENS, self.kept.get(Kind(action, NO_EFFECT, None), NEVER))

    def expected(self, kind: Kind) -> tuple[float, float]:
        """Return how often this was expected as the episode began, and as if after how many tries."""
        before = self.kept.get(kind, NEVER).times
        if kind.ends is not None:
            return rate(kind, NO_COUNTS, self.kept), sum(prior(kind)) + before
        rates = {s.name: s.rate for s in self._outcomes.situations.get(kind.cause, ())}
        return rates.get(kind.predicate, self._no_effect(kind.cause)), WEIGHT + before

    def _with_untold(self, step: Step, possible: Step, state: int, way: Transition) -> list[Transition]:
        """Return this way, and the same with facts of the goal changed though no line of the folder says so:
        it is a hypothesis too.
        """
        happened = [s for s in self._outcomes.situations[step.name] if s.name == way.situation]
        falls = self._outcomes.falling(self.states[state], possible, happened[0]) if happened else ""
        handled = {falls} if falls else {*self.domain_spec.relevant_args(step)}
        found = [way]
        if way.situation == NO_EFFECT:
            return found
        before, after = self.states[state], self.states[way.state]
        for atom, so in self.goal_seen.items():
            if (atom in before) is so is (atom in after) and handled.intersection(atom.args):
                kind = Kind(A_FALL if falls else step.name, atom.predicate, so)
                found = [part for one in found for part in self._either(one, kind, atom)]
        return found

    def _either(self, way: Transition, kind: Kind, atom: Atom) -> list[Transition]:
        """Return the way without a side effect, and with it unless that is too rare."""
        without = way._replace(untold={**way.untold, kind: False})
        if any(way.untold.values()) and kind.cause != A_FALL:
            return [without]
        changed = self._changed(way.state, atom, not kind.ends)
        return [without, way._replace(state=changed, untold={**way.untold, kind: True})]

    @cached_property
    def goal_seen(self) -> Mapping[Atom, bool]:
        """Return what the goal says of facts that a picture shows, or could."""
        return {g.atom: g.positive for g in self.problem.goal if g.predicate in self.seen}

    @remembered
    def _changed(self, state: int, atom: Atom, holds: bool) -> int:
        if holds:
            return self.number(self._rules.apply_to_state(self.states[state] | {atom}))
        return self.number(self._rules.apply_to_state(self.states[state] - {atom}) - {atom})

    def same_to_robot(self, step: Step) -> tuple[Step, ...]:
        """Return the steps that differ from this one in the planner's arguments only."""
        return self._skills.same_to_robot(step)

    def attempts(self, step: Step) -> float:
        """Return how often the step has to be tried, on average, until it works."""
        return self._attempts(step.name)

    @remembered
    def _attempts(self, action: str) -> float:
        situations = self._outcomes.situations.get(action, ())
        fails = sum(s.rate for s in situations if s.drops != "?held") + self._no_effect(action)
        return 1 / (1 - min(NEVER_HOPELESS, fails))

    @remembered
    def step_cost(self, state: int, step: Step) -> float:
        """Return the steps that a step costs here on average, with those for what falls."""
        here, again = self.states[state], 0.0
        for situation in self._outcomes.situations.get(step.name, ()):
            if falls := self._outcomes.falling(here, step, situation):
                felt = self._felt_of(falls)
                carried = any(atom.predicate in felt and falls in atom.args for atom in here)
                again += situation.rate * (FOUND_AGAIN + (self._grasped_again(felt) if carried else 0.0))
        return self.attempts(step) * (1 + again)

    @remembered
    def _felt_of(self, thing: str) -> frozenset[str]:
        """Return the predicates that say where a thing is and that the robot feels: in the hand."""
        return frozenset(p.predicate for p in self._outcomes.places_of(thing)) & self.sensed

    @remembered
    def _grasped_again(self, felt: frozenset[str]) -> float:
        """Return the steps that it takes on average to bring about one of these predicates."""
        situations = self._outcomes.situations.items()
        falls = {action: sum(s.rate for s in found if s.drops) for action, found in situations}
        tries = (
            self._attempts(action.name) * (1 + falls.get(action.name, 0.0))
            for action in self.problem.domain.actions
            if any(e.literal.positive and e.literal.predicate in felt for e in action.effects)
        )
        return min(tries, default=FOUND_AGAIN)

    @remembered
    def touched(self, step: Step) -> State:
        """Return the atoms that a step is meant to change, or its situations may."""
        return semantics.touched(self.problem, step)

    def felt(self, step: Step) -> tuple[str, ...]:
        """Return the situations that the robot notices in a step."""
        skill = self.domain_spec.skills.get(step.name)
        return skill.detects if skill is not None else ()

    def feels_everything(self, step: Step) -> bool:
        """Return True if the robot notices whatever goes wrong in this step."""
        situations = self.domain_spec.situations_of(step.name)
        return bool(situations) and {s.name for s in situations} <= set(self.felt(step))

    # --- pictures ----------------------------------------------------------------------------------------

    def _visible(self, state: int, atom: Atom) -> float:
        about = self._about(atom) if self.hides else None
        if about is None:
            return 1.0
        return self._shown(state, atom.predicate if atom.predicate in self._hidden else "").get(about, 0.0)

    def _about(self, atom: Atom) -> str | None:
        """Return the thing that a picture has to show."""
        return next((arg for arg in atom.args if arg in self._can_be_shown), None)

    @remembered
    def _shown(self, state: int, predicate: str) -> Mapping[str, float]:
        return self._shown_in(
            frozenset([a for a in self.states[state] if a.predicate in self._showing]), predicate
        )

    @remembered
    def _shown_in(self, part: State, predicate: str) -> Mapping[str, float]:
        return self._visibility.objects(part, predicate)

    @cached_property
    def _can_be_shown(self) -> frozenset[str]:
        """Return the objects that some visibility rule could show."""
        parameters = {p.name: p.parameters for p in self.problem.domain.predicates}
        return frozenset(
            name
            for rule in self.domain_spec.visibility_rules
            for literal in rule.where
            for place, term in enumerate(literal.args)
            if term == rule.variable and literal.predicate in parameters
            for name in self.problem.of_type(parameters[literal.predicate][place].type)
        )

    @cached_property
    def _of_the_view(self) -> frozenset[str]:
        """Return the predicates that say what is shown, and that actions change which move the camera. What
        the goal names or a sensor feels is more than a view: a camera at the wrist moves with the hand.
        """
        moving = (a for a in self.problem.domain.actions if self._moves_camera(a.name))
        changed = {effect.literal.predicate for action in moving for effect in action.effects}
        goal = {literal.predicate for literal in self.problem.goal}
        return frozenset((changed & self._showing) - self.sensed - goal)

    def moves_camera(self, step: Step) -> bool:
        return self._moves_camera(step.name)

    def _moves_camera(self, action: str) -> bool:
        return action in self.domain_spec.skills and self.domain_spec.skills[action].moves_camera

    @remembered
    def looking_steps(self, state: int) -> list[Step]:
        """Return the applicable steps that move the camera and change no fact of the goal."""
        here = self.states[state]
        return [s for s in self._all_looking_steps if semantics.is_applicable(self.problem, here, s)]

    @cached_property
    def _all_looking_steps(self) -> tuple[Step, ...]:
        """Return the steps that move the camera and could change no fact of the goal: any other one undoes
        something to look.
        """
        goal = {literal.predicate for literal in self.problem.goal}
        looking = [
            action.name
            for action in self.problem.domain.actions
            if self._moves_camera(action.name)
            and not any(effect.literal.predicate in goal for effect in action.effects)
        ]
        return tuple(step for name in looking for step in self._skills.ground_steps(name, {}))
