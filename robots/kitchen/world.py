"""The household's true world: the paper's ten skills, their hidden constraints, and what goes wrong.

Symbolic, and fast enough for hundreds of episodes a second. It never reads the agent's PDDL semantics,
only which skill an action is: see `docs/worlds.md` for what it decides and why.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

from core.belief import Atom
from core.domains import DomainSpec, Situation, Task
from core.errors import BadValue
from core.planning.outcomes import check_situation_names, effects_hold, scale_rates
from core.planning_model import Step
from robots.kitchen.eyes import Eyes
from robots.kitchen.facts import seen_in, senses_of, truth_of
from robots.kitchen.happening import Happening
from robots.kitchen.world_skills import SKILLS, can_make, fall, made_so
from robots.kitchen.world_state import State, start
from robots.kitchen.world_things import Things, things_of
from robots.luck import draw, pick


class World:
    """One episode of the household. Not for several threads.

    `rates` replaces the probability of single situations (at openness 1) by name, such as
    {"the object is not in view": 0.2}. Raises BadValue (openness or rates out of range, a task or a
    situation that is none of a household) and UnknownName (a rate for no situation).
    """

    def __init__(
        self,
        folder: DomainSpec,
        task: Task,
        *,
        seed: int = 0,
        openness: float = 1.0,
        rates: Mapping[str, float] | None = None,
    ) -> None:
        problem = task.simulated_problem
        self.things: Things = things_of(problem)
        self.state: State = start(problem, self.things)
        self._folder, self._problem = folder, task.problem
        self._eyes = Eyes(folder.display_name, self.things.floors.values())
        self.last: Happening | None = None
        self._known: tuple[State, frozenset[Atom]] | None = None  # the facts of a state
        self._seed = seed
        self._tries: Counter[tuple[str, ...]] = Counter()
        _check_situations(folder)
        check_situation_names(rates or {}, (s for skill in folder.skills.values() for s in skill.situations))
        self._situations = {
            action: scale_rates(skill.situations, openness, rates) for action, skill in folder.skills.items()
        }
        domain = task.problem.domain  # whose steps come
        self._places = {  # action -> which of its arguments are things, rather than agent, room or liquid
            action.name: tuple(
                n
                for n, parameter in enumerate(action.parameters)
                if not any(domain.is_a(parameter.type, t) for t in ("agent", "room", "liquid"))
            )
            for action in domain.actions
        }

    def do(self, step: Step) -> Happening:
        """Carry out a step of the agent's plan, as far as the world lets it."""
        happening = self.last = self._done(step)
        self.state = happening.after
        self._eyes.follow(happening)
        return happening

    def _done(self, step: Step) -> Happening:
        before = self.state
        attempt = self._attempt(step)
        if why_not := self._refusal(step, attempt):
            name = attempt[0] if attempt else step.name
            return Happening(step, name, before, before, failed_constraint=why_not)
        skill, *args = attempt
        luck = draw(self._seed, " ".join(attempt), self._tries[attempt])
        self._tries[attempt] += 1
        situation = pick(self._situations[step.name], luck)
        worked = SKILLS[skill].effect(self.things, before, tuple(args))
        if situation is None:
            return Happening(step, skill, before, worked, attempt=attempt)
        return replace(self._gone_wrong(step, skill, before, worked, situation), attempt=attempt)

    def _attempt(self, step: Step) -> tuple[str, ...]:
        """The skill that a step is, and the things that it is about; () where no skill does it."""
        known = self._folder.skills.get(step.name)
        skill = SKILLS.get(known.skill) if known else None
        places = self._places.get(step.name, ())
        if known is None or skill is None or len(places) < skill.takes or max(places) >= len(step.args):
            return ()
        return known.skill, *(step.args[n] for n in places[: skill.takes])

    def _refusal(self, step: Step, attempt: tuple[str, ...]) -> str:
        """Which constraint forbids it now; "" for none."""
        if not attempt:
            return f"no skill does {step}"
        skill, *args = attempt
        reasons = (c(self.things, self.state, tuple(args)) for c in SKILLS[skill].constraints)
        return self.in_words(next(filter(None, reasons), ""))

    def step_possible(self, step: Step) -> bool:
        """Whether no constraint forbids the step now."""
        return not self._refusal(step, self._attempt(step))

    @property
    def eye(self) -> str:
        """A word for where the eye is; a body's pose is named by it when it is new (`Poses`)."""
        return self._eyes.now

    def step_succeeded(self) -> bool | None:
        """Whether all that the last step's action promises is so; None before the first.

        The printed grasp promises that what is in the hand is out of view. No grasp fails for that.
        """
        if self.last is None:
            return None
        held_seen = Atom("inview", (self.things.agent, self.state.held))
        return effects_hold(
            self._problem, truth_of(self.things, self.last.before), self.truth() - {held_seen}, self.last.step
        )

    def in_words(self, reason: str) -> str:
        """With the names that people use: "the mug is not in view"."""
        names = self._folder.display_names
        for name in sorted(names, key=len, reverse=True):
            reason = reason.replace(name, f"the {names[name]}")
        return reason

    def cut_short(self, happening: Happening, state: State, happened: bool) -> None:
        """The last step was halted, and this is so now. One that has not happened counts as no try."""
        self.stands(state)
        if happening.attempt and not happened:
            self._tries[happening.attempt] -= 1

    def stands(self, state: State) -> None:
        """The robot was halted on the way, and this is so now."""
        self.state = state
        self._eyes.halted()

    def _gone_wrong(
        self, step: Step, skill: str, before: State, worked: State, situation: Situation
    ) -> Happening:
        names = {f"?{n}": name for n, name in enumerate(step.args)}
        names["?held"] = before.held
        after, dropped = worked if situation.in_addition else before, None
        if situation.drops:
            falling = names[situation.drops]
            if not falling:  # nothing in the hand that could fall
                return Happening(step, skill, before, worked)
            after, floor = fall(self.things, after, falling)
            dropped = (falling, floor)
        for effect in situation.effects:
            after = made_so(after, effect.bind(names))
        return Happening(
            step, skill, before, after, situation.name, dropped, instead=not situation.in_addition
        )

    def truth(self) -> frozenset[Atom]:
        """Every atom that holds now."""
        if self._known is None or self._known[0] is not self.state:  # it is asked for with each question
            self._known = self.state, truth_of(self.things, self.state)
        return self._known[1]

    def is_observable(self, atom: Atom) -> bool:
        """Whether the picture of now can show this atom, true or false."""
        return seen_in(self.things, self.state, atom)

    def senses(self) -> dict[Atom, bool]:
        """What the robot feels: hand empty, in hand, hot."""
        return senses_of(self.things, self.state)


def _check_situations(folder: DomainSpec) -> None:
    for action, skill in folder.skills.items():
        for situation in skill.situations:
            for effect in situation.effects:
                if not can_make(effect):
                    raise BadValue(
                        f"The kitchen cannot make {effect} so, as {situation.name!r} of {action} in "
                        "domain.toml says: name a fact such as (closed ?1), or (not (inview ?0 ?1))."
                    )
