"""The tabletop robot on an emulated arm, which knows what is so; and what makes either robot."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import cast

from core.belief import Atom
from core.cancel import Cancel
from core.domains import DomainSpec, Situation, Task
from core.errors import BadValue, RobotError
from core.planning.outcomes import check_situation_names, scale_rates
from core.planning_model import Step
from core.ports import Embodiment, Robot, StepResult
from robots.luck import draw, pick
from robots.understanding import refuse
from robots.ur5e.emulator.client import OwnClient
from robots.ur5e.tabletop.rig import Rig, open_rig
from robots.ur5e.tabletop.robot import TabletopRobot
from robots.ur5e.tabletop.truth import Place, facts, possible, worked
from robots.ur5e.tabletop.understanding import understands

_KNOCK = 3.0  # m/s: from where a container stands at first, off the table
_DROPS = "it drops on the way"
_SLIPS = {"the pick fails": 0.012, _DROPS: 0.11}  # metres over the table that a thing slips at


def tabletop(
    folder: DomainSpec,
    task: Task,
    *,
    seed: int = 0,
    openness: float = 1.0,
    rates: Mapping[str, float] | None = None,
    pictures: bool = True,
    pace: float = 0.0,
    arm: str = "",
) -> Robot:
    """The arm that is named, here or by DKPROMPT_UR5E, else one with an emulator of its own.

    Raises ConsoleError.

    An emulated one has its truth besides. On a real arm openness and rates mean nothing: what goes wrong
    there goes wrong by itself.
    """
    refuse(understands(folder, task))
    check_situation_names(rates or {}, (s for skill in folder.skills.values() for s in skill.situations))
    chances = {a: scale_rates(skill.situations, openness, rates) for a, skill in folder.skills.items()}
    rig = open_rig(seed, arm)
    if rig.world is Embodiment.EMULATED:
        return EmulatedTabletop(folder, task, rig, chances, seed, pictures, pace)
    return TabletopRobot(folder, task, rig, pictures, pace)


class EmulatedTabletop(TabletopRobot):
    """The same robot with what only an emulator can tell: Truth and StepTruth. And with situations, drawn by
    luck.
    """

    def __init__(
        self,
        folder: DomainSpec,
        task: Task,
        rig: Rig,
        chances: Mapping[str, Sequence[Situation]],
        seed: int = 0,
        pictures: bool = True,
        pace: float = 0.0,
    ) -> None:
        super().__init__(folder, task, rig, pictures, pace)
        self._own = OwnClient(rig.setup.address)
        self._chances, self._seed = chances, seed
        self._tries: Counter[Step] = Counter()
        self._provoked = ""
        self._situation = ""
        self._done: tuple[Step, frozenset[Atom]] | None = None  # the last step, and what was so before it

    def provoke(self, situation: str) -> None:
        """The next pick meets this situation, whatever luck says. Raises BadValue."""
        if situation not in _SLIPS:
            raise BadValue(f"{situation!r} cannot be provoked: {' or '.join(map(repr, _SLIPS))} can.")
        self._provoked = situation

    def do(self, step: Step, cancel: Cancel) -> StepResult:
        self._check_open()
        self._situation = ""
        self._done = None
        if self.arm.latch.halted or cancel.is_set():
            return super().do(step, cancel)
        with suppress(RobotError):  # an emulator that is gone cannot tell, and the step says why it fails
            self._done = step, self.truth()
        happens = pick(self._chances.get(step.name, ()), draw(self._seed, str(step), self._tries[step]))
        self._tries[step] += 1
        name = self._provoked if step.name == "pick" and self._provoked else happens.name if happens else ""
        if step.name == "pick":
            self._provoked = ""
        if name in _SLIPS:
            self._own.fault("slip", height=_SLIPS[name], called=name, knock=self._knock(name, step))
        try:
            return super().do(step, cancel)
        finally:
            if name in _SLIPS:
                self._situation = self._own.ask("truth").text("slip")
                self._own.fault("no slip")

    def _knock(self, situation: str, step: Step) -> tuple[float, ...]:
        """A container that drops goes off the table, as in Figure 5, while another one can be chosen.

        The last one, and a toy, stay near.
        """
        thing, containers = step.args[1], self.task.problem.of_type("container")
        places = self._places()
        others = [c for c in containers if c != thing and places[c].z > 0]
        if situation != _DROPS or thing not in containers or not others:
            return ()
        return (0.0, _KNOCK if places[thing].y > 0 else -_KNOCK, 0.0)

    def close(self) -> None:
        super().close()
        self._own.close()

    # --- Truth and StepTruth -------------------------------------------------------------------------------

    def truth(self) -> frozenset[Atom]:
        pinched = cast(Sequence[str], self._own.ask("truth").body["pinched"])
        return facts(self.task.problem, self._places(), pinched, self.last.pixels)

    def _places(self) -> dict[str, Place]:
        things = cast(Mapping[str, Sequence[float]], self._own.ask("truth").body["things"])
        return {name: Place(*values) for name, values in things.items()}

    def is_observable(self, atom: Atom) -> bool:
        """Whether everything that it names is in the last picture; the hand may hide what it holds."""
        return all(self.last.pixels.get(name, 0) > 0 for name in atom.args if name in self.last.pixels)

    @property
    def situation(self) -> str:
        return self._situation

    def worked(self) -> bool | None:
        """None also where the step could not begin. What is in view is so in the last picture."""
        if self._done is None:
            return None
        step, before = self._done
        return worked(self.task.problem, before, self.truth(), step)

    def possible(self, step: Step) -> bool:
        """By the domain's preconditions. Whether the arm finds a way there is another matter."""
        return possible(self.task.problem, self.truth(), step)
