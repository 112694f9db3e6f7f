"""The household's true world: the paper's ten skills, their hidden constraints, and what goes wrong.

Symbolic, and fast enough for hundreds of episodes a second. It never reads the agent's PDDL semantics,
only which skill an action is: see `docs/worlds.md` for what it decides and why.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from core.domains import Folder, Situation, Task
from core.errors import BadValue
from core.facts import Atom
from core.ports import Ending
from core.problem import Step
from robots.kitchen.facts import seen_in, senses_of, truth_of
from robots.kitchen.world_skills import SKILLS, can_make, fall, made_so
from robots.kitchen.world_state import State, start
from robots.kitchen.world_things import Things, things_of
from robots.luck import check_names, draw, pick, scaled

_FELT = frozenset({"find", "grasp", "placein", "placeon"})  # the robot notices when these change nothing


@dataclass(frozen=True)
class Happening:
    """What truly happened in a step. `dropped` is the thing that fell, and the floor it fell on."""

    step: Step
    skill: str
    before: State = field(repr=False)
    after: State = field(repr=False)
    situation: str = ""
    dropped: tuple[str, str] | None = None
    failed_constraint: str = ""
    attempt: tuple[str, ...] = ()  # what luck was drawn for; () where a constraint refused it

    @property
    def ok(self) -> bool:
        """Whether the skill did what it is for."""
        return not self.situation and not self.failed_constraint

    @property
    def ending(self) -> Ending:
        """What the robot reports: it feels its hand and its way, but not that a tap or a door stayed shut."""
        if self.failed_constraint or self.dropped:
            return Ending.FAILED
        if self.situation and self.skill in _FELT and self.after == self.before:
            return Ending.FAILED
        return Ending.DONE

    @property
    def why(self) -> str:
        """In words for people: the violated constraint, or the situation."""
        return self.failed_constraint or self.situation


class World:
    """One episode of the household. Not for several threads.

    `rates` replaces the probability of single situations (at openness 1) by name, such as
    {"the object is not in view": 0.2}. Raises BadValue (openness or rates out of range, a task or a
    situation that is none of a household) and UnknownName (a rate for no situation).
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
        problem = task.problem
        self.things: Things = things_of(problem)
        self.state: State = start(problem, self.things)
        self._folder = folder
        self._seed = seed
        self._tries: Counter[tuple[str, ...]] = Counter()
        _check_situations(folder)
        check_names(rates or {}, (s for skill in folder.skills.values() for s in skill.situations))
        self._situations = {
            action: scaled(skill.situations, openness, rates) for action, skill in folder.skills.items()
        }
        domain = problem.domain
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
        before = self.state
        known = self._folder.skills.get(step.name)
        skill = SKILLS.get(known.skill) if known else None
        places = self._places.get(step.name, ())
        if known is None or skill is None or len(places) < skill.takes or max(places) >= len(step.args):
            return Happening(step, step.name, before, before, failed_constraint=f"no skill does {step}")
        args = tuple(step.args[n] for n in places[: skill.takes])
        for constraint in skill.constraints:
            if reason := constraint(self.things, before, args):
                told = self._told(reason)
                return Happening(step, known.skill, before, before, failed_constraint=told)

        attempt = (known.skill, *args)
        luck = draw(self._seed, " ".join(attempt), self._tries[attempt])
        self._tries[attempt] += 1
        situation = pick(self._situations[step.name], luck)
        worked = skill.effect(self.things, before, args)
        if situation is None:
            self.state = worked
            return Happening(step, known.skill, before, worked, attempt=attempt)
        happening = replace(self._gone_wrong(step, known.skill, before, worked, situation), attempt=attempt)
        self.state = happening.after
        return happening

    def _told(self, reason: str) -> str:
        """With the names that people use: "the mug is not in view"."""
        names = self._folder.names
        for name in sorted(names, key=len, reverse=True):
            reason = reason.replace(name, f"the {names[name]}")
        return reason

    def cut_short(self, happening: Happening, state: State, happened: bool) -> None:
        """The last step was halted, and this is so now. One that has not happened counts as no try."""
        self.state = state
        if happening.attempt and not happened:
            self._tries[happening.attempt] -= 1

    def _gone_wrong(
        self, step: Step, skill: str, before: State, worked: State, situation: Situation
    ) -> Happening:
        names = {f"?{n}": name for n, name in enumerate(step.args)}
        names["?held"] = before.held
        after, dropped = worked if situation.besides else before, None
        if situation.drops:
            falling = names[situation.drops]
            if not falling:  # nothing in the hand that could fall
                return Happening(step, skill, before, worked)
            after, floor = fall(self.things, after, falling)
            dropped = (falling, floor)
        for effect in situation.effects:
            after = made_so(after, effect.bind(names))
        return Happening(step, skill, before, after, situation.name, dropped)

    def truth(self) -> frozenset[Atom]:
        """Every atom that holds now."""
        return truth_of(self.things, self.state)

    def seen(self, atom: Atom) -> bool:
        """Whether the picture of now can show this atom, true or false."""
        return seen_in(self.things, self.state, atom)

    def senses(self) -> dict[Atom, bool]:
        """What the robot feels: hand empty, in hand, hot."""
        return senses_of(self.things, self.state)


def _check_situations(folder: Folder) -> None:
    for action, skill in folder.skills.items():
        for situation in skill.situations:
            for effect in situation.effects:
                if not can_make(effect):
                    raise BadValue(
                        f"The kitchen cannot make {effect} so, as {situation.name!r} of {action} in "
                        "domain.toml says: name a fact such as (closed ?1), or (not (inview ?0 ?1))."
                    )
