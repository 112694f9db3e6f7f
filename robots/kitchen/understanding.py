"""What the kitchen can be asked to do: the predicates and the ten skills of the household."""

from __future__ import annotations

from core.domains import DomainSpec, Task
from core.errors import BadValue
from core.planning_model import Action
from robots.kitchen.world_skills import SKILLS
from robots.kitchen.world_state import PLAIN, start
from robots.kitchen.world_things import things_of
from robots.understanding import lacks

PREDICATES = {
    "inview": 2, "found": 2, "inhand": 2, "handempty": 1, "inside": 2, "ontop": 2, "onfloor": 2,
    "inroom": 2, "insource": 2, "filled": 2, "filledsink": 2, "closed": 1, "turnedon": 1, "cooked": 1,
    "frozen": 1, "hot": 1, "halved": 1,
}  # fmt: skip
assert PREDICATES.keys() >= PLAIN


def understands(folder: DomainSpec, task: Task) -> tuple[str, ...]:
    """Why it cannot run this task, one sentence each; nothing where it can."""

    def can(action: Action) -> bool:
        known = folder.skills.get(action.name)
        return known is not None and known.skill in SKILLS

    reasons = lacks("The kitchen", folder, task, PREDICATES, can)
    try:
        start(task.simulated_problem, things_of(task.simulated_problem))
    except BadValue as error:
        reasons += (str(error),)
    return reasons
