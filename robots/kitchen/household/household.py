"""The household's true world: the paper's ten skills, their hidden constraints, and what goes wrong.

It is symbolic, and fast enough for hundreds of episodes a second. Of the agent's PDDL it reads
only which skill an action is, and the effects on predicates that it gives no meaning to (docs/worlds.md).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

from core.belief import Atom
from core.domains import SHOWN, DomainSpec, Perception, Situation, Task
from core.errors import BadValue
from core.planning import semantics
from core.planning.outcomes import effects_hold, scaled_situations
from core.planning_model import Action, Step
from core.work import combinations
from robots.kitchen.household.atoms import is_observable, sensed_atoms, true_atoms
from robots.kitchen.household.body import ViewpointTracker
from robots.kitchen.household.objects import HouseholdObjects, household_objects
from robots.kitchen.household.skills import HOUSEHOLD_SKILLS, apply_effect, drop_to_floor, supports_effect
from robots.kitchen.household.state import PREDICATES, HouseholdState, HouseholdTransition, initial_state
from robots.stochastic import sample, select
from robots.task_support import missing_features


class Household:
    """One episode of the household. Not thread-safe.

    `rates` replaces the probability of single situations (at openness 1) by name, such as {"the object is not
    in view": 0.2}. Raises BadValue (openness or rates out of range, or a task or situation that does not
    belong to a household) and UnknownName (a rate for an unknown situation).
    """

    def __init__(
        self,
        domain_spec: DomainSpec,
        task: Task,
        *,
        seed: int = 0,
        openness: float = 1.0,
        rates: Mapping[str, float] | None = None,
    ) -> None:
        problem = task.simulated_problem
        self.things: HouseholdObjects = household_objects(problem)
        self.state: HouseholdState = initial_state(problem, self.things)
        self._domain_spec, self._problem = domain_spec, task.problem
        self._viewpoint_tracker = ViewpointTracker(domain_spec.display_name, self.things.floors.values())
        self.last_transition: HouseholdTransition | None = None
        self._known: tuple[HouseholdState, frozenset[Atom]] | None = None  # cache: a state and its atoms
        self._seed = seed
        self._attempts: Counter[tuple[str, ...]] = Counter()
        _check_situations(domain_spec)
        self._situations = scaled_situations(domain_spec, openness, rates)
        domain = task.problem.domain  # the domain that the agent's steps come from
        own = {p.name: p for p in domain.predicates if p.name not in PREDICATES}
        self._own_predicates = frozenset(own)
        self._never_shown = {name for name in own if domain_spec.perception(name) not in SHOWN}
        self._felt = tuple(
            Atom(name, args)
            for name, predicate in own.items()
            if domain_spec.perception(name) is Perception.SENSE
            for args in combinations(problem.of_type(parameter.type) for parameter in predicate.parameters)
        )
        self._thing_positions = {  # action -> positions of its arguments that are things
            action.name: tuple(
                n
                for n, parameter in enumerate(action.parameters)
                if not any(domain.is_a(parameter.type, t) for t in ("agent", "room", "liquid"))
            )
            for action in domain.actions
        }

    def do(self, step: Step) -> HouseholdTransition:
        """Carry out a step of the agent's plan, as far as the world allows."""
        transition = self.last_transition = self._execute(step)
        self.state = transition.after
        self._viewpoint_tracker.update(transition)
        return transition

    def _execute(self, step: Step) -> HouseholdTransition:
        before = self.state
        attempt = self._resolve_attempt(step)
        if why_not := self._violated_constraint(step, attempt):
            name = attempt[0] if attempt else step.name
            return HouseholdTransition(step, name, before, before, failed_constraint=why_not)
        skill, *args = attempt
        uniform = sample(self._seed, " ".join(attempt), self._attempts[attempt])
        self._attempts[attempt] += 1
        situation = select(self._situations[step.name], uniform)
        if before.hidden:  # the body looks again afterwards
            before = replace(before, hidden=frozenset())
        changed = HOUSEHOLD_SKILLS[skill].effect(self.things, before, tuple(args))
        worked = self._with_own_effects(step, changed)
        if situation is None:
            return HouseholdTransition(step, skill, before, worked, attempt_key=attempt)
        return replace(self._apply_situation(step, skill, before, worked, situation), attempt_key=attempt)

    def _with_own_effects(self, step: Step, worked: HouseholdState) -> HouseholdState:
        """Make of the folder's own predicates, of which no skill knows anything, what the action promises."""
        own = self._own_predicates
        if not own or self._problem.step_faults(step):
            return worked
        promised = semantics.apply(self._problem, self.truth(), step)
        others = frozenset(fact for fact in worked.facts if fact.predicate not in own)
        return replace(worked, facts=others.union(fact for fact in promised if fact.predicate in own))

    def _resolve_attempt(self, step: Step) -> tuple[str, ...]:
        """Return the skill of a step and the things that it acts on; () if no skill carries it out."""
        known = self._domain_spec.skills.get(step.name)
        skill = HOUSEHOLD_SKILLS.get(known.skill) if known else None
        places = self._thing_positions.get(step.name, ())
        if (
            known is None
            or skill is None
            or len(places) < skill.argument_count
            or max(places) >= len(step.args)
        ):
            return ()
        return known.skill, *(step.args[n] for n in places[: skill.argument_count])

    def _violated_constraint(self, step: Step, attempt: tuple[str, ...]) -> str:
        """Return the constraint that forbids the step now; "" if none does."""
        if not attempt:
            return f"no skill does {step}"
        skill, *args = attempt
        reasons = (c(self.things, self.state, tuple(args)) for c in HOUSEHOLD_SKILLS[skill].constraints)
        return self.in_words(next(filter(None, reasons), ""))

    def step_possible(self, step: Step) -> bool:
        """Return True if no constraint forbids the step now."""
        return not self._violated_constraint(step, self._resolve_attempt(step))

    @property
    def viewpoint(self) -> str:
        """Return a word for the current viewpoint; `PoseNames` names a new camera pose by it."""
        return self._viewpoint_tracker.viewpoint

    def step_succeeded(self) -> bool | None:
        """Return True if everything that the last step's action promises holds; None before the first step.

        The printed grasp promises that what is in the hand is out of view. That part is ignored, or every
        grasp would fail.
        """
        if self.last_transition is None:
            return None
        held_seen = Atom("inview", (self.things.agent, self.state.held))
        return effects_hold(
            self._problem,
            true_atoms(self.things, self.last_transition.before),
            self.truth() - {held_seen},
            self.last_transition.step,
        )

    def in_words(self, reason: str) -> str:
        """Replace names in a reason by those that people use: "the mug is not in view"."""
        names = self._domain_spec.display_names
        for name in sorted(names, key=len, reverse=True):
            reason = reason.replace(name, f"the {names[name]}")
        return reason

    def interrupt(self, transition: HouseholdTransition, state: HouseholdState, completed: bool) -> None:
        """Record that the last step was halted and led to `state`; it is an attempt if `completed`."""
        self.set_halted_state(state)
        if transition.attempt_key and not completed:
            self._attempts[transition.attempt_key] -= 1

    def follow(self, state: HouseholdState) -> None:
        """Take over the state that a body has shown to be so, whatever should have happened.

        A robot that did not get where it should is at an unknown pose.
        """
        if state != self.state and (state.near, state.room) != (self.state.near, self.state.room):
            self._viewpoint_tracker.on_halt()
        self.state = state

    def set_halted_state(self, state: HouseholdState) -> None:
        """Set the state of a robot that was halted on its way."""
        self.state = state
        self._viewpoint_tracker.on_halt()

    def _apply_situation(
        self, step: Step, skill: str, before: HouseholdState, worked: HouseholdState, situation: Situation
    ) -> HouseholdTransition:
        names = {f"?{n}": name for n, name in enumerate(step.args)}
        names["?held"] = before.held
        after, dropped = worked if situation.in_addition else before, None
        if situation.drops:
            falling = names[situation.drops]
            if not falling:  # the hand holds nothing that could fall
                return HouseholdTransition(step, skill, before, worked)
            after, floor = drop_to_floor(self.things, after, falling)
            dropped = (falling, floor)
        for effect in situation.effects:
            after = apply_effect(after, effect.bind(names))
        return HouseholdTransition(
            step, skill, before, after, situation.name, dropped, replaces_effect=not situation.in_addition
        )

    def truth(self) -> frozenset[Atom]:
        """Return every atom that holds now."""
        if self._known is None or self._known[0] is not self.state:  # cached: every question needs it
            self._known = self.state, true_atoms(self.things, self.state)
        return self._known[1]

    def is_observable(self, atom: Atom) -> bool:
        """Return True if the current picture can show whether this atom holds."""
        return atom.predicate not in self._never_shown and is_observable(self.things, self.state, atom)

    def sensed(self) -> dict[Atom, bool]:
        """Return what the robot feels: hand empty, in hand, hot, and what the folder says of its own."""
        own = {atom: atom in self.state.facts for atom in self._felt}
        return sensed_atoms(self.things, self.state) | own


def _check_situations(domain_spec: DomainSpec) -> None:
    for action, skill in domain_spec.skills.items():
        for situation in skill.situations:
            for effect in situation.effects:
                if not supports_effect(effect):
                    raise BadValue(
                        f"The kitchen cannot make {effect} so, as {situation.name!r} of {action} in "
                        "domain.toml says: name a fact such as (closed ?1), or (not (inview ?0 ?1))."
                    )


def unsupported_reasons(domain_spec: DomainSpec, task: Task) -> tuple[str, ...]:
    """Return why the robot cannot run this task, one sentence for each reason; empty if it can."""

    def has_skill(action: Action) -> bool:
        known = domain_spec.skills.get(action.name)
        return known is not None and known.skill in HOUSEHOLD_SKILLS

    own = {p.name: len(p.parameters) for p in task.problem.domain.predicates}
    reasons = missing_features("The kitchen", domain_spec, task, own | PREDICATES, has_skill)
    try:
        initial_state(task.simulated_problem, household_objects(task.simulated_problem))
    except BadValue as error:
        reasons += (str(error),)
    return reasons
